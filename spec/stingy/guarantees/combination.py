"""Rate limiting: combined limiters.

Several rate limiters make one, which says the longest of their waits; and a limit upon another one cuts its waits
short. Whatever is told to the whole is told to every part. The parts are the suite's own here: they
answer what a row says they do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from stingy.contract.sources import LIMITER_TESTS, LIMITERS
from stingy.guarantees.delays import CENTURIES
from stingy.language import MINUTE, Limiter, Limiters, Row, With, numbers, rule

MaxOf = Annotated[Limiters, With("max_of")]
MaxWait = Annotated[Limiters, With("max_wait")]

MAX_OF = LIMITERS["TypedMaxOfRateLimiter"]


@dataclass(frozen=True)
class Several(Row):
    longest: str
    say: tuple[tuple[int, ...], ...]
    """In minutes, of each of the limiters, for one failure after the other."""
    is_said: tuple[int, ...]

    def cells(self) -> dict[str, str]:
        said = [", ".join(f"{n} min" for n in minutes) for minutes in (*self.say, self.is_said)]
        return {"longest": self.longest, "they say": "; ".join(said[:-1]), "it says": said[-1]}


def saying(*minutes: int, counts: bool = True) -> dict[str, object]:
    """A rate limiter of ours that answers so for one failure of an item after the other."""
    return {"delays": [n * MINUTE for n in minutes], "counts": counts}


@rule(
    cites=(LIMITERS["TypedMaxOfRateLimiter"], LIMITER_TESTS["TestMaxOfRateLimiter"]),
    each=[
        Several("the only one", ((3,),), (3,)),
        Several("the first", ((5,), (2,), (3,)), (5,)),
        Several("one in the middle", ((2,), (5,), (3,)), (5,)),
        Several("the last", ((2,), (3,), (5,)), (5,)),
        Several("all of them", ((4,), (4,)), (4,)),
        Several("none: nobody has to wait", ((0,), (0,)), (0,)),
        Several("hardly what 64 bits hold", ((3,), (CENTURIES // MINUTE,)), (CENTURIES // MINUTE,)),
    ],
)
def of_several_limiters_the_longest_wait_counts(max_of: MaxOf, row: Several) -> None:
    """What several rate limiters say together MUST be the longest of what each of them says."""
    limiter = max_of(limiters=[saying(*minutes) for minutes in row.say])

    waits = tuple(limiter.when() // MINUTE for _ in row.is_said)

    assert waits == row.is_said


@rule(
    cites=MAX_OF,
    after="combination/of-several-limiters-the-longest-wait-counts",
    each=[
        Several("first this, then that", ((9, 1, 1), (1, 5, 7)), (9, 5, 7)),
        Several("first that, then this", ((1, 5, 7), (9, 1, 1)), (9, 5, 7)),
        Several("in turn", ((1, 8, 3, 6), (7, 2, 5, 4)), (7, 8, 5, 6)),
        Several("one of three, each time another", ((9, 1, 1), (1, 8, 1), (1, 1, 7)), (9, 8, 7)),
    ],
)
def every_limiter_is_asked_every_time(max_of: MaxOf, row: Several) -> None:
    """Each of several rate limiters MUST be told of every failure, though another one has already said a long wait.

    One that is not asked does not count; its backoff begins late. To ask no further passes the whole of
    client-go's own suite.
    """
    limiter = max_of(limiters=[saying(*minutes) for minutes in row.say])

    waits = tuple(limiter.when() // MINUTE for _ in row.is_said)

    assert waits == row.is_said


@dataclass(frozen=True)
class Counting(Row):
    counts: str
    which: tuple[bool, ...]


@rule(
    cites=(LIMITER_TESTS["TestMaxOfRateLimiter"], LIMITERS["TypedMaxOfRateLimiter"]),
    after="combination/every-limiter-is-asked-every-time",
    each=[
        Counting("the first", (True, False)),
        Counting("the last", (False, True)),
        Counting("both", (True, True)),
        Counting("neither", (False, False)),
    ],
)
def of_several_limiters_the_highest_count_counts(max_of: MaxOf, row: Counting) -> None:
    """NumRequeues of several rate limiters MUST be the highest that any of them says: a bucket says 0."""
    limiter = max_of(limiters=[saying(1, counts=counts) for counts in row.which])

    for _ in range(3):
        limiter.when()

    assert limiter.num_requeues() == (3 if any(row.which) else 0)


@rule(
    cites=(LIMITER_TESTS["TestMaxOfRateLimiter"], LIMITERS["TypedMaxOfRateLimiter"]),
    after="combination/every-limiter-is-asked-every-time",
    each=[
        Several("the first alone", ((1, 9), (2, 3)), (2, 9)),
        Several("the last alone", ((2, 3), (1, 9)), (2, 9)),
        Several("one in the middle", ((2, 3), (1, 9), (2, 3)), (2, 9)),
    ],
)
def forget_reaches_every_limiter(max_of: MaxOf, row: Several) -> None:
    """Forget MUST reach each of several rate limiters."""
    limiter = max_of(limiters=[saying(*minutes) for minutes in row.say])
    for _ in range(3):
        limiter.when()

    limiter.forget()

    assert limiter.num_requeues() == 0
    assert tuple(limiter.when() // MINUTE for _ in row.is_said) == row.is_said


@rule(cites=(LIMITERS["When"], LIMITERS["TypedMaxOfRateLimiter"]))
def no_limiters_at_all_answer_all_the_same(max_of: MaxOf) -> None:
    """When, NumRequeues and Forget MUST return also if no rate limiters at all are combined.

    A list that somebody has configured may be empty, and the highest of no numbers is an error in many languages. It
    would stop the worker whose item has failed.
    """
    limiter = max_of(limiters=[])

    limiter.when()
    limiter.num_requeues()
    limiter.forget()


@rule(
    cites=LIMITERS["TypedMaxOfRateLimiter"].in_code,
    after=(
        "combination/of-several-limiters-the-longest-wait-counts",
        "combination/no-limiters-at-all-answer-all-the-same",
    ),
    each=[
        Several("none at all", (), (0,)),
        Several("one that says less than nothing", ((-2,),), (0,)),
        Several("two that say less than nothing", ((-1,), (-2,)), (0,)),
    ],
)
def a_combined_wait_is_never_less_than_nothing(max_of: MaxOf, row: Several) -> None:
    """What several rate limiters say together SHOULD never be less than nothing, also if there is none at all.

    No queue would see the difference: it adds at once what is to wait for less than nothing.
    """
    limiter = max_of(limiters=[saying(*minutes) for minutes in row.say])

    assert limiter.when() == 0


@rule(
    cites=LIMITERS["TypedMaxOfRateLimiter"].in_code,
    after=(
        "combination/of-several-limiters-the-highest-count-counts",
        "combination/no-limiters-at-all-answer-all-the-same",
    ),
)
def no_limiters_at_all_count_nothing(max_of: MaxOf) -> None:
    """NumRequeues of no rate limiters at all SHOULD be 0."""
    limiter = max_of(limiters=[])

    assert limiter.num_requeues() == 0


@dataclass(frozen=True)
class LimitedWait(Row):
    it_says: str
    says: tuple[int, ...]
    is_said: tuple[int, ...]

    def cells(self) -> dict[str, str]:
        says, is_said = (", ".join(f"{n} min" for n in minutes) for minutes in (self.says, self.is_said))
        return {"its limiter says": says, "it says, with 5 min at most": is_said}


def five_minutes_at_most(max_wait: MaxWait, *minutes: int) -> Limiter:
    """A limit upon a rate limiter of ours that answers so."""
    return max_wait(limiter=saying(*minutes), max_delay=5 * MINUTE)


@rule(
    cites=(LIMITERS["TypedWithMaxWaitRateLimiter"], LIMITER_TESTS["TestWithMaxWaitRateLimiter"]),
    each=[
        LimitedWait("less", (1, 4), (1, 4)),
        LimitedWait("just that", (5,), (5,)),
        LimitedWait("more", (6, 600), (5, 5)),
        LimitedWait("nothing", (0,), (0,)),
        LimitedWait("hardly what 64 bits hold", (CENTURIES // MINUTE,), (5,)),
    ],
)
def nobody_waits_longer_than_the_limit(max_wait: MaxWait, row: LimitedWait) -> None:
    """A limit on the wait MUST cut short what is longer, and leave as it is what is not."""
    limiter = five_minutes_at_most(max_wait, *row.says)

    waits = tuple(limiter.when() // MINUTE for _ in row.says)

    assert waits == row.is_said


@rule(
    cites=(LIMITERS["NumRequeues"], LIMITERS["TypedWithMaxWaitRateLimiter"]),
    after="combination/nobody-waits-longer-than-the-limit",
    each=[
        LimitedWait("more, then less", (1, 9, 3), (1, 5, 3)),
        LimitedWait("more each time, then less", (9, 8, 7, 2), (5, 5, 5, 2)),
        LimitedWait("now more, now less", (9, 1, 9, 1), (5, 1, 5, 1)),
    ],
)
def what_is_cut_short_has_failed_all_the_same(max_wait: MaxWait, row: LimitedWait) -> None:
    """Behind a limit on the wait, the rate limiter MUST be told of each failure once, also where its answer is cut short."""
    limiter = five_minutes_at_most(max_wait, *row.says)

    waits = tuple(limiter.when() // MINUTE for _ in row.says)

    assert waits == row.is_said


@rule(
    cites=(LIMITERS["NumRequeues"], LIMITERS["TypedWithMaxWaitRateLimiter"]),
    after="combination/what-is-cut-short-has-failed-all-the-same",
    for_all={"failures": numbers(0, 5)},
)
def a_limit_on_the_wait_counts_what_the_limiter_behind_it_counts(max_wait: MaxWait, failures: int) -> None:
    """NumRequeues of a limit on the wait MUST be that of the rate limiter behind it.

    To answer 0 passes the whole of client-go's own suite.
    """
    limiter = five_minutes_at_most(max_wait, 1, 9)

    for _ in range(failures):
        limiter.when()

    assert limiter.num_requeues() == failures


@rule(
    cites=(LIMITERS["Forget"], LIMITERS["TypedWithMaxWaitRateLimiter"]),
    after="combination/a-limit-on-the-wait-counts-what-the-limiter-behind-it-counts",
)
def forget_reaches_the_limiter_behind_a_limit_on_the_wait(max_wait: MaxWait) -> None:
    """Forget MUST reach the rate limiter behind a limit on the wait.

    To ignore it passes the whole of client-go's own suite.
    """
    limiter = five_minutes_at_most(max_wait, 1, 2, 9)
    for _ in range(3):
        limiter.when()

    limiter.forget()

    assert limiter.num_requeues() == 0
    assert limiter.when() == 1 * MINUTE
