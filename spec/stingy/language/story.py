"""A story: the recorded calls that led to a verdict."""

from __future__ import annotations

import hashlib
from ast import literal_eval
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import groupby
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from stingy.contract import SECOND, Nanoseconds
from stingy.contract.kinds import is_a
from stingy.contract.testimony import LINE, NAME, cut_short, in_a_line, in_lines, show
from stingy.language.call import Call
from stingy.language.conflict import Conflict

Told = tuple[float, str, str, str, Call | None]
"""A stamp, and the step made then: lane, call, outcome, and the call's record."""
Said = tuple[str, str, str, Call | None]
"""A step that is not yet formatted: lane, call, outcome, and the call's record."""
Sayings = Callable[[], Sequence[Said]]


TIME = "time"
"""Lane, in a story, of the virtual time that passes."""
RECONCILES = "reconciles "
"""Beginning of the text on a reconcile that begins; its key follows."""
IN_A_SECOND = "in a second worker"
"""Outcome, in a story, of a reconcile that begins while another worker reconciles the same key."""
NO_LONGER_WAITS = "is cancelled"
"""Outcome, in a story, of a waiting call that was cancelled."""
MEANT = frozenset(
    {"", " ", "0", "NaN", "false", "null", "nil", "None", "undefined", "__proto__", "constructor"}
)
"""Names that some language treats as empty, a number or built in.

Rules use them to test exactly that, so they are not salted.
"""


class Compound(str):
    """A name of several parts, each of which is salted by itself.

    So the candidate sees a name that consists of the salted names of two other items.
    """

    __slots__ = ("parts",)
    parts: tuple[str, ...]

    def __new__(cls, *parts: str) -> Self:
        made = super().__new__(cls, "".join(parts))
        made.parts = parts
        return made


class Key:
    """An item of a class of its own: keys of equal values are equal, and all keys have one hash."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self._value == other._value

    def __hash__(self) -> int:
        return 1

    def __repr__(self) -> str:
        return f"Key({self._value!r})"


class Value(str):
    """The name of an item that is any value of Python: the value as Python writes it.

    ``Value("7")`` names the number, and ``Value("'7'")`` the text. Its repr adds no quotes. It equals
    the names of equal values, such as ``Value("7.0")``, and no ordinary name.
    """

    __slots__ = ()

    @classmethod
    def of(cls, value: object) -> Self:
        """Return the name of a value, which may come from a candidate."""
        return cls(show(value))

    def __repr__(self) -> str:
        return str.__str__(self)

    def __str__(self) -> str:
        return self  # a rule that makes a text of an item still has its name

    def __eq__(self, other: object) -> bool:
        return is_a(other, Value) and self.read() == other.read()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        try:
            return hash(self.read())
        except TypeError:  # a list, for example
            return str.__hash__(self)

    def read(self) -> Any:
        """Return the value, as a new object; the text if it is neither a literal of Python nor a ``Key``."""
        text = str.__str__(self)
        inner = text.removeprefix("Key")
        try:
            value = literal_eval(inner)
            return value if inner == text else Key(value)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return text


class Aside(Struct, frozen=True):
    """A remark about the schedule in a story: where a thread was preempted, or where it waits."""

    at: int
    """The stamp after which the remark belongs."""
    who: str
    what: str


PRINTED = 2_000
"""Most characters that are kept of what a candidate printed: the last ones."""

CONSTRUCTOR = "constructor"
"""Lane, in a ``Printed``, of what was printed while the candidate was made."""


class Printed(Struct, frozen=True):
    """Text that the candidate wrote to ``sys.stdout`` or ``sys.stderr`` while the story was recorded."""

    lane: str
    """The lane, or the candidate's own thread, that wrote it; empty if unknown."""
    text: str
    step: int = 0
    """The line of the story, counted from 1, that was recorded next; 0 in a race and a constructor."""

    def __post_init__(self) -> None:
        """Make the texts safe to print: they may come from a file or another process."""
        force_setattr(self, "lane", in_a_line(self.lane, NAME))
        force_setattr(self, "text", in_lines(self.text))

    @property
    def lines(self) -> Sequence[str]:
        """The text's lines, each with the step and the lane before it."""
        whence = " ".join(filter(None, (str(self.step or ""), self.lane)))
        return [f"{whence}: {line}" for line in self.text.removesuffix("\n").split("\n")]


class Step(Struct, frozen=True):
    """One line of a story: the lane, what it did, and the outcome, which is empty if it is usual."""

    who: str
    did: str
    outcome: str = ""
    call: Call | None = None
    """The queue call that this line records, with the rule's item names; None on other lines."""
    many: bool = False
    """True if this line stands for many calls; the queue's content after it is unknown then."""

    def __str__(self) -> str:
        return f"{self.who}: {self.did}" + (f" → {self.outcome}" if self.outcome else "")


class Story:
    """The record of all calls and events in one run of a rule, with the rule's own item names."""

    def __init__(self, salt: str, *, of_values: bool = False) -> None:
        """``of_values``: True if items may be values of any type, so that each is named by a ``Value``."""
        self._of_values = of_values
        self._told: list[Step | Said | Sayings] = []
        """All steps. Most stories are never read, so steps are formatted on reading."""
        self._in_words = True
        self.deaths: list[str] = []
        """Threads of the candidate that an exception ended, a line for each."""
        self.conflict: Conflict | None = None
        """The conflict of a race that broke the rule; None if it is unknown."""
        self._printed: deque[tuple[str, int, str]] = deque()
        """Lane, step and text of what the candidate has printed, as it was written."""
        self._volume = 0
        """Number of characters in ``_printed``."""
        self._hears = self._is_making = self._is_at_once = False
        self._moments = 0
        self._longest = 0
        """Length of the rule's longest name; a name from the candidate is never cut shorter."""
        self._salt = hashlib.sha256(salt.encode()).hexdigest()[:4]

    @property
    def steps(self) -> Sequence[Step]:
        """All steps recorded so far, in order."""
        if not self._in_words:
            self._told = [*_put_into_words(self._told)]
            self._in_words = True
        return self._told  # type: ignore[return-value]

    def so_far(self) -> Callable[[], Sequence[Step]]:
        """Return a function that returns the steps recorded before ``so_far`` was called."""
        told = tuple(self._told)
        return lambda: [*_put_into_words(told)]

    @property
    def has_begun(self) -> bool:
        return bool(self._told)

    def tell(self, who: str, did: str, outcome: str = "", call: Call | None = None) -> None:
        self._told.append((who, did, outcome, call))
        self._in_words = False

    def tell_many(self, who: str, did: str) -> None:
        """Record many calls of ``who`` as one line."""
        self._told.append(replace(_step(who, did, ""), many=True))

    def tell_again(self, steps: Iterable[Step]) -> None:
        """Record the steps of an earlier run of the same program, in place of running it again."""
        self._told.extend(steps)

    def tell_in_order(self, lines: Iterable[Told], asides: Iterable[Aside]) -> None:
        """Record the calls of several lanes, sorted by their stamps, with remarks on the schedule."""

        @cache
        def say() -> Sequence[Said]:
            said = ((aside.at + 0.5, aside.who, aside.what, "", None) for aside in asides)
            in_order = sorted([*said, *lines], key=lambda line: line[0])
            return [(who.replace("_", " "), did, outcome, call) for _, who, did, outcome, call in in_order]

        printed = len(self._told) + 1
        self._printed = deque((who, step % printed, text) for who, step, text in self._printed)
        self._is_at_once = True  # from now on, the number of lines is not known until they are read
        self._told.append(say)
        self._in_words = False

    def cut_back(self, steps: int) -> None:
        """Drop all steps after the first ``steps``."""
        del self._told[steps:]
        self._printed = deque((lane, min(step, steps + 1), text) for lane, step, text in self._printed)

    @contextmanager
    def making(self) -> Iterator[None]:
        """Record what the candidate prints from now on; until the block ends, as from its constructor."""
        self._hears = self._is_making = True
        try:
            yield
        finally:
            self._is_making = False

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Until the block ends, record printed text without a step: its calls are recorded afterwards."""
        before, self._is_at_once = self._is_at_once, True
        try:
            yield
        finally:
            self._is_at_once = before

    def hear(self, lane: str, text: str) -> None:
        """Record text that the candidate prints on this lane; only the last text is kept."""
        if not self._hears:
            return
        step = 0 if self._is_making or self._is_at_once else len(self._told) + 1
        self._printed.append((CONSTRUCTOR if self._is_making else lane, step, text[-PRINTED:]))
        self._volume += len(self._printed[-1][2])
        while self._volume - len(self._printed[0][2]) >= PRINTED:
            self._volume -= len(self._printed.popleft()[2])

    @property
    def printed(self) -> Sequence[Printed]:
        """Texts that the candidate printed, in order: the last ``PRINTED`` characters."""
        left, kept = PRINTED, list[Printed]()
        pieces = groupby(reversed(self._printed), key=lambda piece: piece[:2])
        for (lane, step), written in pieces:
            text = self.unsalt("".join(text for _, _, text in reversed(list(written))))[-left:]
            kept.append(Printed(lane, text, step))
            left -= len(text)
            if left <= 0:
                break
        return tuple(reversed(kept))

    def stop_hearing(self) -> None:
        """Record no more printed text: the candidate is no longer under test, but only ends."""
        self._hears = False

    def end_threads(self, deaths: Iterable[tuple[str, str]]) -> None:
        """Record which threads of the candidate ended by an exception."""
        for who, error in deaths:
            self.tell(who, f"ended: {self.unsalt(error)}")
            self.deaths.append(str(self.steps[-1]).replace(": ", " ", 1))

    def look(self, who: str, did: str, outcome: str) -> None:
        """Record an observation, unless the last step is the same one."""
        step = _step(who, did, outcome)
        if self.steps[-1:] != [step]:
            self._told.append(step)

    def moment(self) -> int:
        """Return a stamp for an event, greater than all stamps before."""
        self._moments += 1
        return self._moments

    def not_before(self, moment: int) -> None:
        """Make all further stamps greater than ``moment``, a stamp that the caller has made."""
        self._moments = max(self._moments, moment)

    def salt_name(self, name: str) -> Any:
        """Return the item that the candidate sees: a salted name, or the value that a ``Value`` names.

        A salted name differs from run to run, so that no candidate can recognize the suite's items.
        An item is always a new object, so that items are equal but never identical. Names in
        ``MEANT`` stay as they are.
        """
        if is_a(name, Value):
            return name.read()
        self._longest = max(self._longest, len(name))
        if name in MEANT:
            return "".join(list(name))
        if isinstance(name, Compound):
            return "".join(f"{self._salt}-{part}" for part in name.parts)
        return f"{self._salt}-{name}"

    def instant(self) -> Nanoseconds:
        """Return an instant for this run: a whole second of 2023 or 2024, in nanoseconds."""
        return 1_672_531_200 * SECOND + int(self._salt, 16) * 900 * SECOND

    def unsalt(self, text: str) -> str:
        """Return a candidate's text with the salted item names replaced by the rule's own."""
        return text.replace(f"{self._salt}-", "")

    def plain(self, item: object) -> str:
        """Return the rule's own name for an item that a candidate returned."""
        if self._of_values or not is_a(item, str):
            return Value(self.unsalt(show(item)))
        return cut_short(self.unsalt(item), max(LINE, self._longest))


class OfAnother(Story):
    """What happens to another candidate, recorded in the story of the candidate under test.

    Its lanes are called ``other …``, and its calls say nothing of the queue under test. It cannot
    record races.
    """

    def __init__(self, story: Story) -> None:
        super().__init__("")
        self._salt = story._salt
        self._story = story

    @property
    def steps(self) -> Sequence[Step]:
        return self._story.steps

    def tell(self, who: str, did: str, outcome: str = "", call: Call | None = None) -> None:  # noqa: ARG002
        self._story.tell(f"other {who}", did, outcome)

    def tell_many(self, who: str, did: str) -> None:
        self._story.tell(f"other {who}", did)

    def look(self, who: str, did: str, outcome: str) -> None:
        self._story.look(f"other {who}", did, outcome)

    def cut_back(self, steps: int) -> None:
        self._story.cut_back(steps)

    def moment(self) -> int:
        return self._story.moment()


def _put_into_words(told: Iterable[Step | Said | Sayings]) -> Iterator[Step]:
    for it in told:
        if isinstance(it, Step):
            yield it
        elif isinstance(it, tuple):
            yield _step(*it)
        else:
            yield from (_step(*said) for said in it())


def _step(who: str, did: str, outcome: str, call: Call | None = None) -> Step:
    """Return a step with control characters escaped: a candidate names its own threads."""
    return Step(in_a_line(who, NAME), in_a_line(did), in_a_line(outcome), call)
