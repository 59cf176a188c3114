"""Let hours and months of virtual time pass, and start candidates after them, where that is possible."""

from __future__ import annotations

from stingy.contract import MINUTE, SECOND, Nanoseconds
from stingy.language.session import BEGINS_ANEW, NotOffered, Session, Undecided
from stingy.language.story import Story
from stingy.language.values import format_span

MOST_LOOKS = 100_000
"""How often a candidate may look at its clock meanwhile: a few seconds of a processor."""


def let_pass(session: Session, story: Story, span: Nanoseconds) -> None:
    """Let so much time pass, and tell it; NotOffered where no time can be moved, or where a candidate polls so often that it would take minutes.

    Each step is ten times as long as the one before, so that one that polls too often is given up early.
    """
    left, step, before = span, SECOND, 0
    try:
        while left > 0:
            session.advance(min(step, left))
            left -= step
            if session.looks is None:
                if left > MINUTE:
                    raise NotOffered("its driver does not count its steps, and this could take minutes")
                continue
            looks, before = (session.looks - before) * min(10, left // step), session.looks
            if looks > MOST_LOOKS:
                raise NotOffered(
                    f"it looks at its clock too often for this: {looks:,} times in {format_span(min(10 * step, left))}"
                )
            step *= 10
    except Undecided as why:
        raise NotOffered(str(why)) from None
    story.tell("time", f"{format_span(span)} pass")


def start_later(session: Session) -> None:
    """Put a fresh candidate in the place of this one, which starts no sooner than this reading of the clock.

    NotOffered where the clock begins anew with each candidate: to one that begins at the same reading, no time has passed.
    """
    reading = session.now_ns()
    session.restart()
    if session.now_ns() < reading:
        raise NotOffered(BEGINS_ANEW)
