"""Writer and reader of the trigger-time annotation."""

from __future__ import annotations

from typing import Any

from stingy.contract import Nanoseconds
from stingy.contract.kinds import is_a
from stingy.contract.testimony import cut_short, show
from stingy.language.answer import answer
from stingy.language.session import Session
from stingy.language.story import Story

WRITER = "controller"
READER = "node"


class Codec:
    def __init__(self, session: Session, story: Story) -> None:
        self._session = session
        self._story = story

    def write(self, instant: Nanoseconds | None) -> str | None:
        """Return the candidate's annotation text for an instant in nanoseconds since the epoch.

        ``instant`` is None for a slice without a trigger time. The result is None for no
        annotation.
        """
        text = self._call(WRITER, "format", instant)
        self._story.tell(
            WRITER, f"writes {_moment(instant)}", "no annotation" if text is None else show(text)
        )
        assert text is None or is_a(text, str), f"format returned {show(text)}, which is no text"
        return None if text is None else cut_short(text)

    def read(self, text: str | None) -> Nanoseconds | None:
        """Return the instant that the candidate reads in a text, in nanoseconds since the epoch.

        ``text`` is None for no annotation. The result is None for no instant.
        """
        instant = self._call(READER, "parse", text)
        self._story.tell(READER, f"reads {'no annotation' if text is None else show(text)}", _moment(instant))
        assert instant is None or is_a(instant, int), f"parse returned {show(instant)}, which is no time"
        return instant

    def _call(self, who: str, op: str, argument: object) -> Any:
        return answer(self._session, self._story, who, op, argument, did=f"{op} of {show(argument)}")


def _moment(instant: Any) -> str:
    return "no time" if instant is None else f"{instant:,} ns" if is_a(instant, int) else show(instant)
