"""Several lanes at once: a program for each, and the history of what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stingy.language.history import Call, History
from stingy.language.queue import Queue
from stingy.language.session import Op, Session
from stingy.language.story import Story

GET: Op = ("get",)
DONE: Op = ("done",)
"""Done of the item that this lane has had longest."""
AGAIN: Op = ("add",)
"""Add of the item that this lane has in hand: the worst moment to add it."""
SHUT_DOWN: Op = ("shut_down",)


def add(item: str) -> Op:
    return ("add", item)


class Race:
    """Lanes that run their programs at once, on the queue that the rule also asks for."""

    def __init__(self, session: Session, story: Story, queue: Queue, order: object) -> None:
        self._session = session
        self._story = story
        self._queue = queue
        self._order = order

    def run(self, **programs: Sequence[Op]) -> History:
        """Run each lane's program until nothing moves. Names with ``_`` are lanes too: ``worker_1``."""
        salted = {lane: [self._salt(op) for op in program] for lane, program in programs.items()}
        calls = [self._plain(call) for call in self._session.race(salted, self._order)]
        for call in calls:
            self._tell(call)
        return History(calls)

    def left(self) -> list[str]:
        """What was left in the queue, worked on one after the other."""
        return self._queue.take_all()

    def rest(self, history: History) -> History:
        """The same history, with all that was left in the queue worked on after it."""
        stamp = 1 + max((call.end or call.start for call in history.calls), default=0)
        calls = list(history.calls)
        for n, item in enumerate(self.left()):
            start = stamp + 2 * n
            calls.append(Call("the last worker", "get", None, start, start + 1, item))
        return History(calls)

    def _salt(self, op: Op) -> Op:
        return (op[0], *(self._story.salted(item) for item in op[1:]))

    def _plain(self, call: Call) -> Call:
        item = None if call.item is None else self._story.plain(call.item)
        result = self._story.plain(call.result) if call.op == "get" and not call.shutdown else call.result
        return replace(call, item=item, result=result if call.end is not None else None)

    def _tell(self, call: Call) -> None:
        name = {"add": "Add", "get": "Get", "done": "Done", "shut_down": "ShutDown", "len": "Len"}[call.op]
        did = f"{name}({'' if call.item is None else repr(call.item)})"
        if call.end is None:
            outcome = "waits"
        elif call.raised:
            outcome = f"raises {call.raised}"
        elif call.op == "get":
            outcome = "shutdown" if call.shutdown else repr(call.result)
        else:
            outcome = ""
        self._story.tell(call.lane, did, outcome)
