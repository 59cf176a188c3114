"""Grade exercises of the kind ``catch``: the learner writes rules that must tell right from wrong.

The rules run against right and wrong candidates. Together they must accuse every wrong candidate
and no right one. A candidate is accused if any of the rules fails.

Each public function of the learner's file is a rule. As in the specification, the annotation of its
parameter says what it is handed, for example ``queue: Queue``. The annotation may be left out if
the parameter has a name of ``BY_NAME``.
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

from msgspec.structs import replace

from stingy.contract.sources import DOC
from stingy.contract.testimony import describe
from stingy.judging.trial import Judge
from stingy.judging.verdict import Evidence, Finding, Verdict
from stingy.language import Cluster, Clusters, Controllers, Queue, Tracker
from stingy.language.rule import Level, Rule
from stingy.language.session import CandidateError, NotOffered, Uncontrolled, Undecided
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
"""Annotation to assume for a parameter with one of these names, so that learners may omit it."""


class Attempted(Rule):
    """A rule that a learner has written. It belongs to no guarantee, and its level is MUST."""

    @property
    def guarantee(self) -> str:
        return "yours"

    @property
    def level(self) -> Level:
        return Level.MUST


def grade_rules(exercise: Exercise, attempt: Script, between: Callable[[], object]) -> Iterator[Verdict]:
    """Grade a learner's rules: yield a verdict for each candidate that they have to judge.

    Its id is ``accepts/NAME`` for a right candidate, and ``catches/NAME`` for a wrong one. Stops
    after the first ERROR. A wrong candidate that is accused counts only once all right ones are
    accepted: until then its verdict is BLOCKED. ``between`` is called after each judgement. Raises Unreadable if the file
    has no rules or unusable ones, or if the rules answer differently when repeated.
    """
    with module(attempt, Telling()) as written:
        verdicts = _try_each(_rules(written, attempt, exercise.card.most_rules), graders(exercise), between)
    accepts = True
    for id_, _ in graders(exercise):
        verdict = _read(id_, verdicts[id_])
        if id_.startswith("accepts/"):
            accepts &= verdict.verdict is Finding.PASS
        elif verdict.verdict is Finding.PASS and not accepts:
            verdict = _block(verdict)
        yield verdict
        if verdict.verdict is Finding.ERROR:
            return


def _try_each(
    rules: Sequence[Rule], candidates: Sequence[tuple[str, Script]], between: Callable[[], object]
) -> Mapping[str, Verdict]:
    """Run a learner's rules twice against each candidate; return the verdicts by the candidate's id.

    The order is random, and reversed in the second round, so that a rule cannot pass by counting
    the candidates. ``between`` is called after each judgement. Raises Unreadable if the two
    verdicts on a candidate differ.
    """
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
    """Return the candidates that an exercise's rules have to judge: an id and a script each.

    The id is ``accepts/NAME`` if the rules have to accept the candidate, ``catches/NAME`` if they
    have to accuse it.
    """
    words = {"right/": "accepts/", "wrong/": "catches/"}
    return [
        (f"{word}{name.removeprefix(kind).replace('_', '-')}", script)
        for kind, word in words.items()
        for name, script in exercise.scripts.items()
        if name.startswith(kind)
    ]


def _try(rules: Sequence[Rule], script: Script) -> Verdict:
    """Judge one candidate by all rules; return the first verdict that is not PASS, or else a PASS."""
    with candidate(script) as found:
        judge = Judge(found, SEED, {rule.id: rule for rule in rules})
        verdicts = [judge.verdict(rule) for rule in rules]
    return next((verdict for verdict in verdicts if verdict.verdict is not Finding.PASS), verdicts[0])


def _read(id_: str, verdict: Verdict) -> Verdict:
    """Turn a verdict on the candidate ``id_`` into a verdict on the learner's rules.

    It is PASS if the rules accept a right candidate or accuse a wrong one.
    """
    accused = verdict.verdict is Finding.FAIL
    finding, because = verdict.verdict, verdict.because
    if id_.startswith("catches/") and verdict.verdict in (Finding.PASS, Finding.FAIL):
        finding = Finding.PASS if accused else Finding.FAIL
        because = "" if accused else "all that you assert holds of it"
    return replace(
        verdict, rule=id_, verdict=finding, because=because, evidence=Evidence.NONE, source="", fault=False
    )


def _block(verdict: Verdict) -> Verdict:
    """Return a verdict on a wrong candidate that is accused while a right one is, too."""
    return replace(verdict, verdict=Finding.BLOCKED, because="a right one is accused, too", story=())


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
    """Wrap a learner's rule so that its failures and errors name the line of the learner's file."""

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
    """Adds a message to each ``assert`` that compares two values and has no message.

    The message reports the value on the left, as in ``it was 3`` for ``assert a == b``. Asserts
    with more than one comparison are left unchanged.
    """

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
    """Return the line of an assert statement without the assert's message, which is reported apart."""
    try:
        (statement,) = ast.parse(line).body
    except (SyntaxError, ValueError):
        return line  # perhaps one line of a longer assert
    if not isinstance(statement, ast.Assert):
        return line
    return f"assert {ast.get_source_segment(line, statement.test)}"
