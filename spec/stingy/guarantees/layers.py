"""Every queue is a work queue.

A queue that can add later *is* a work queue, and so are one that limits how often, one that has a name, and one whose
items have priorities. Each of them is built upon another, wraps it or is written anew, and what a layer passes on, keeps a
buffer for or does for itself can go wrong where the work queue below is right. So what was asked of the
work queue is asked of each layer, and while it is at work: something waits in it that nobody asks for meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Annotated, Any

from stingy.contract.sources import DELAYING, DOC, PRIORITY_QUEUE, QUEUE, RATE_LIMITING
from stingy.guarantees import drain, fair, handing_out, length, once_more, rules_of, shutdown, stingy, workers
from stingy.guarantees.delays import HOUR
from stingy.language import (
    DelayingQueue,
    Level,
    Measured,
    PriorityQueue,
    Queue,
    RateLimitingQueue,
    Row,
    Rule,
    Unmet,
    With,
    forms,
    rule,
    steps,
)


@dataclass(frozen=True)
class Promise(Row):
    """A rule about a work queue, and the row of its table if it has one."""

    rule: str
    case: str
    ask: Callable[[Any], object]

    @property
    def name(self) -> str:
        return f"{self.rule}, {self.case}" if self.case else self.rule


def _promises(*modules: ModuleType) -> Iterator[Promise]:
    """Yield the promises of these modules that are scripts: examples and long lists are drawn here again, for each layer."""
    for asked in (stated for module in modules for stated in rules_of(module)):
        setting = asked.asks[1]
        if asked.level is Level.MUST and not (
            setting.races or setting.two or asked.for_all or setting.profile.any_value
        ):
            yield from (_promise(asked, row) for row in asked.cases if row is None or row.name not in LONG)


def _promise(asked: Rule, row: Row | None) -> Promise:
    def ask(queue: Queue) -> None:
        try:
            asked.check(queue, **({} if row is None else {"row": row}))
        except Unmet as unmet:  # what this rule takes for granted is asked of the layer, too
            raise unmet.broken from None

    return Promise(asked.id, row.name if row else "", ask)


LONG = {row.name for row in handing_out.of_many_items_none_is_lost.each}

PLAIN = tuple(_promises(handing_out, fair, stingy, once_more, workers, length, shutdown))
DRAINING = tuple(_promises(drain))
STEADY = tuple(_promises(handing_out, stingy, once_more, workers))
"""Promises that a priority queue makes, too: it has an order of its own, and at a shutdown drops what is queued."""

BEHIND_PLAIN = tuple(dict.fromkeys(row.rule for row in PLAIN))
BEHIND_DRAINING = tuple(dict.fromkeys(row.rule for row in DRAINING))

FAR = "far"
"""The item that waits, and is not asked for."""


def with_one_that_waits(delaying: DelayingQueue) -> DelayingQueue:
    delaying.add_after(FAR, HOUR)
    return delaying


def with_one_that_has_failed(limiting: RateLimitingQueue) -> RateLimitingQueue:
    limiting.add_rate_limited(FAR)
    return limiting


def with_one_that_is_not_ready(priority: PriorityQueue) -> PriorityQueue:
    priority.add_with(FAR, after=HOUR)
    return priority


@rule(
    cites=DELAYING["TypedDelayingInterface"],
    after=(
        *BEHIND_PLAIN,
        "delays/addafter-holds-nobody-up",
        "abandonment/a-shutdown-drops-what-waits",
        "abandonment/a-second-shutdown-changes-nothing",
        "delays/len-leaves-out-what-waits",
    ),
    each=PLAIN,
)
def a_delaying_queue_is_a_work_queue(delaying: DelayingQueue, row: Promise) -> None:
    """A queue that can add later MUST keep what a work queue promises, also while something waits for its deadline."""
    row.ask(with_one_that_waits(delaying))


@rule(
    cites=DELAYING["TypedDelayingInterface"],
    after=(
        *BEHIND_DRAINING,
        "delays/addafter-holds-nobody-up",
        "abandonment/a-drain-drops-what-waits",
        "abandonment/a-second-shutdown-changes-nothing",
    ),
    each=DRAINING,
)
def a_delaying_queue_drains_as_a_work_queue(
    delaying: Annotated[DelayingQueue, With("drain")], row: Promise
) -> None:
    """A queue that can add later MUST drain as a work queue does, also while something waits for its deadline."""
    row.ask(with_one_that_waits(delaying))


@rule(
    cites=RATE_LIMITING["TypedRateLimitingInterface"],
    after=(*BEHIND_PLAIN, "rate_limiting/a-shutdown-drops-the-retries"),
    each=PLAIN,
)
def a_rate_limiting_queue_is_a_work_queue(limiting: RateLimitingQueue, row: Promise) -> None:
    """A rate-limiting queue MUST keep what a work queue promises, also while something that has failed waits."""
    row.ask(with_one_that_has_failed(limiting))


@rule(cites=RATE_LIMITING["TypedRateLimitingInterface"], after=BEHIND_DRAINING, each=DRAINING)
def a_rate_limiting_queue_drains_as_a_work_queue(
    limiting: Annotated[RateLimitingQueue, With("drain")], row: Promise
) -> None:
    """A rate-limiting queue MUST drain as a work queue does, also while something that has failed waits."""
    row.ask(with_one_that_has_failed(limiting))


@rule(cites=QUEUE["TypedQueueConfig.Name"], after=BEHIND_PLAIN, each=PLAIN)
def a_queue_with_a_name_is_a_work_queue(measured: Measured, row: Promise) -> None:
    """A queue that has a name and metrics MUST keep what a work queue promises."""
    row.ask(measured)


@rule(cites=QUEUE["TypedQueueConfig.Name"], after=BEHIND_DRAINING, each=DRAINING)
def a_queue_with_a_name_drains_as_a_work_queue(
    measured: Annotated[Measured, With("drain")], row: Promise
) -> None:
    """A queue that has a name and metrics MUST drain as a work queue does."""
    row.ask(measured)


@rule(
    cites=PRIORITY_QUEUE["TypedRateLimitingInterface"],
    after=("priority/one-worker-at-a-time", "readiness/nothing-comes-before-its-time"),
    each=STEADY,
)
def a_priority_queue_is_a_work_queue(priority: PriorityQueue, row: Promise) -> None:
    """A priority queue MUST keep what a work queue promises of items and workers, also while something is not ready."""
    row.ask(with_one_that_is_not_ready(priority))


SIZES = (1, 2, 3, 5, 7, 8, 9, 16, 17, 33, 65)
"""How many at once: what buffers are made for, and one more."""
STEPS = forms("add NUMBER", "add NUMBER again", "take NUMBER", "hold NUMBER", "finish", "renew", "len")
DRAWN = {
    "does": steps(
        *(f"{step} {size}" for step in ("add", "add", "take", "hold") for size in SIZES),
        *("add 2 again", "add 9 again", "finish", "renew", "len") * 4,
        least=8,
        most=24,
    )
}


@dataclass
class Account:
    """Expected content of a queue, if an item that is held is added again only right before its Done."""

    queued: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    added: int = 0

    def add(self, number: int) -> list[str]:
        """So many that there have not been before."""
        items = [f"item-{n}" for n in range(self.added, self.added + number)]
        self.added += number
        self.queued += items
        return items

    def take(self, number: int) -> list[str]:
        """So many of the next, or all there are."""
        taken = self.queued[:number]
        del self.queued[:number]
        return taken

    def hold(self, number: int) -> list[str]:
        items = self.take(number)
        self.held += items
        return items

    def let_go(self) -> list[str]:
        items, self.held = self.held, []
        return items


def go_through(queue: Queue, does: list[str]) -> None:
    """Do so, each step without a pause; whatever is handed out, and Len, is as the account has it."""
    account = Account()
    for step in [*does, "finish", "len"]:
        match STEPS.read(step):
            case ["add", number]:
                queue.add_straight(account.add(number))
            case ["add again", number] if account.queued:
                queue.add_straight(account.queued[:number])
            case ["take", number] if account.queued:
                due = account.take(number)
                assert queue.take_straight(len(due)) == due
            case ["hold", number] if account.queued:
                due = account.hold(number)
                assert queue.hold_straight(len(due)) == due
            case ["finish"] if account.held:
                queue.finish_straight(account.let_go())
            case ["renew"] if account.held:
                renewed = account.let_go()
                queue.renew_straight(renewed)
                account.queued += renewed
            case ["len"]:
                assert len(queue) == len(account.queued)
    left = len(account.queued)
    assert queue.take_straight(left) == account.take(left)
    assert len(queue) == 0


@rule(
    cites=DOC["Fair"],
    after=tuple(dict.fromkeys(row.rule for row in _promises(handing_out, fair, stingy, once_more, length))),
    for_all=DRAWN,
)
def whatever_is_done_a_queue_keeps_count(queue: Queue, does: list[str]) -> None:
    """Through hundreds of calls, a queue MUST hand out each item in its turn, once for all Adds before, and count in Len what is left."""
    go_through(queue, does)


GROWS = [
    *(
        step
        for size in (16, 64, 100, 128, 512)
        for step in (f"add {size}", f"take {size // 2}", f"add {size}", "add 9 again", "len", f"take {size}")
    ),
    "add 900",
    "take 700",
    "add 900",
    "len",
    "add 4000",
    "add 9 again",
    "len",
]
"""Sizes around the powers of two and ten, and 5,510 at last. Some are taken before more are added, so that a ring wraps round.
Of all calls of one kind there are fewer than 10,000: no more threads can be followed, and a queue may have one for each call."""


@rule(cites=DOC["Fair"], after="fair/first-come-first-served")
def however_many_are_queued_the_first_is_the_first(queue: Queue) -> None:
    """However many different items are queued, each MUST be handed out, in the order of their Adds."""
    go_through(queue, ["add 16", "take 8", "add 100", "take 64", "add 1200"])


@rule(
    cites=DOC["Fair"],
    after="layers/whatever-is-done-a-queue-keeps-count",
)
def however_many_there_are_a_queue_keeps_count(queue: Queue) -> None:
    """A queue of thousands of items MUST hand out each of them in order, and once."""
    go_through(queue, [*GROWS, "hold 1025", "renew", "len"])


@rule(
    cites=(DOC["Fair"], DELAYING["TypedDelayingInterface"]),
    after=(
        "layers/whatever-is-done-a-queue-keeps-count",
        "delays/addafter-holds-nobody-up",
        "delays/len-leaves-out-what-waits",
    ),
    for_all=DRAWN,
)
def whatever_is_done_a_delaying_queue_keeps_count(delaying: DelayingQueue, does: list[str]) -> None:
    """Through hundreds of calls, a delaying queue MUST hand out each item in its turn, too."""
    go_through(with_one_that_waits(delaying), does)


@rule(
    cites=(DOC["Fair"], RATE_LIMITING["TypedRateLimitingInterface"]),
    after="layers/whatever-is-done-a-queue-keeps-count",
    for_all=DRAWN,
)
def whatever_is_done_a_rate_limiting_queue_keeps_count(limiting: RateLimitingQueue, does: list[str]) -> None:
    """Through hundreds of calls, a rate-limiting queue MUST hand out each item in its turn, too."""
    go_through(with_one_that_has_failed(limiting), does)


@rule(
    cites=(DOC["Fair"], QUEUE["TypedQueueConfig.Name"]),
    after="layers/whatever-is-done-a-queue-keeps-count",
    for_all=DRAWN,
)
def whatever_is_done_a_queue_with_a_name_keeps_count(measured: Measured, does: list[str]) -> None:
    """Through hundreds of calls, a queue with a name MUST hand out each item in its turn, too."""
    go_through(measured, does)


@rule(
    cites=(PRIORITY_QUEUE["addedCounter"], PRIORITY_QUEUE["TypedRateLimitingInterface"]),
    after=("layers/a-priority-queue-is-a-work-queue", "priority/first-come-first-served-within-a-priority"),
    for_all=DRAWN,
)
def whatever_is_done_a_priority_queue_keeps_count(priority: PriorityQueue, does: list[str]) -> None:
    """Through hundreds of calls with one priority, a priority queue MUST hand out each item in its turn, too."""
    go_through(with_one_that_is_not_ready(priority), does)
