"""Catch the bug: the learner writes rules, and they are graded by candidates that are right and candidates that are wrong.

A rule here is any public function of the learner's file that asks for its stage by the annotation of its parameter, as
the rules of the specification do; the name will do where it is one of those that learners are given. One that sees nothing accepts what is wrong, one that asks for too much accuses
what is right; neither will do. What any of them accuses is accused.
"""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import SystemRandom
from types import ModuleType
from typing import Any

from stingy.language import Cluster, Clusters, Controllers, Queue, Tracker
from stingy.language.rule import Level, Rule
from stingy.language.session import CandidateError, NotOffered, Uncontrolled, Undecided
from stingy.sources import DOC
from stingy.testimony import describe
from stingy.trial import Judge
from stingy.verdict import Evidence, Finding, Verdict
from stingy_kata import SEED
from stingy_kata.aside import Ended, judge_aside
from stingy_kata.exercise import Exercise
from stingy_kata.importing import Unreadable, candidate, line_of, module
from stingy_kata.script import Script

BY_NAME: Mapping[str, Any] = {
    "queue": Queue,
    "controllers": Controllers,
    "cluster": Cluster,
    "clusters": Clusters,
    "tracker": Tracker,
}
"""What a parameter of this name asks for: learners may leave its annotation out."""


class Attempted(Rule):
    """A learner's rule: its sentence is its own affair."""

    @property
    def guarantee(self) -> str:
        return "yours"

    @property
    def level(self) -> Level:
        return Level.MUST


def grade_rules(exercise: Exercise, attempt: Script, between: Callable[[], object]) -> Iterator[Verdict]:
    """A verdict for each right candidate, ``accepts/…``, and for each wrong one, ``catches/…``."""
    with module(attempt, Telling()) as written:
        verdicts = _try_each(_rules(written, attempt, exercise.card.most_rules), graders(exercise), between)
    for id_, _ in graders(exercise):
        yield _read(id_, verdicts[id_])
        if verdicts[id_].verdict is Finding.ERROR:
            return


def _try_each(
    rules: Sequence[Rule], candidates: Sequence[tuple[str, Script]], between: Callable[[], object]
) -> Mapping[str, Verdict]:
    """What the rules say of each candidate, twice: whose answer depends on how many came before is found out."""
    there = list(candidates)
    SystemRandom().shuffle(there)
    found: dict[str, Verdict] = {}
    for id_, script in (*there, *reversed(there)):
        try:
            verdict = judge_aside(functools.partial(_try, rules, script))
        except Ended:
            raise Unreadable("it ends the process that grades it: is there an os._exit?") from None
        between()
        if found.setdefault(id_, verdict).verdict is not verdict.verdict:
            raise Unreadable(
                "your rules gave two different verdicts on the same candidate: a verdict must depend only on what the "
                "candidate does, and on nothing that the rules remember"
            )
    return found


def graders(exercise: Exercise) -> Sequence[tuple[str, Script]]:
    """What a rule is graded by: what is to be done with each candidate, and its script."""
    words = {"right/": "accepts/", "wrong/": "catches/"}
    return [
        (f"{word}{name.removeprefix(kind).replace('_', '-')}", script)
        for kind, word in words.items()
        for name, script in exercise.scripts.items()
        if name.startswith(kind)
    ]


def _try(rules: Sequence[Rule], script: Script) -> Verdict:
    """What the first of the rules says that has something to say."""
    with candidate(script) as found:
        judge = Judge(found, SEED, {rule.id: rule for rule in rules})
        verdicts = [judge.verdict(rule) for rule in rules]
    return next((verdict for verdict in verdicts if verdict.verdict is not Finding.PASS), verdicts[0])


def _read(id_: str, verdict: Verdict) -> Verdict:
    """The verdict on a candidate, as one on the learner's rule."""
    import msgspec

    accused = verdict.verdict is Finding.FAIL
    finding, because = verdict.verdict, verdict.because
    if id_.startswith("catches/") and verdict.verdict in (Finding.PASS, Finding.FAIL):
        finding = Finding.PASS if accused else Finding.FAIL
        because = "" if accused else "all that you assert holds of it"
    return msgspec.structs.replace(
        verdict, rule=id_, verdict=finding, because=because, evidence=Evidence.NONE, source="", fault=False
    )


def _rules(written: ModuleType, script: Script, most: int | None) -> Sequence[Rule]:
    found = [
        thing
        for name, thing in vars(written).items()
        if inspect.isfunction(thing) and thing.__module__ == written.__name__ and not name.startswith("_")
    ]
    if not found:
        raise Unreadable(
            "there is no rule in it: write a function that asserts something, with the same parameter as the rule that you were given"
        )
    if most is not None and len(found) > most:
        raise Unreadable(
            f"there are {len(found)} rules in it, but at most {most} are allowed: begin the name of a helper function "
            "with an underscore"
        )
    return [_read_rule(function, script) for function in found]


def _read_rule(function: Callable[..., Any], script: Script) -> Rule:
    function.__annotations__ = {**function.__annotations__, **BY_NAME}
    rule = Attempted(_explain_asserts(function, script), (DOC["Stingy"],))
    try:
        _ = rule.asks
    except TypeError:
        line, parameters = function.__code__.co_firstlineno, ", ".join(inspect.signature(function).parameters)
        raise Unreadable(
            f"line {line}: {function.__name__}({parameters}) is not a rule: annotate its parameter with what it asks for, "
            f"as in {function.__name__}(queue: Queue), or begin the name of a helper function with an underscore"
        ) from None
    return rule


def _explain_asserts(function: Callable[..., Any], script: Script) -> Callable[..., Any]:
    """The function, with what it asserts told by the line."""

    @functools.wraps(function)
    def check(**given: Any) -> Any:
        try:
            return function(**given)
        except AssertionError as broken:
            raise AssertionError(_because(broken, script)) from broken
        except (NotOffered, Undecided, CandidateError, Uncontrolled):
            raise
        except (Exception, SystemExit) as error:
            raise CandidateError(f"{line_of(error, script)} of your rule raises {describe(error)}") from error

    return check


class Telling(ast.NodeTransformer):
    """Has each comparison that is asserted say what was there instead, where it has no words of its own."""

    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        match node:
            case ast.Assert(test=ast.Compare(ops=[_]) as test, msg=None):
                told = ast.parse('f"it was {_it_was!r}"', mode="eval").body
                test.left = ast.NamedExpr(ast.Name("_it_was", ast.Store()), test.left)
                return ast.copy_location(ast.Assert(test, told), node)
        return node


def _because(broken: AssertionError, script: Script) -> str:
    frames = traceback.extract_tb(broken.__traceback__)
    numbers = [it.lineno for it in frames if it.filename == script.path]
    line = linecache.getline(script.path, numbers[-1] or 0).strip() if numbers else ""
    said = str(broken).strip().partition("\n")[0]
    asserted = f"line {numbers[-1]}: {_without_message(line)}" if numbers else ""
    return ": ".join(filter(None, (asserted, said)))


def _without_message(line: str) -> str:
    """An assert, but for the words that it has for when it fails: these are told themselves."""
    try:
        (statement,) = ast.parse(line).body
    except (SyntaxError, ValueError):
        return line  # part of an assert of several lines, perhaps
    if not isinstance(statement, ast.Assert):
        return line
    return f"assert {ast.get_source_segment(line, statement.test)}"
