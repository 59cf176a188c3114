"""What can be walked through: queues whose workers ask when a step says so, and controllers whose workers ask by themselves."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from stingy.contract import Nanoseconds
from stingy.contract.kinds import is_a
from stingy.language.controller import Controller
from stingy.language.delaying import DelayingQueue, RateLimitingQueue
from stingy.language.model import State
from stingy.language.priority import PriorityQueue
from stingy.language.queue import SHUTDOWN, Asked

Step = tuple[Any, ...]
"""A step as it is read: its words in lower case, and the values of the others."""


class Came(NamedTuple):
    """Items that workers got, and how many workers were told of the shutdown."""

    items: list[tuple[str, int]]
    """Items that were handed out, each with its priority: 0 if there are no priorities."""
    told: int = 0
    """Number of workers that were told of the shutdown."""


WORKERS = 2
"""Number of Gets that wait at once, at most; and of the workers of a controller."""


class Walked(Protocol):
    """A queue or a controller that takes steps, and hands out items to those who ask."""

    start: State
    """State in which it is when it is made."""

    @property
    def uptime(self) -> Nanoseconds: ...

    @property
    def patience(self) -> Nanoseconds: ...

    @property
    def asking(self) -> int:
        """Number of workers that wait for an item."""

    def elapse(self, span: Nanoseconds) -> None: ...

    def take(self, step: Step) -> float | None:
        """Make the call of this step; return the number that it answers, None if it answers none."""

    def makes_sense(self, step: Step) -> bool:
        """Return True if the step is a call that may be made now."""

    def held(self) -> list[str]:
        """Return the items that workers hold."""

    def ending(self, item: str) -> Step:
        """Return the step by which a worker is done with an item."""

    def come(self) -> Came:
        """Return what has been handed out since the last look. No time passes."""

    def wait(self) -> None:
        """Give the workers that wait the time that a slow candidate may take."""


class WalkedQueue:
    """A delaying, rate-limiting or priority queue."""

    def __init__(self, queue: DelayingQueue | PriorityQueue) -> None:
        self.start = State(merges=isinstance(queue, PriorityQueue))
        self._queue = queue
        self._asked: list[Asked] = []
        """Gets that wait."""
        self._is_shut_down = False

    @property
    def uptime(self) -> Nanoseconds:
        return self._queue.uptime

    @property
    def patience(self) -> Nanoseconds:
        return self._queue.patience

    @property
    def asking(self) -> int:
        return len(self._asked)

    def elapse(self, span: Nanoseconds) -> None:
        self._queue.elapse(span)

    def makes_sense(self, step: Step) -> bool:
        match step:
            case ["get"]:
                return len(self._asked) < WORKERS
            case ["done", item]:
                return item in self._queue.held
            case ["len"] | ["depth"]:
                return not self._queue.is_slow
            case ["shut down"]:
                return not self._is_shut_down
        return True

    def take(self, step: Step) -> float | None:
        queue = self._queue
        match step:
            case ["get"]:
                self._asked.append(queue.ask())
            case ["done", item]:
                queue.done(item)
            case ["len"]:
                return len(queue)
            case ["depth"]:
                return queue.metrics().depth
            case ["shut down"]:
                self._is_shut_down = True
                queue.shut_down()
            case ["num_requeues", item] if isinstance(queue, RateLimitingQueue):
                return queue.num_requeues(item)
            case ["is forgotten", item] if isinstance(queue, RateLimitingQueue):
                queue.forget(item)
            case ["add", item, priority] if isinstance(queue, PriorityQueue):
                queue.add_with(item, priority=priority or 0)
            case ["after", item, span, priority] if isinstance(queue, PriorityQueue):
                queue.add_with(item, priority=priority or 0, after=span)
            case ["fails", item, priority] if isinstance(queue, PriorityQueue):
                queue.add_with(item, priority=priority or 0, rate_limited=True)
            case ["add", item, _]:
                queue.add(item)
            case ["after", item, span, _] if isinstance(queue, DelayingQueue):
                queue.add_after(item, span)
            case ["fails", item, _] if isinstance(queue, RateLimitingQueue):
                queue.add_rate_limited(item)
        return None

    def held(self) -> list[str]:
        return [*self._queue.held]

    def ending(self, item: str) -> Step:
        return "done", item

    def come(self) -> Came:
        returned = [it for it in self._asked if it.call.returned]
        self._asked = [it for it in self._asked if it not in returned]
        items = [_handed_out(it) for it in returned if it.got is not SHUTDOWN]
        return Came(items, len(returned) - len(items))

    def wait(self) -> None:
        _ = self._asked[0].waiting


def _handed_out(asked: Asked) -> tuple[str, int]:
    item, told = str(asked.got), asked.call.value
    return item, told[1] if is_a(told, tuple, list) else 0


class WalkedController:
    """A controller with this many workers, which ask whenever they are idle."""

    start = State(separates=True)

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._running: list[str] = []

    @property
    def uptime(self) -> Nanoseconds:
        return self._controller.uptime

    @property
    def patience(self) -> Nanoseconds:
        return self._controller.patience

    @property
    def asking(self) -> int:
        return WORKERS - len(self._running)

    def elapse(self, span: Nanoseconds) -> None:
        self._controller.elapse(span)

    def makes_sense(self, step: Step) -> bool:
        match step:
            case ["ends", item, *_]:
                return item in self._running
        return step != ("get",)

    def take(self, step: Step) -> float | None:
        match step:
            case ["add", item, _]:
                self._controller.add(item)
            case ["ends", item, how, span]:
                self._controller.finish(item, how, span or 0)
                self._running.remove(item)
        return None

    def held(self) -> list[str]:
        return [*self._running]

    def ending(self, item: str) -> Step:
        return "ends", item, "ok", None

    def come(self) -> Came:
        now = self._controller.running()
        came = [*now]
        for key in self._running:
            if key in came:
                came.remove(key)
        self._running = now
        return Came([(key, 0) for key in came])

    def wait(self) -> None:
        self._controller.under_way()
