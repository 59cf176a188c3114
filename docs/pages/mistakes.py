"""The section *How it is commonly lost*: broken candidates, their faults, and how each fails."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from functools import cache
from types import ModuleType
from typing import TypeVar

from pages import Lines, Unsaid, figure
from pages.broken import caught_by, caught_by_rule
from pages.playing import find_failure
from pages.words import anchor, broken_anchor, doc, fold, say
from stingy.guarantees import rules_of
from stingy.judging.verdict import Verdict
from stingy.language.rule import Level, Rule
from stingy_broken.edits import source_of

_Function = TypeVar("_Function", ast.FunctionDef, ast.AsyncFunctionDef)

SHOWN = 3
"""Maximum number of mistakes that a page shows."""
LONG = 14
"""A mistake with more changed lines than this is shown only if there are too few shorter ones."""
WHOLE = 99
"""Number of unchanged lines around a difference: enough to show the whole method."""


@dataclass(frozen=True)
class Mistake:
    broken: type
    rule: Rule
    verdict: Verdict


def section(guarantee: ModuleType) -> Lines:
    found = mistakes(guarantee)
    if not found:
        raise Unsaid(f"no broken candidate is caught by a rule of {guarantee.__name__}")
    for mistake in found:
        yield from _show(mistake)


def mistakes(guarantee: ModuleType) -> Sequence[Mistake]:
    """Choose up to ``SHOWN`` broken candidates for a guarantee's page, each caught by a different rule.

    Preferred are candidates that break a MUST, that few rules of other guarantees catch, and whose
    code differs in few lines from the reference.
    """
    rules = rules_of(guarantee)
    found: list[Mistake] = []
    for broken, rule in sorted(_find_caught(rules), key=lambda it: _distance(it[0], it[1], rules)):
        if any(rule is mistake.rule or broken is mistake.broken for mistake in found):
            continue
        verdict = find_failure(rule, broken)
        if verdict is not None and verdict.story:
            found.append(Mistake(broken, rule, verdict))
        if len(found) == SHOWN:
            break
    return sorted(found, key=lambda mistake: rules.index(mistake.rule))


def _find_caught(rules: Sequence[Rule]) -> Iterator[tuple[type, Rule]]:
    for rule in rules:
        for broken in caught_by_rule()[rule.id]:
            yield broken, rule


def _distance(broken: type, rule: Rule, rules: Sequence[Rule]) -> tuple[object, ...]:
    caught = caught_by(broken)
    here = sum(it.id in caught for it in rules)
    changed = sum(line[0] in "+-" for line in difference(broken))
    return (
        rule.level is not Level.MUST,
        rule.races or bool(rule.for_all),  # a rule with a fixed script has the shortest story
        changed > LONG,
        -here / len(caught),
        rules.index(rule),
        changed,
    )


def _show(mistake: Mistake) -> Lines:
    broken, rule, verdict = mistake.broken, mistake.rule, mistake.verdict
    lines, left_out = figure.read(verdict.story)
    yield f"**[`{broken.__name__}`](../broken.md#{broken_anchor(broken)})** – {doc(broken)}\n{{ .stingy-mistake }}\n"
    yield from fold("checked", "What is different in its code", ("```diff", *difference(broken), "```"))
    case = f" (*{verdict.case}*)" if verdict.case else ""
    yield f"It is caught by [{say(rule)}](#{anchor(rule)}){case}:\n"
    yield f'<div class="stingy-figure" data-search-exclude>\n{figure.table(lines, broken.__name__, left_out)}\n</div>\n'
    yield f'<p class="stingy-note">because <code>{figure.escape_html(verdict.because)}</code></p>\n'


# The difference of a candidate's class from the class it inherits from, without comments,
# docstrings and annotations.


@cache
def difference(broken: type) -> Sequence[str]:
    return tuple(_differences(broken, ""))


def _differences(cls: type, indent: str) -> Lines:
    for name, ours in _members(cls).items():
        yield from (f"{line[0]}{indent}{line[1:]}".rstrip() for line in _difference(cls, name, ours))


def _difference(cls: type, name: str, ours: ast.stmt) -> Lines:
    theirs = _find_inherited(cls, name)
    match ours:
        case ast.ClassDef():
            yield f" class {name}:"
            yield from _differences(vars(cls)[name], "    ")
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            whole = _inline(ours, theirs)
            yield from (
                _beside(whole) if f"super().{name}(" in ast.unparse(whole) else _compare(theirs, whole)
            )
        case _:
            yield from _compare(theirs, ours)


def _beside(ours: ast.stmt) -> Lines:
    """Yield the lines of a method, all marked as added, with its first line as context.

    Such a method calls the inherited one in between, so that the two cannot be compared.
    """
    first, *rest = ast.unparse(ours).splitlines()
    yield f" {first}"
    yield from (f"+{line}" for line in rest)


def _compare(theirs: ast.stmt | None, ours: ast.stmt) -> Lines:
    before = ast.unparse(theirs).splitlines() if theirs else []
    lines = unified_diff(before, ast.unparse(ours).splitlines(), n=WHOLE, lineterm="")
    yield from list(lines)[3:]


def _find_inherited(cls: type, name: str) -> ast.stmt | None:
    for base in cls.__mro__[1:]:
        if name in vars(base) and base.__module__.startswith("stingy_"):
            return _members(base).get(name)
    return None


@cache
def _members(cls: type) -> Mapping[str, ast.stmt]:
    """Return the methods, inner classes and assignments in the body of a class, by name."""
    outer = getattr(sys.modules[cls.__module__], cls.__qualname__.partition(".")[0])
    edited = source_of(outer)
    body = ast.parse(edited).body if edited else _module(cls.__module__)
    for name in cls.__qualname__.split("."):
        body = next(it.body for it in body if isinstance(it, ast.ClassDef) and it.name == name)
    return dict(_name_members(body))


@cache
def _module(name: str) -> Sequence[ast.stmt]:
    """Return the syntax trees of a module's statements.

    They are cached, because ``inspect.getsource`` of a class parses the whole module each time.
    """
    return ast.parse(inspect.getsource(sys.modules[name])).body


def _name_members(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
    for statement in body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield statement.name, _Bare().visit(statement)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name, statement


class _Bare(ast.NodeTransformer):
    """Removes annotations and docstrings from the syntax tree of a class."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return self._strip(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        return self._strip(node)

    def _strip(self, node: _Function) -> _Function:
        self.generic_visit(node)
        node.returns = None
        node.body = [it for it in node.body if not _is_words(it)] or [ast.Pass()]
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is None:
            return node
        return ast.copy_location(ast.Assign([node.target], node.value), node)


def _is_words(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _inline(ours: ast.FunctionDef | ast.AsyncFunctionDef, theirs: ast.stmt | None) -> ast.stmt:
    """Return the method ``ours`` with plain calls of ``super()`` replaced by the body of ``theirs``.

    A call is replaced only if it is a statement of its own and passes on the unchanged arguments,
    and if an early return of the inherited method could not skip statements after it.
    """
    if not isinstance(theirs, ast.FunctionDef | ast.AsyncFunctionDef):
        return ours
    body: list[ast.stmt] = []
    for n, statement in enumerate(ours.body):
        last = n == len(ours.body) - 1
        whole = _is_super(statement, ours) and (last or not _leaves_early(theirs))
        body += theirs.body if whole else [statement]
    copy = type(ours)(**{field: getattr(ours, field) for field in ours._fields})
    copy.body = body
    return ast.fix_missing_locations(copy)


def _is_super(statement: ast.stmt, method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return True if the statement is ``super().method(…)`` with the method's own arguments."""
    if not isinstance(statement, ast.Expr | ast.Return) or statement.value is None:
        return False
    arguments = ", ".join(it.arg for it in method.args.args[1:])
    call = f"super().{method.name}({arguments})"
    return ast.unparse(statement.value).removeprefix("await ") == call


def _leaves_early(method: ast.stmt) -> bool:
    return any(isinstance(it, ast.Return) for it in ast.walk(method))
