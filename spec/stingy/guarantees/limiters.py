"""Rate limiters.

When notes that an item has failed once more, and says how long it is to wait; Forget begins anew with an
item; NumRequeues tells how often it has failed. There are five kinds, and two that upstream has put together
of them. All that is said here is exact: in whole nanoseconds, for every failure, and not only for the first few.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stingy.language import MILLISECOND, MINUTE, SECOND, Limiter, Nanoseconds, Row, numbers, rule, spoken
from stingy.sources import LIMITERS

Maker = Callable[..., Limiter]
"""Makes a rate limiter of one kind, with the arguments of its constructor."""

EXPONENTIAL = LIMITERS["TypedItemExponentialFailureRateLimiter"]
FAST_SLOW = LIMITERS["TypedItemFastSlowRateLimiter"]
BUCKET = LIMITERS["TypedBucketRateLimiter"]
MAX_OF = LIMITERS["TypedMaxOfRateLimiter"]
MAX_WAIT = LIMITERS["TypedWithMaxWaitRateLimiter"]
FORGET = LIMITERS["Forget"]
NUM_REQUEUES = LIMITERS["NumRequeues"]

FAILURES = 1100
"""Enough for whatever goes wrong: a float is beyond its range after 1024 doublings, an int of 64 bits long before.

Upstream's own test stops at 1000.
"""


@dataclass(frozen=True)
class Backoff(Row):
    base: Nanoseconds
    longest: Nanoseconds

    @property
    def name(self) -> str:
        return f"{spoken(self.base)} up to {spoken(self.longest)}"

    def cells(self) -> dict[str, str]:
        return {"base delay": spoken(self.base), "max delay": spoken(self.longest)}

    @property
    def doublings(self) -> list[Nanoseconds]:
        """The waits of the first failures, as long as they are not cut short."""
        doubled = (self.base << n for n in range(FAILURES))
        return [wait for wait in doubled if wait <= self.longest]


BACKOFFS = (
    Backoff(5 * MILLISECOND, 1000 * SECOND),
    Backoff(1 * MILLISECOND, 1000 * SECOND),
    Backoff(1 * MILLISECOND, 1 * SECOND),
    Backoff(1 * SECOND, 64 * SECOND),
    Backoff(1 * MINUTE, 60_000 * MINUTE),
    Backoff(1 * SECOND, 1 * SECOND),
)


def doubling(exponential: Maker) -> Limiter:
    """1 s, 2 s, 4 s and so on, up to a minute."""
    return exponential(base_delay=1 * SECOND, max_delay=1 * MINUTE)


@rule(
    cites=EXPONENTIAL,
    each=BACKOFFS,
    hints=("is the failure counted before the wait is computed, or after?",),
)
def each_failure_doubles_the_wait(exponential: Maker, row: Backoff) -> None:
    """The n-th failure of an item MUST wait for *base delay* · 2ⁿ⁻¹, as long as that does not exceed *max delay*.

    Upstream's comment once said 10ⁿ (kubernetes/kubernetes#70782). A port to Java says 1000 ms where the
    tenth failure is to wait for 512.
    """
    limiter = exponential(base_delay=row.base, max_delay=row.longest)

    waits = [limiter.when() for _ in row.doublings]

    assert waits == row.doublings


@rule(
    cites=(EXPONENTIAL, LIMITERS["TypedItemExponentialFailureRateLimiter.When"]),
    after=[each_failure_doubles_the_wait],
    each=(*BACKOFFS, Backoff(10 * SECOND, 1 * SECOND)),
    hints=("what is 2 to the power of 64, and of 1024, in the type that holds it?",),
)
def the_longest_wait_is_for_ever(exponential: Maker, row: Backoff) -> None:
    """Once *base delay* · 2ⁿ⁻¹ exceeds *max delay*, that and every later failure MUST wait for *max delay*.

    A wait that overflows is a hot loop (kubernetes/kubernetes#31396). A port to Java begins anew after 64 failures, and
    passes upstream's test, which looks at the 1000th alone.
    """
    limiter = exponential(base_delay=row.base, max_delay=row.longest)
    for _ in row.doublings:
        limiter.when()

    waits = {limiter.when() for _ in range(FAILURES - len(row.doublings))}

    assert waits == {row.longest}


@rule(cites=EXPONENTIAL, after=[each_failure_doubles_the_wait])
def each_item_fails_for_itself(exponential: Maker) -> None:
    """The failures of an item MUST NOT make another one wait longer."""
    limiter = doubling(exponential)
    for _ in range(3):
        limiter.when("a")

    assert limiter.when("b") == 1 * SECOND
    assert limiter.when("a") == 8 * SECOND


@rule(cites=EXPONENTIAL, after=[each_failure_doubles_the_wait])
def each_limiter_counts_for_itself(exponential: Maker) -> None:
    """A rate limiter MUST know nothing of the failures that another one has been told of.

    Two queues that share what is counted undo each other's backoff.
    """
    one = doubling(exponential)
    one.when("a")

    another = doubling(exponential)

    assert another.when("a") == 1 * SECOND


@rule(
    cites=NUM_REQUEUES,
    after=[each_limiter_counts_for_itself],
    for_all={"failures": numbers(0, 40)},
)
def num_requeues_counts_the_failures(exponential: Maker, failures: int) -> None:
    """NumRequeues MUST be the number of failures of the item, also when its wait has long been the longest.

    It is what a controller looks at to give up after so many; upstream has no test for it beyond the cap.
    """
    limiter = doubling(exponential)

    for _ in range(failures):
        limiter.when("a")

    assert limiter.num_requeues("a") == failures


@rule(cites=NUM_REQUEUES, after=[num_requeues_counts_the_failures])
def to_ask_is_not_to_fail(exponential: Maker) -> None:
    """NumRequeues MUST NOT change anything."""
    limiter = doubling(exponential)

    assert limiter.num_requeues("a") == 0
    assert limiter.num_requeues("a") == 0
    assert limiter.when("a") == 1 * SECOND


@rule(
    cites=FORGET,
    after=[to_ask_is_not_to_fail],
    for_all={"failures": numbers(1, 10)},
)
def forget_begins_anew(exponential: Maker, failures: int) -> None:
    """After Forget an item MUST count as one that has never failed."""
    limiter = doubling(exponential)
    for _ in range(failures):
        limiter.when("a")

    limiter.forget("a")

    assert limiter.num_requeues("a") == 0
    assert limiter.when("a") == 1 * SECOND


@rule(cites=FORGET, after=[forget_begins_anew])
def forget_is_about_one_item(exponential: Maker) -> None:
    """Forget MUST NOT touch what is known of other items.

    To forget them all passes the whole of client-go's own suite.
    """
    limiter = doubling(exponential)
    limiter.when("a")
    limiter.when("b")

    limiter.forget("a")

    assert limiter.num_requeues("b") == 1
    assert limiter.when("b") == 2 * SECOND


@rule(cites=FORGET, after=[forget_begins_anew])
def what_never_failed_can_be_forgotten(exponential: Maker) -> None:
    """Forget of an item that has never failed MUST do nothing.

    A controller calls it after each success, and most items never fail.
    """
    limiter = doubling(exponential)

    limiter.forget("a")

    assert limiter.num_requeues("a") == 0
    assert limiter.when("a") == 1 * SECOND


@rule(cites=EXPONENTIAL, after=[to_ask_is_not_to_fail])
def failures_at_once_are_all_counted(exponential_race: Maker) -> None:
    """When MUST be callable by many at once: none of the failures is lost."""
    limiter = doubling(exponential_race)

    limiter.together("a", callers=2)

    assert limiter.num_requeues("a") == 2
    assert limiter.when("a") == 4 * SECOND


@dataclass(frozen=True)
class Edge(Row):
    base_delay: str
    nanoseconds: Nanoseconds


@rule(
    cites=LIMITERS["TypedItemExponentialFailureRateLimiter.When"],
    after=[the_longest_wait_is_for_ever],
    each=[Edge("a power of two nanoseconds", 1024), Edge("nothing", 0)],
    contested=("no wait is negative", "a wait is negative"),
)
def where_64_bits_end(exponential: Maker, row: Edge) -> str:
    """With a base delay as here, a wait MAY turn negative, which is to say that there is none.

    Upstream says that it never overflows. But a wait of exactly 2⁶³ ns passes its check, and so does 0 · 2¹⁰²⁴, which is
    no number; what comes of them depends on the processor. No delay that is written in milliseconds ever
    gets there.
    """
    limiter = exponential(base_delay=row.nanoseconds, max_delay=1 * SECOND)

    waits = [limiter.when() for _ in range(FAILURES)]

    return "a wait is negative" if min(waits) < 0 else "no wait is negative"


FAST = 1 * SECOND
SLOW = 10 * MINUTE


@dataclass(frozen=True)
class Attempts(Row):
    fast: int


@rule(cites=FAST_SLOW, each=[Attempts(0), Attempts(1), Attempts(3)])
def a_few_attempts_are_fast(fast_slow: Maker, row: Attempts) -> None:
    """The first *max fast attempts* failures of an item MUST wait for the fast delay, all later ones for the slow delay."""
    limiter = fast_slow(fast_delay=FAST, slow_delay=SLOW, max_fast_attempts=row.fast)

    waits = [limiter.when() for _ in range(row.fast + 5)]

    assert waits == [FAST] * row.fast + [SLOW] * 5


def two_fast(fast_slow: Maker) -> Limiter:
    return fast_slow(fast_delay=FAST, slow_delay=SLOW, max_fast_attempts=2)


@rule(cites=FAST_SLOW, after=[a_few_attempts_are_fast])
def each_item_has_fast_attempts_of_its_own(fast_slow: Maker) -> None:
    """The fast attempts of an item MUST NOT be used up by another one."""
    limiter = two_fast(fast_slow)
    for _ in range(3):
        limiter.when("a")

    assert [limiter.when("b"), limiter.when("b"), limiter.when("b")] == [FAST, FAST, SLOW]


@rule(cites=NUM_REQUEUES, after=[a_few_attempts_are_fast], for_all={"failures": numbers(0, 6)})
def slow_attempts_are_counted_too(fast_slow: Maker, failures: int) -> None:
    """NumRequeues of a fast and slow limiter MUST be the number of failures of the item, be they fast or slow."""
    limiter = two_fast(fast_slow)

    for _ in range(failures):
        limiter.when("a")

    assert limiter.num_requeues("a") == failures


@rule(cites=FORGET, after=[slow_attempts_are_counted_too, each_item_has_fast_attempts_of_its_own])
def what_is_forgotten_is_fast_again(fast_slow: Maker) -> None:
    """After Forget an item MUST have all its fast attempts again, and no other item any more than before."""
    limiter = two_fast(fast_slow)
    for item in "aaabb":
        limiter.when(item)

    limiter.forget("a")

    assert limiter.num_requeues("a") == 0
    assert [limiter.when("a"), limiter.when("a"), limiter.when("a")] == [FAST, FAST, SLOW]
    assert limiter.when("b") == SLOW


@rule(cites=FAST_SLOW, after=[slow_attempts_are_counted_too])
def attempts_at_once_are_all_counted(fast_slow_race: Maker) -> None:
    """When of a fast and slow limiter MUST be callable by many at once: none of the failures is lost."""
    limiter = two_fast(fast_slow_race)

    limiter.together("a", callers=2)

    assert limiter.num_requeues("a") == 2
    assert limiter.when("a") == SLOW


ONE_A_MINUTE = 1 / 60


def seconds(wait: Nanoseconds) -> int:
    """To the whole second: a bucket reckons in fractions, and its clock may have gone on a little."""
    return round(wait / SECOND)


@dataclass(frozen=True)
class Filled(Row):
    burst: int
    a_minute: int
    waits: tuple[int, ...]

    def cells(self) -> dict[str, str]:
        return {
            "burst": str(self.burst),
            "rate": f"{self.a_minute} a minute",
            "waits": ", ".join(spoken(wait * SECOND) for wait in self.waits),
        }


@rule(
    cites=BUCKET,
    each=[
        Filled(1, 1, (0, 60, 120, 180)),
        Filled(2, 1, (0, 0, 60, 120)),
        Filled(5, 2, (0, 0, 0, 0, 0, 30, 60, 90)),
    ],
    hints=("does a call that has to wait take its place in the line, or only look at it?",),
)
def so_many_at_once_then_one_by_one(bucket: Maker, row: Filled) -> None:
    """As many calls as the burst MUST get no wait, and each one after them a place of its own, one interval behind the last.

    A bucket that reserves no place says the same wait to all who come too early, and they come back together.
    Upstream has no test for its bucket.
    """
    limiter = bucket(rate=row.a_minute / 60, burst=row.burst)

    waits = tuple(seconds(limiter.when()) for _ in row.waits)

    assert waits == row.waits


@rule(cites=LIMITERS["DefaultTypedControllerRateLimiter"], after=[so_many_at_once_then_one_by_one])
def all_items_share_the_bucket(bucket: Maker) -> None:
    """A bucket MUST be one for all items."""
    limiter = bucket(rate=ONE_A_MINUTE, burst=2)

    waits = [seconds(limiter.when(item)) for item in "abca"]

    assert waits == [0, 0, 60, 120]


@rule(cites=BUCKET, after=[so_many_at_once_then_one_by_one])
def a_bucket_fills_as_time_passes(bucket: Maker) -> None:
    """As time passes, a bucket MUST fill at its rate, little by little."""
    limiter = bucket(rate=ONE_A_MINUTE, burst=2)
    limiter.when()
    limiter.when()

    limiter.elapse(90 * SECOND)

    assert [seconds(limiter.when()), seconds(limiter.when())] == [0, 30]


@rule(cites=BUCKET, after=[a_bucket_fills_as_time_passes])
def a_place_that_was_promised_is_kept(bucket: Maker) -> None:
    """Who comes while others still wait for their places MUST get one behind theirs."""
    limiter = bucket(rate=ONE_A_MINUTE, burst=1)
    for _ in range(4):
        limiter.when()

    limiter.elapse(1 * MINUTE)

    assert seconds(limiter.when()) == 180


@rule(cites=BUCKET, after=[a_bucket_fills_as_time_passes])
def a_bucket_holds_no_more_than_its_burst(bucket: Maker) -> None:
    """However long nobody calls, a bucket MUST NOT let more than its burst through at once."""
    limiter = bucket(rate=ONE_A_MINUTE, burst=2)

    limiter.elapse(60 * MINUTE)

    assert [seconds(limiter.when()) for _ in range(4)] == [0, 0, 60, 120]


@rule(cites=FORGET, after=[so_many_at_once_then_one_by_one])
def forget_gives_no_place_back(bucket: Maker) -> None:
    """Forget MUST NOT put anything back into a bucket: what has been let through was let through."""
    limiter = bucket(rate=ONE_A_MINUTE, burst=2)
    limiter.when("a")
    limiter.when("a")

    limiter.forget("a")

    assert seconds(limiter.when("a")) == 60


@rule(cites=BUCKET, after=[so_many_at_once_then_one_by_one])
def a_bucket_remembers_no_item(bucket: Maker) -> None:
    """NumRequeues of a bucket SHOULD be 0 for every item: it does not know how often one has failed."""
    limiter = bucket(rate=ONE_A_MINUTE, burst=2)

    limiter.when("a")

    assert limiter.num_requeues("a") == 0


@rule(cites=BUCKET, after=[so_many_at_once_then_one_by_one])
def no_two_get_the_same_place(bucket_race: Maker) -> None:
    """When of a bucket MUST be callable by many at once: each of them gets a place of its own."""
    limiter = bucket_race(rate=ONE_A_MINUTE, burst=1)

    limiter.together("a", callers=3)

    assert seconds(limiter.when("a")) == 180


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
    cites=MAX_OF,
    each=[
        Several("the only one", ((3,),), (3,)),
        Several("the first", ((5,), (2,), (3,)), (5,)),
        Several("one in the middle", ((2,), (5,), (3,)), (5,)),
        Several("the last", ((2,), (3,), (5,)), (5,)),
        Several("all of them", ((4,), (4,)), (4,)),
        Several("none: nobody has to wait", ((0,), (0,)), (0,)),
    ],
)
def the_longest_of_all_waits(max_of: Maker, row: Several) -> None:
    """What several rate limiters say together MUST be the longest of what each of them says."""
    limiter = max_of(limiters=[saying(*minutes) for minutes in row.say])

    waits = tuple(limiter.when() // MINUTE for _ in row.is_said)

    assert waits == row.is_said


@rule(
    cites=MAX_OF,
    after=[the_longest_of_all_waits],
    each=[
        Several("first this, then that", ((9, 1, 1), (1, 5, 7)), (9, 5, 7)),
        Several("first that, then this", ((1, 5, 7), (9, 1, 1)), (9, 5, 7)),
        Several("in turn", ((1, 8, 3, 6), (7, 2, 5, 4)), (7, 8, 5, 6)),
        Several("one of three, each time another", ((9, 1, 1), (1, 8, 1), (1, 1, 7)), (9, 8, 7)),
    ],
)
def every_one_is_asked_every_time(max_of: Maker, row: Several) -> None:
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
    cites=(MAX_OF, NUM_REQUEUES),
    after=[every_one_is_asked_every_time],
    each=[
        Counting("the first", (True, False)),
        Counting("the last", (False, True)),
        Counting("both", (True, True)),
        Counting("neither", (False, False)),
    ],
)
def the_highest_count_counts(max_of: Maker, row: Counting) -> None:
    """NumRequeues of several rate limiters MUST be the highest that any of them says: a bucket says 0."""
    limiter = max_of(limiters=[saying(1, counts=counts) for counts in row.which])

    for _ in range(3):
        limiter.when()

    assert limiter.num_requeues() == (3 if any(row.which) else 0)


@rule(
    cites=(MAX_OF, FORGET),
    after=[every_one_is_asked_every_time],
    each=[
        Several("the first alone", ((1, 9), (2, 3)), (2, 9)),
        Several("the last alone", ((2, 3), (1, 9)), (2, 9)),
        Several("one in the middle", ((2, 3), (1, 9), (2, 3)), (2, 9)),
    ],
)
def forget_reaches_every_one(max_of: Maker, row: Several) -> None:
    """Forget MUST reach each of several rate limiters."""
    limiter = max_of(limiters=[saying(*minutes) for minutes in row.say])
    for _ in range(3):
        limiter.when()

    limiter.forget()

    assert limiter.num_requeues() == 0
    assert tuple(limiter.when() // MINUTE for _ in row.is_said) == row.is_said


@rule(
    cites=MAX_OF,
    after=[the_longest_of_all_waits],
    each=[
        Several("none at all", (), (0,)),
        Several("one that says less than nothing", ((-2,),), (0,)),
        Several("two that say less than nothing", ((-1,), (-2,)), (0,)),
    ],
)
def it_is_never_less_than_nothing(max_of: Maker, row: Several) -> None:
    """What several rate limiters say together SHOULD never be less than nothing, also if there is none at all.

    No queue would see the difference: it adds at once what is to wait for less than nothing.
    """
    limiter = max_of(limiters=[saying(*minutes) for minutes in row.say])

    assert limiter.when() == 0


@dataclass(frozen=True)
class Limited(Row):
    it_says: str
    says: tuple[int, ...]
    is_said: tuple[int, ...]

    def cells(self) -> dict[str, str]:
        says, is_said = (", ".join(f"{n} min" for n in minutes) for minutes in (self.says, self.is_said))
        return {"its limiter says": says, "it says, with 5 min at most": is_said}


def five_minutes_at_most(max_wait: Maker, *minutes: int) -> Limiter:
    """A limit upon a rate limiter of ours that answers so."""
    return max_wait(limiter=saying(*minutes), max_delay=5 * MINUTE)


@rule(
    cites=MAX_WAIT,
    each=[
        Limited("less", (1, 4), (1, 4)),
        Limited("just that", (5,), (5,)),
        Limited("more", (6, 600), (5, 5)),
        Limited("nothing", (0,), (0,)),
    ],
)
def nobody_waits_longer_than_the_limit(max_wait: Maker, row: Limited) -> None:
    """A limit on the wait MUST cut short what is longer, and leave as it is what is not."""
    limiter = five_minutes_at_most(max_wait, *row.says)

    waits = tuple(limiter.when() // MINUTE for _ in row.says)

    assert waits == row.is_said


@rule(
    cites=MAX_WAIT,
    after=[nobody_waits_longer_than_the_limit],
    each=[
        Limited("more, then less", (1, 9, 3), (1, 5, 3)),
        Limited("more each time, then less", (9, 8, 7, 2), (5, 5, 5, 2)),
        Limited("now more, now less", (9, 1, 9, 1), (5, 1, 5, 1)),
    ],
)
def what_is_cut_short_has_failed_all_the_same(max_wait: Maker, row: Limited) -> None:
    """Behind a limit on the wait, the rate limiter MUST be told of each failure once, also where its answer is cut short."""
    limiter = five_minutes_at_most(max_wait, *row.says)

    waits = tuple(limiter.when() // MINUTE for _ in row.says)

    assert waits == row.is_said


@rule(
    cites=(MAX_WAIT, NUM_REQUEUES),
    after=[what_is_cut_short_has_failed_all_the_same],
    for_all={"failures": numbers(0, 5)},
)
def it_counts_what_its_limiter_counts(max_wait: Maker, failures: int) -> None:
    """NumRequeues of a limit on the wait MUST be that of the rate limiter behind it.

    To answer 0 passes the whole of client-go's own suite.
    """
    limiter = five_minutes_at_most(max_wait, 1, 9)

    for _ in range(failures):
        limiter.when()

    assert limiter.num_requeues() == failures


@rule(cites=(MAX_WAIT, FORGET), after=[it_counts_what_its_limiter_counts])
def forget_reaches_its_limiter(max_wait: Maker) -> None:
    """Forget MUST reach the rate limiter behind a limit on the wait.

    To ignore it passes the whole of client-go's own suite.
    """
    limiter = five_minutes_at_most(max_wait, 1, 2, 9)
    for _ in range(3):
        limiter.when()

    limiter.forget()

    assert limiter.num_requeues() == 0
    assert limiter.when() == 1 * MINUTE


@rule(cites=LIMITERS["DefaultTypedControllerRateLimiter"])
def a_controllers_items_wait_5_ms_to_1000_s(default_controller: Maker) -> None:
    """By default, an item of a controller SHOULD wait for 5 ms, twice as long each time, up to 1000 s."""
    limiter = default_controller()
    default = Backoff(5 * MILLISECOND, 1000 * SECOND)

    waits = [limiter.when() for _ in range(25)]

    assert waits == [*default.doublings, *[default.longest] * (25 - len(default.doublings))]


@rule(
    cites=LIMITERS["DefaultTypedControllerRateLimiter"],
    after=[a_controllers_items_wait_5_ms_to_1000_s],
)
def a_controllers_items_are_ten_a_second(default_controller: Maker) -> None:
    """By default, all items of a controller together SHOULD be held to ten a second, after a hundred at once.

    The limit is on trying again alone: who adds ordinary events by AddRateLimited is held up by it, too
    (kubernetes/kubernetes#75577). With its priority queue, controller-runtime does without it.
    """
    limiter = default_controller()
    at_once = {limiter.when(f"item-{n}") for n in range(100)}
    for n in range(100, 199):
        limiter.when(f"item-{n}")

    last = limiter.when("the two hundredth")

    assert at_once == {5 * MILLISECOND}
    assert seconds(last) == 10


@rule(cites=LIMITERS["DefaultTypedItemBasedRateLimiter"])
def by_itself_an_item_waits_1_ms_to_1000_s(default_item: Maker) -> None:
    """By default, where only the items count, one SHOULD wait for 1 ms, twice as long each time, up to 1000 s."""
    limiter = default_item()
    default = Backoff(1 * MILLISECOND, 1000 * SECOND)

    waits = [limiter.when() for _ in range(25)]

    assert waits == [*default.doublings, *[default.longest] * (25 - len(default.doublings))]


@rule(
    cites=LIMITERS["DefaultTypedItemBasedRateLimiter"],
    after=[by_itself_an_item_waits_1_ms_to_1000_s],
)
def by_itself_an_item_waits_for_no_other(default_item: Maker) -> None:
    """By default, where only the items count, there SHOULD be no limit upon all of them together."""
    limiter = default_item()

    waits = {limiter.when(f"item-{n}") for n in range(200)}

    assert waits == {1 * MILLISECOND}
