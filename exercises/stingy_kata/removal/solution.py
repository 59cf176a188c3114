"""A rule that catches trackers that handle the removal of a slice wrongly."""

from __future__ import annotations

from stingy.language import SECOND, Tracker


def a_removal_is_programmed_and_not_measured(tracker: Tracker) -> None:
    """A removal MUST count as a change, MUST NOT add a time, and MUST NOT affect other slices."""
    tracker.change("web", at=1 * SECOND)
    tracker.change("db", at=2 * SECOND)

    # hole
    # | tracker.checkout()
    # | tracker.remove("web-1")
    # | # TODO: what is handed over now? And what of a slice that nobody knows, of one that comes again, of the others?
    assert not tracker.remove("web-9")
    assert tracker.checkout().times == {"shop/web": [1 * SECOND], "shop/db": [2 * SECOND]}

    tracker.change("db", at=3 * SECOND)

    assert tracker.remove("web-1", at=9 * SECOND)
    changes = tracker.checkout()
    assert changes.services == {"shop/db", "shop/web"}
    assert changes.times == {"shop/db": [3 * SECOND]}

    assert tracker.again("web-1")
    # end of hole
