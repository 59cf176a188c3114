"""Tests in the candidate's own language, made from stories, for a debugger or a regression suite.

A test of sequential calls runs without stingy. Where a call must not return, the test waits a
moment in real time, so it can miss what stingy detects; a comment in it says for how long it waits.
The test of a race needs something that reproduces the order: stingy itself for a candidate in
Python, the driver for one in another language.
"""

from __future__ import annotations

import ast
import keyword
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from stingy.contract.ops import OPS
from stingy.guarantees import all_rules
from stingy.judging.verdict import Verdict
from stingy.language.account import Line, find_wrong
from stingy.language.model import ANYTHING, KNOWN, State, step
from stingy.language.rule import Rule
from stingy.language.story import Value
from stingy.reports.conversation import Message, write
from stingy.transport import is_driver

LANGUAGES = ("pytest", "go", "java", "rust", "node")
"""Languages in which tests can be written; each has a template of its name."""
SCRIPTED = ("pytest", "go", "java")
"""Languages in which the test of a sequential story consists of plain calls.

In the others, the test makes a driver repeat the story, as for a race.
"""


class NotNative(Exception):  # noqa: N818 - not an error
    """No test can be made from a story; the message says why."""


@dataclass(frozen=True)
class Act:
    """One step of an exported test: a call, or a check of whether a call returns."""

    does: str
    """``call``, ``answers``, ``begin``, ``returns`` or ``waits``.

    ``call`` makes a call; ``answers`` also compares its result. ``begin`` starts a call that may
    wait; ``returns`` and ``waits`` check whether that call returns.
    """
    op: str = ""
    item: str | None = None
    number: int = 0
    """Number of the call, counted from 1, that ``begin`` starts; 0 for a call that cannot wait."""
    shutdown: bool = False
    value: int = 0
    """For ``answers``: the expected result, that of Len, or that of ShuttingDown as 0 or 1."""


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
    """An exported test that runs a rule again, in the order that broke it."""

    rule: Rule
    verdict: Verdict
    seed: int
    conversation: Sequence[Message] = ()
    """The conversation with a driver that breaks the rule; empty if stingy runs the rule again."""

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
    """Return the rule that a verdict is about.

    Raises NotNative if this version has no such rule.
    """
    rule = all_rules().get(verdict.rule)
    if rule is None:
        raise NotNative("this version of stingy has no such rule")
    return rule


def as_test(verdict: Verdict, language: str = "pytest") -> Told:
    """Return an ordinary test, made of the story's calls, that the broken candidate fails.

    The model passes it. Raises NotNative if the story cannot be written as such a test in the
    language.
    """
    rule = find_rule(verdict)
    if rule.races:
        raise NotNative("it needs several threads in a certain order, which an ordinary test cannot force")
    if find_wrong(verdict.story) is None or not all(map(_is_known, verdict.story)):
        raise NotNative("its story has steps that are not calls of a work queue")
    if rule.profile.any_value and language != "pytest":
        raise NotNative("its items are values of Python: use --export pytest")
    read = _read_value if rule.profile.any_value else str
    return Told(rule, verdict.case, list(_acts(verdict.story, read)))


def _read_value(text: str) -> Value:
    """Return the name of a value, in characters that are safe in a program.

    Raises NotNative if the text, which comes from a file, is no literal of Python.
    """
    try:
        return Value(ascii(ast.literal_eval(text)))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise NotNative("an item of its story is no value that a test can spell") from None


def _is_known(line: Line) -> bool:
    """Return True if a line of a story is no call, or a well-formed call that the model knows.

    It has to be checked, because the story comes from a file, which may contain anything.
    """
    return not line.op or (line.op in KNOWN and (line.item is not None) == OPS[line.op].takes_item)


@dataclass
class _Begun:
    number: int
    line: Line


def _acts(lines: Sequence[Line], read: Callable[[str], str]) -> Iterator[Act]:
    """Yield the calls and checks of a test; ``read`` makes an item's name of its text in a line."""
    state, waiting, begun = State(), list[_Begun](), 0
    for line in lines:
        op = OPS.get(line.op)
        item = None if line.item is None else read(line.item)
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
            state = _advance(state, line.op, item)
            yield Act("call", line.op, item)
        if line.expected:
            break
    for it in waiting:
        returned, state = _try_to_return(it, state)
        if returned is not None:
            yield returned


def _try_to_return(begun: _Begun, state: State) -> tuple[Act | None, State]:
    """If a waiting call returns in this state, return a check of that, and the model's next state.

    If the call still waits in the model, return None and the same state.
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
    """Return the module and the object to import for a target; two empty texts for a driver."""
    module, colon, name = target.partition(":")
    called = name if colon else "work_queue"
    named = all(map(_is_name, [*module.split("."), *called.split(".")]))
    return (module, called) if named and not is_driver(target) else ("", "")


def _is_name(word: str) -> bool:
    """Return True if the word is a Python name that Python reads as exactly this name.

    So it is no keyword, and Unicode normalization does not change it.
    """
    return word.isidentifier() and not keyword.iskeyword(word) and unicodedata.is_normalized("NFKC", word)
