"""A rate limiter under test, by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from stingy.contract import Nanoseconds
from stingy.contract.kinds import is_a
from stingy.contract.ops import OPS
from stingy.contract.testimony import show
from stingy.language.ages import set_wall_clock
from stingy.language.call import Call
from stingy.language.notation import forms, parse_lanes
from stingy.language.order import Order
from stingy.language.session import Raised, Session
from stingy.language.story import TIME, Step, Story
from stingy.language.values import format_span
from stingy.language.wording import spell

CALLER = "caller"
CALLS = forms("when ITEM", "forget ITEM", "num_requeues ITEM")

ENDS = 3
"""Number of delays that are shown from the start and the end of a long list of them."""


class Limiter:
    def __init__(
        self,
        session: Session,
        story: Story,
        patience: Nanoseconds,
        order: Order,
        options: Mapping[str, Any],
        counted: int = 0,
    ) -> None:
        self._session = session
        self._story = story
        self._patience = patience
        self._order = order
        self._counted = counted
        self._said = _Said("")
        made_with = ", ".join(f"{name}={_format_option(name, value)}" for name, value in options.items())
        story.tell(CALLER, f"makes one ({made_with})" if made_with else "makes one")

    def make_another(self) -> None:
        """Replace the rate limiter by a fresh one with the same options, in the same process."""
        self._session.restart()
        self._story.tell(CALLER, "makes another one, alike")

    def when(self, item: str = "a") -> Nanoseconds:
        """Call When, which counts one more failure of the item; return the delay in nanoseconds."""
        return _delay(self.answer(item))

    def answer(self, item: str = "a") -> Any:
        """Call When and return what the candidate answers, even if that is no span of time."""
        delay = self._call("when", item)
        self._tell_when(item, _write_delay(delay))
        return delay

    def when_often(self, times: int, item: str = "a") -> list[Nanoseconds]:
        """Call When this many times without a pause; return the delays. One line of the story."""
        return list(map(_delay, self.answer_often(times, item)))

    def answer_often(self, times: int, item: str = "a") -> list[Any]:
        """As ``when_often``, but return what the candidate answers, even if these are no spans of time."""
        return self._without_a_pause([item] * times, spell("when", item))

    def when_each(self, items: Sequence[str]) -> list[Nanoseconds]:
        """Call When for each item without a pause; return the delays. One line of the story."""
        return list(map(_delay, self._without_a_pause(items, f"{OPS['when'].upstream}(…) of an item each")))

    def _without_a_pause(self, items: Sequence[str], did: str) -> list[Any]:
        program = [("when", self._story.salt_name(item)) for item in items]
        calls = self._session.race({CALLER: program}, Order(0, straight=True))
        self._said = _Said("")
        for call in calls:
            self._said.add(call.fault or _told(call))
        self._story.tell(CALLER, f"{did}, {len(items):,} times without a pause", str(self._said))
        for call in calls:
            assert not call.fault, f"{spell('when', self._story.plain(call.item))} {call.fault}"
        return [call.result for call in calls]

    def forget(self, item: str = "a") -> None:
        self._call("forget", item)
        self._story.tell(CALLER, spell("forget", item))

    def num_requeues(self, item: str = "a") -> int:
        count = self._call("num_requeues", item)
        self._story.tell(CALLER, spell("num_requeues", item), show(count))
        assert is_a(count, int), f"NumRequeues returned {show(count)}, not a number"
        return count - self._counted

    def elapse(self, span: Nanoseconds) -> None:
        self._session.advance(span)
        self._story.tell(TIME, f"{format_span(span)} pass")

    def set_clock(self, span: Nanoseconds) -> None:
        """Step the wall clock forward by ``span``, or back if negative; no time passes meanwhile."""
        set_wall_clock(self._session, self._story, span)

    def together(self, item: str, callers: int) -> list[Nanoseconds]:
        """Let this many callers call When for the item at once; return the delays, ascending."""
        calls = self.at_once(*[[("when", item)]] * callers)
        return sorted(_delay(call.result) for call in calls)

    def play(self, at_once: str) -> Mapping[str, set[int]]:
        """Run a program of calls at once, such as ``when a, forget a | when a``, as a race.

        Returns for each item the failure counts that are possible afterwards: one for each order in
        which its calls may have taken effect.
        """
        calls = self.at_once(*[list(map(CALLS.read, lane)) for lane in parse_lanes(at_once)])
        of_item: dict[str, list[Call]] = {"a": [], "b": []}
        for call in calls:
            of_item[self._story.plain(str(call.item))].append(call)
        return {item: set(_counts(its_calls)) for item, its_calls in of_item.items()}

    def at_once(self, *programs: Sequence[tuple[Any, ...]]) -> Sequence[Call]:
        """Let several callers make their calls at once, as a race; return the calls.

        Each caller makes its own calls one after the other.
        """
        asked = {
            f"caller {n}": [(op, self._story.salt_name(item)) for op, item in program]
            for n, program in enumerate(programs, 1)
        }
        calls = self._session.race(asked, self._order)
        left = {lane: iter(program) for lane, program in zip(asked, programs, strict=True)}
        did = [spell(*next(left[call.lane])) for call in calls]
        lines = [
            (call.start, call.lane, it, call.fault or _told(call), None)
            for it, call in zip(did, calls, strict=True)
        ]
        self._story.tell_in_order(lines, self._order.asides)
        for it, call in zip(did, calls, strict=True):
            if call.raised:
                raise Raised(f"{it} of {call.lane}", call.raised)
            assert not call.fault, f"{it} of {call.lane} {call.fault}"
        return calls

    def _call(self, op: str, item: str) -> Any:
        call = self._session.call(CALLER, op, self._story.salt_name(item))
        self._session.settle(call)
        if not call.returned:
            self._session.settle(call, self._patience)
        assert call.returned, f"{spell(op, item)} does not return"
        if call.raised:
            raise Raised(spell(op, item), self._story.unsalt(call.raised))
        return call.value

    def _tell_when(self, item: str, delay: str) -> None:
        """Record a call of When; consecutive ones for the same item share one line of the story."""
        if self._said.item == item and self._story.steps[-1] is self._said.step:
            self._story.cut_back(len(self._story.steps) - 1)
        else:
            self._said = _Said(item)
        self._said.add(delay)
        times = f" {self._said.times:,} times" if self._said.times > 1 else ""
        self._story.tell(CALLER, f"{spell('when', item)}{times}", str(self._said))
        self._said.step = self._story.steps[-1]


def _delay(answer: Any) -> Nanoseconds:
    assert is_a(answer, int), f"When returned {show(answer)}, not a time"
    return answer


def _write_delay(delay: Any) -> str:
    return format_span(delay) if is_a(delay, int) else show(delay)


def _told(call: Call) -> str:
    """Return the result of a limiter's call as text; empty for a call without a result."""
    match call.op:
        case "when":
            return _write_delay(call.result)
        case "num_requeues":
            return show(call.result)
    return ""


def _counts(calls: Sequence[Call], count: int = 0) -> Iterator[int]:
    """Yield an item's failure count after these calls, for each order that their times allow."""
    if not calls:
        yield count
    for call in calls:
        if all(call.start < other.over for other in calls):
            rest = [other for other in calls if other is not call]
            yield from _counts(rest, count + 1 if call.op == "when" else 0)


Maker = Callable[..., Limiter]
"""Makes a rate limiter of one kind, with the arguments of its constructor."""


class _Said:
    """The delays of consecutive Whens for one item, for one line of the story.

    Equal delays in a row are shown once.
    """

    def __init__(self, item: str) -> None:
        self.item = item
        self.step: Step | None = None
        self.times = 0
        self._runs: list[tuple[str, int]] = []

    def add(self, delay: str) -> None:
        self.times += 1
        if self._runs and self._runs[-1][0] == delay:
            self._runs[-1] = delay, self._runs[-1][1] + 1
        else:
            self._runs.append((delay, 1))

    def __str__(self) -> str:
        runs = self._runs
        if len(runs) <= 2 * ENDS + 1:
            return ", ".join(map(_write_run, runs))
        return ", ".join([*map(_write_run, runs[:ENDS]), "…", *map(_write_run, runs[-ENDS:])])


def _write_run(run: tuple[str, int]) -> str:
    delay, times = run
    return delay if times == 1 else f"{delay} ({times:,} times)"


def _format_option(name: str, value: Any) -> str:
    match name:
        case "limiter":
            return f"one that says {_script(**value)}"
        case "limiters":
            return f"[{'; '.join(f'one that says {_script(**each)}' for each in value)}]"
    return format_span(value) if name.endswith("_delay") else f"{value:g}"


def _script(delays: Sequence[Nanoseconds], *, counts: bool = True) -> str:
    return ", ".join(map(format_span, delays)) + ("" if counts else ", and counts nothing")
