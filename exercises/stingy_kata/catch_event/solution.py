"""A rule that catches controllers that treat each event as a job of its own."""

from __future__ import annotations

# hole
# | from stingy.language import Controllers
from stingy.language import MINUTE, Controllers

# end of hole


def an_event_is_followed_by_a_look(controllers: Controllers) -> None:
    """After an event its object MUST be reconciled once more, at once or after a run under way."""
    controller = controllers(2)
    # hole
    controller.add("a")
    assert controller.under_way() == ["a"]

    controller.add("a")
    controller.add("a")

    assert controller.under_way() == ["a"]
    controller.finish("a", "requeue_after", 5 * MINUTE)
    assert controller.under_way() == ["a"]
    controller.finish("a", "error")
    assert controller.under_way() == []
    # end of hole

    controller.add("a")

    assert controller.under_way() == ["a"]
    # hole
    # | # TODO: so far they are all alike. What if there is another event now, or two? And how does that run end?
    # end of hole
