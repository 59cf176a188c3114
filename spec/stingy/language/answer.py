"""Make a call that has to return at once, and return its result."""

from __future__ import annotations

from typing import Any

from stingy.contract import Nanoseconds
from stingy.language.session import Session
from stingy.language.story import Story


def answer(
    session: Session, story: Story, who: str, op: str, *args: Any, did: str = "", patience: Nanoseconds = 0
) -> Any:
    """Make a call and return its result; up to ``patience`` of virtual time may pass meanwhile.

    ``did``: the call as the story words it; the name of the op if empty. Raises AssertionError if
    the call does not return, or if it raises. An exception of the candidate is also recorded in the
    story.
    """
    call = session.call(who, op, *args)
    session.settle(call, patience)
    assert call.returned, f"{op} does not return"
    raised = story.unsalt(call.raised) if call.raised else None
    if raised:
        story.tell(who, did or op, f"raises {raised}")
    assert not raised, f"{did or op} raises {raised}"
    return call.value
