"""Tests in the candidate's own language, made from stories, for a debugger or a regression suite.

A story of sequential calls needs no stingy. Where a call must not return, the test waits a moment
in real time: it can miss what stingy sees, and says so. A race needs something that reproduces its
order: stingy itself for a candidate in Python, the driver for one in another language.
"""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stingy.contract.ops import OPS
from stingy.guarantees import all_rules
from stingy.judging.verdict import Verdict
from stingy.language.account import Line
from stingy.language.model import ANYTHING, KNOWN, State, step
from stingy.language.rule import Rule
from stingy.reports.conversation import Message, write
from stingy.transport import is_driver

LANGUAGES = ("pytest", "go", "java", "rust", "node")
"""Each has a template of its name."""
SCRIPTED = ("pytest", "go", "java")
"""Languages in which a sequential story becomes plain calls.

In the others a driver repeats it, as it does a race.
"""


class NotNative(Exception):  # noqa: N818 - not an error
    """The story cannot be made a test; the message says why."""


@dataclass(frozen=True)
class Act:
    """One line of the test."""

    does: str
    """What the line does with a call.

    ``call`` and ``answers`` make a call, without and with a result to compare. ``begin`` starts a
    call that may wait; ``returns`` and ``waits`` are about such a call.
    """
    op: str = ""
    item: str | None = None
    number: int = 0
    """Number of the call that was begun, counted from 1."""
    shutdown: bool = False
    value: int = 0
    """Expected result: of Len, or of ShuttingDown as 0 or 1."""


@dataclass(frozen=True)
class Told:
    rule: Rule
    case: str
    acts: Sequence[Act]

    @property
    def words(self) -> Sequence[str]:
        return _words(self.rule)


@dataclass(frozen=True)
class Again:
    """A rule that is run again and breaks in the same order."""

    rule: Rule
    verdict: Verdict
    seed: int
    conversation: Sequence[Message] = ()
    """The conversation with a driver that breaks it; empty if stingy itself runs it again."""

    @property
    def case(self) -> str:
        return self.verdict.case

    @property
    def words(self) -> Sequence[str]:
        return _words(self.rule)

    @property
    def said(self) -> str:
        return write(self.conversation)


def _words(rule: Rule) -> Sequence[str]:
    return rule.id.partition("/")[2].split("-")


def find_rule(verdict: Verdict) -> Rule:
    """Return the rule of a verdict. Raises NotNative if there is none."""
    rule = all_rules().get(verdict.rule)
    if rule is None:
        raise NotNative("this version of stingy has no such rule")
    return rule


def as_test(verdict: Verdict) -> Told:
    """Return a test that the broken candidate fails, and that the model passes.

    Raises NotNative.
    """
    rule = find_rule(verdict)
    if rule.races:
        raise NotNative("it needs several threads in a certain order, which an ordinary test cannot force")
    if not any(line.expected for line in verdict.story) or not all(map(_is_known, verdict.story)):
        raise NotNative("its story has steps that are not calls of a work queue")
    return Told(rule, verdict.case, list(_acts(verdict.story)))


def _is_known(line: Line) -> bool:
    """Return True if the line is no call, or a well-formed call of the model.

    The story comes from a file, which may hold anything.
    """
    return not line.op or (line.op in KNOWN and (line.item is not None) == OPS[line.op].takes_item)


@dataclass
class _Begun:
    number: int
    line: Line


def _acts(lines: Sequence[Line]) -> Iterator[Act]:
    state, waiting, begun = State(), list[_Begun](), 0
    for line in lines:
        op = OPS.get(line.op)
        if op and op.waits:
            mine = next((it for it in waiting if it.line.lane == line.lane), None)
            if mine is None:
                begun += 1
                mine = _Begun(begun, line)
                waiting.append(mine)
                if line.op == "shut_down_with_drain":
                    state = _advance(state, "drain begins", None)
                yield Act("begin", line.op, number=begun)
            returned, state = _try_to_return(mine, state)
            if returned is not None:
                waiting.remove(mine)
            yield returned or Act("waits", line.op, number=mine.number)
        elif op and op.result is not None:
            value = len(state.queue) if line.op == "len" else int(state.shutting_down)
            yield Act("answers", line.op, value=value)
        elif op:
            state = _advance(state, line.op, line.item)
            yield Act("call", line.op, line.item)
        if line.expected:
            break
    for it in waiting:
        returned, state = _try_to_return(it, state)
        if returned is not None:
            yield returned


def _try_to_return(begun: _Begun, state: State) -> tuple[Act | None, State]:
    """Return the act that the call returns, and the next state.

    None and the same state if the model keeps the call waiting.
    """
    if begun.line.op == "shut_down_with_drain":
        over = step(state, "drain ends", None, ANYTHING)
        return (Act("returns", begun.line.op, number=begun.number) if over else None), state
    item = state.queue[0] if state.queue else None
    after = step(state, "get", None, ANYTHING)
    if after is None:
        return None, state
    return Act("returns", "get", item, begun.number, shutdown=item is None), after


def _advance(state: State, op: str, item: str | None) -> State:
    return step(state, op, item, ANYTHING) or state


def render_tests(
    tests: Sequence[Told], language: str, target: str, races: Sequence[Again] = (), kubernetes: str = ""
) -> str:
    from stingy.reports.page import template

    module, name = _where(target)
    known = {"target": target, "module": module, "name": name, "kubernetes": kubernetes}
    return template(f"{language}.jinja").render(tests=tests, races=races, **known)


def _where(target: str) -> tuple[str, str]:
    """Return module and name of a target in Python; two empty texts if no import can name it."""
    module, colon, name = target.partition(":")
    called = name if colon else "work_queue"
    named = all(map(_is_name, [*module.split("."), *called.split(".")]))
    return (module, called) if named and not is_driver(target) else ("", "")


def _is_name(word: str) -> bool:
    """Return True if Python reads the word as exactly this name."""
    return word.isidentifier() and not keyword.iskeyword(word) and unicodedata.is_normalized("NFKC", word)
