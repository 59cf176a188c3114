"""A rate limiter under test, by itself."""

from __future__ import annotations

from typing import Any

from stingy.contract import Nanoseconds
from stingy.language.session import Session
from stingy.language.story import Story
from stingy.language.values import spoken

CALLER = "caller"


class Limiter:
    def __init__(self, session: Session, story: Story, patience: Nanoseconds) -> None:
        self._session = session
        self._story = story
        self._patience = patience

    def when(self, item: str = "a") -> Nanoseconds:
        """How long the item is to wait, which has failed once more."""
        delay = self._call("when", item)
        self._story.tell(CALLER, f"When({item!r})", spoken(delay) if isinstance(delay, int) else repr(delay))
        assert isinstance(delay, int), f"When returned {delay!r}, not a time"
        return delay

    def forget(self, item: str = "a") -> None:
        self._call("forget", item)
        self._story.tell(CALLER, f"Forget({item!r})")

    def num_requeues(self, item: str = "a") -> int:
        count = int(self._call("num_requeues", item))
        self._story.tell(CALLER, f"NumRequeues({item!r})", str(count))
        return count

    def elapse(self, span: Nanoseconds) -> None:
        self._session.advance(span)
        self._story.tell("time", f"{spoken(span)} pass")

    def together(self, item: str, callers: int) -> None:
        """So many callers ask for the same item at once."""
        calls = [self._session.call(f"caller {n}", "when", self._story.salted(item)) for n in range(callers)]
        for call in calls:
            self._session.settle(call, self._patience)
        self._story.tell(f"{callers} callers", f"When({item!r})")

    def _call(self, op: str, item: str) -> Any:
        call = self._session.call(CALLER, op, self._story.salted(item))
        self._session.settle(call)
        if not call.returned:
            self._session.settle(call, self._patience)
        name = "".join(word.capitalize() for word in op.split("_"))
        assert call.returned, f"{name}({item!r}) does not return"
        assert not call.raised, f"{name}({item!r}) raises {call.raised}"
        return call.value
