"""Make a call that has to return at once, return its result, and read a result of several parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from stingy.contract import Nanoseconds
from stingy.contract.testimony import describe, show
from stingy.language.session import Raised, Session
from stingy.language.story import Story


def answer(
    session: Session, story: Story, who: str, op: str, *args: Any, did: str = "", patience: Nanoseconds = 0
) -> Any:
    """Make a call and return its result; up to ``patience`` of virtual time may pass meanwhile.

    ``did``: the call as the story words it; the name of the op if empty. Raises AssertionError if
    the call does not return, Raised if it raises. An exception of the candidate is also recorded in the
    story.
    """
    call = session.call(who, op, *args)
    session.settle(call, patience)
    assert call.returned, f"{op} does not return"
    raised = story.unsalt(call.raised) if call.raised else None
    if raised:
        story.tell(who, did or op, f"raises {raised}")
        raise Raised(did or op, raised)
    return call.value


@contextmanager
def reading(op: str, returned: object) -> Iterator[None]:
    """Until the block ends, turn an error of reading what an op returned into a failed assertion.

    Other errors are left as they are: only the candidate's own code can raise them.
    """
    try:
        yield
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise AssertionError(
            f"{op} returned {show(returned)}, which cannot be read: {describe(error)}"
        ) from None
