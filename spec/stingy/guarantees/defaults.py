"""Rate limiting: default limiters.

A queue that is made without a rate limiter gets one that upstream has put together. Whoever has read of it in
a dashboard or in an incident's report expects its numbers; a port may have better ones.
"""

from __future__ import annotations

from typing import Annotated

from stingy.contract.sources import LIMITERS
from stingy.guarantees.backoff import Backoff
from stingy.guarantees.bucket import seconds
from stingy.language import MILLISECOND, SECOND, Limiters, With, rule

DefaultController = Annotated[Limiters, With("default_controller")]
DefaultItem = Annotated[Limiters, With("default_item")]


@rule(cites=LIMITERS["DefaultTypedControllerRateLimiter"].in_code)
def a_controllers_items_wait_5_ms_to_1000_s(default_controller: DefaultController) -> None:
    """By default, an item of a controller SHOULD wait for 5 ms, twice as long each time, up to 1000 s."""
    limiter = default_controller()
    default = Backoff(5 * MILLISECOND, 1000 * SECOND)

    waits = [limiter.when() for _ in range(25)]

    assert waits == [*default.doublings, *[default.longest] * (25 - len(default.doublings))]


@rule(
    cites=LIMITERS["DefaultTypedControllerRateLimiter"].in_code,
    after="defaults/a-controllers-items-wait-5-ms-to-1000-s",
)
def a_controllers_items_are_ten_a_second(default_controller: DefaultController) -> None:
    """By default, all items of a controller together SHOULD be held to ten a second, after a hundred at once.

    The limit is on trying again alone: who adds ordinary events by AddRateLimited is held up by it, too
    (kubernetes/kubernetes#75577). With its priority queue, controller-runtime does without it.
    """
    limiter = default_controller()
    at_once = {limiter.when(f"item-{n}") for n in range(100)}
    one_too_many = limiter.when("the hundred and first")
    for n in range(101, 199):
        limiter.when(f"item-{n}")
    last = limiter.when("the two hundredth")

    assert at_once == {5 * MILLISECOND}
    assert one_too_many > 5 * MILLISECOND
    assert seconds(last) == 10


@rule(cites=LIMITERS["DefaultTypedItemBasedRateLimiter"])
def by_itself_an_item_waits_1_ms_to_1000_s(default_item: DefaultItem) -> None:
    """By default, where only the items count, one SHOULD wait for 1 ms, twice as long each time, up to 1000 s."""
    limiter = default_item()
    default = Backoff(1 * MILLISECOND, 1000 * SECOND)

    waits = [limiter.when() for _ in range(25)]

    assert waits == [*default.doublings, *[default.longest] * (25 - len(default.doublings))]


@rule(
    cites=LIMITERS["DefaultTypedItemBasedRateLimiter"],
    after="defaults/by-itself-an-item-waits-1-ms-to-1000-s",
)
def by_itself_an_item_waits_for_no_other(default_item: DefaultItem) -> None:
    """By default, where only the items count, there SHOULD be no limit upon all of them together."""
    limiter = default_item()

    waits = {limiter.when(f"item-{n}") for n in range(200)}

    assert waits == {1 * MILLISECOND}
