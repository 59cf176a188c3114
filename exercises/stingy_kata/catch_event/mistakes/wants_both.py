"""A rule that catches controllers which take an event for the job."""

from __future__ import annotations

from collections.abc import Callable

from stingy.language import MINUTE, Controller


def an_event_is_followed_by_a_look(controllers: Callable[..., Controller]) -> None:
    """After an event its object MUST be looked at once more, at once or when the look under way is over, and once only."""
    controller = controllers(2)
    controller.add("a")
    assert controller.under_way() == ["a"]

    controller.add("a")
    controller.add("a")

    assert controller.under_way() == ["a"]
    controller.finish("a", "requeue_after", 5 * MINUTE)
    assert controller.under_way() == ["a"]
    controller.finish("a")
    assert controller.under_way() == []
    controller.elapse(5 * MINUTE)
    assert controller.under_way() == ["a"]
    controller.finish("a", "error")

    controller.add("a")

    assert controller.under_way() == ["a"]
