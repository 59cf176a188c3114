"""Rate limiting: token bucket.

A bucket lets so many through at once, its *burst*, and after them so many in a time, its *rate*, whichever items they
are. Who comes too early is told how long to wait, and has a place in the line from then on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from stingy.contract.sources import LIMITERS, TOKEN_BUCKET
from stingy.guarantees.delays import SET, Setting
from stingy.language import MINUTE, SECOND, AtOnce, Limiters, Nanoseconds, Row, With, format_span, rule

Bucket = Annotated[Limiters, With("bucket")]


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
            "waits": ", ".join(format_span(wait * SECOND) for wait in self.waits),
        }


@rule(
    cites=(TOKEN_BUCKET["Reserve"], LIMITERS["TypedBucketRateLimiter"]),
    each=[
        Filled(1, 1, (0, 60, 120, 180)),
        Filled(2, 1, (0, 0, 60, 120)),
        Filled(5, 2, (0, 0, 0, 0, 0, 30, 60, 90)),
    ],
)
def so_many_at_once_then_one_by_one(bucket: Bucket, row: Filled) -> None:
    """As many calls as the burst MUST get no wait, and each one after them a place of its own, one interval behind the last.

    A bucket that reserves no place says the same wait to all who come too early, and they come back together.
    Upstream has no test for its bucket.
    """
    limiter = bucket(rate=row.a_minute / 60, burst=row.burst)

    waits = tuple(seconds(limiter.when()) for _ in row.waits)

    assert waits == row.waits, (
        "does a call that has to wait take a place in the line, and not only look at it?"
    )


@rule(
    cites=LIMITERS["DefaultTypedControllerRateLimiter"],
    after="bucket/so-many-at-once-then-one-by-one",
)
def all_items_share_the_bucket(bucket: Bucket) -> None:
    """A bucket MUST be one for all items."""
    limiter = bucket(rate=ONE_A_MINUTE, burst=2)

    waits = [seconds(limiter.when(item)) for item in "abca"]

    assert waits == [0, 0, 60, 120]


@rule(
    cites=(TOKEN_BUCKET["Limiter"], LIMITERS["TypedBucketRateLimiter"]),
    after="bucket/so-many-at-once-then-one-by-one",
)
def a_bucket_fills_as_time_passes(bucket: Bucket) -> None:
    """As time passes, a bucket MUST fill at its rate, little by little."""
    limiter = bucket(rate=ONE_A_MINUTE, burst=2)
    limiter.when()
    limiter.when()

    limiter.elapse(90 * SECOND)

    assert [seconds(limiter.when()), seconds(limiter.when())] == [0, 30]


@rule(
    cites=(TOKEN_BUCKET["ReserveN"], LIMITERS["TypedBucketRateLimiter"]),
    after="bucket/a-bucket-fills-as-time-passes",
)
def a_place_that_was_promised_is_kept(bucket: Bucket) -> None:
    """Who comes while others still wait for their places MUST get one behind theirs."""
    limiter = bucket(rate=ONE_A_MINUTE, burst=1)
    for _ in range(4):
        limiter.when()

    limiter.elapse(1 * MINUTE)

    assert seconds(limiter.when()) == 180


@rule(
    cites=(TOKEN_BUCKET["Limiter"], LIMITERS["TypedBucketRateLimiter"]),
    after="bucket/a-bucket-fills-as-time-passes",
    each=SET,
)
def a_clock_that_is_set_fills_no_bucket(bucket: Bucket, row: Setting) -> None:
    """A bucket MUST fill as time passes, whatever the wall clock is set to meanwhile.

    Set back an hour, it would make everybody wait for an hour; set forward, it would let everybody through.
    """
    limiter = bucket(rate=ONE_A_MINUTE, burst=2)
    for _ in range(3):
        limiter.when()

    limiter.set_clock(row.by)

    assert seconds(limiter.when()) == 120, "does the bucket read the time of day? Use a monotonic clock."

    limiter.elapse(3 * MINUTE)

    assert seconds(limiter.when()) == 0, "does the bucket read the time of day? Use a monotonic clock."


@dataclass(frozen=True)
class Crowd(Row):
    burst: int
    calls: int
    """More than a port may allow to be owed: 10 or 100 times the burst, 1,000 places, 10,000 s or a day."""


@rule(
    cites=(TOKEN_BUCKET["ReserveN"], LIMITERS["TypedBucketRateLimiter"]),
    after="bucket/a-place-that-was-promised-is-kept",
    each=[Crowd(burst=1, calls=1_500), Crowd(burst=10, calls=250)],
)
def however_many_wait_each_has_a_place(bucket: Bucket, row: Crowd) -> None:
    """However many wait for their places, each MUST get one of its own behind all the others, also after a time in which nobody called.

    A bucket that limits what is owed lets all that come after that through at once.
    """
    limiter = bucket(rate=ONE_A_MINUTE, burst=row.burst)

    waits = [seconds(wait) for wait in limiter.when_often(row.calls)]

    places = [60 * max(0, n - row.burst + 1) for n in range(row.calls)]
    assert waits == places, "is there a limit to what may be owed?"

    limiter.elapse(10 * MINUTE)

    assert seconds(limiter.when()) == places[-1] + 60 - 600


@rule(
    cites=(TOKEN_BUCKET["Limiter"], LIMITERS["TypedBucketRateLimiter"]),
    after="bucket/a-bucket-fills-as-time-passes",
)
def a_bucket_holds_no_more_than_its_burst(bucket: Bucket) -> None:
    """However long nobody calls, a bucket MUST NOT let more than its burst through at once."""
    limiter = bucket(rate=ONE_A_MINUTE, burst=2)

    limiter.elapse(60 * MINUTE)

    assert [seconds(limiter.when()) for _ in range(4)] == [0, 0, 60, 120]


@rule(
    cites=(TOKEN_BUCKET["Limiter"], LIMITERS["TypedBucketRateLimiter"]),
    after="bucket/all-items-share-the-bucket",
)
def two_buckets_share_nothing(two: tuple[Bucket, Bucket]) -> None:
    """A bucket MUST NOT be emptied or filled by what happens to another one in the same process."""
    first, second = two
    limiter = first(rate=ONE_A_MINUTE, burst=2)
    waits = [seconds(limiter.when()) for _ in range(3)]

    other = second(rate=ONE_A_MINUTE, burst=2)
    of_the_other = [seconds(other.when()) for _ in range(2)]

    assert of_the_other == [0, 0], "is something kept on the class, or in the module?"
    assert [*waits, seconds(limiter.when())] == [0, 0, 60, 120]


@rule(
    cites=(TOKEN_BUCKET["Limiter"], LIMITERS["Forget"]),
    after="bucket/so-many-at-once-then-one-by-one",
)
def forget_gives_no_place_back(bucket: Bucket) -> None:
    """Forget MUST NOT put anything back into a bucket: what has been let through was let through."""
    limiter = bucket(rate=ONE_A_MINUTE, burst=2)
    limiter.when("a")
    limiter.when("a")

    limiter.forget("a")

    assert seconds(limiter.when("a")) == 60


@rule(
    cites=LIMITERS["TypedBucketRateLimiter"].in_code,
    after="bucket/so-many-at-once-then-one-by-one",
)
def a_bucket_remembers_no_item(bucket: Bucket) -> None:
    """NumRequeues of a bucket SHOULD be 0 for every item: it does not know how often one has failed."""
    limiter = bucket(rate=ONE_A_MINUTE, burst=2)

    limiter.when("a")

    assert limiter.num_requeues("a") == 0


@rule(
    cites=(TOKEN_BUCKET["concurrency"], LIMITERS["TypedBucketRateLimiter"]),
    after="bucket/a-bucket-holds-no-more-than-its-burst",
)
def no_two_get_the_same_place(bucket: Annotated[Bucket, AtOnce]) -> None:
    """When of a bucket MUST be callable by many at once: each of them gets a place of its own.

    What has come back into the bucket by then is there for one of them. A bucket that notes too late when it was filled
    gives it to all.
    """
    limiter = bucket(rate=ONE_A_MINUTE, burst=2)
    limiter.when("a")
    limiter.when("a")
    limiter.elapse(1 * MINUTE)

    waits = limiter.together("a", callers=3)

    assert [seconds(wait) for wait in waits] == [0, 60, 120]
    assert seconds(limiter.when("a")) == 180
