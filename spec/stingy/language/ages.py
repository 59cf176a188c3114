"""Long spans of virtual time, wall clocks that are set, and candidates that are started later."""

from __future__ import annotations

from stingy.contract import MINUTE, SECOND, Nanoseconds
from stingy.language.session import BEGINS_ANEW, NotOffered, Session, Undecided
from stingy.language.story import TIME, Story
from stingy.language.values import format_span

MOST_LOOKS = 100_000
"""Limit on how often a candidate may wake to read its clock while a span passes.

So many wake-ups take a few seconds of CPU time.
"""


def let_pass(session: Session, story: Story, span: Nanoseconds) -> None:
    """Advance virtual time by ``span`` nanoseconds, and record that in the story.

    Raises NotOffered if the candidate's time cannot be advanced, or if the candidate polls so often
    that this would take minutes. Time passes in steps, each ten times as long as the one before, so
    that a candidate that polls too often is given up after a short one.
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
    story.tell(TIME, f"{format_span(span)} pass")


def set_wall_clock(session: Session, story: Story, span: Nanoseconds) -> None:
    """Step the candidate's wall clock forward by ``span``, or back if negative; no time passes meanwhile.

    Raises NotOffered if it cannot be stepped.
    """
    session.step(span)
    where = "forward" if span > 0 else "back"
    story.tell("somebody", f"sets the wall clock {format_span(abs(span))} {where}")


def start_later(session: Session) -> None:
    """Replace the candidate by a fresh one that starts at the current clock reading or later.

    Raises NotOffered if the clock of the fresh candidate shows an earlier time, as it does where
    each candidate has a clock of its own.
    """
    reading = session.now_ns()
    session.restart()
    if session.now_ns() < reading:
        raise NotOffered(BEGINS_ANEW)
