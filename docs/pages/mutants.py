"""Tables of the mutants of upstream's code, and of what finds each: upstream's tests, or the rules.

A mutant is upstream's code with one small change.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from lab.recorded import read
from pages import Lines, Unsaid
from pages.words import fold

MODULES = {
    "client-go": "`k8s.io/client-go/util/workqueue`",
    "kube-proxy": "`k8s.io/kubernetes/pkg/proxy`",
    "endpointslice": "`k8s.io/endpointslice/util`",
}
"""The Go packages that are mutated, by the name of the files with their results."""


UNJUDGED: Mapping[str, Any] = {"red": False, "seconds": 0}
"""Result of a mutant that has not been judged yet. It counts as not found."""


@dataclass(frozen=True)
class Mutant:
    """A mutant: one small change to upstream's code, and the test and the rule that find it."""

    number: int
    where: str
    """File, line and function."""
    change: str
    """Operator, code before and code after."""
    upstream: str
    """The test of upstream that finds it; empty if none does."""
    stingy: str
    """The rule that finds it; empty if none does."""
    kind: str
    """Why no rule finds the mutant, as one of these words; empty if a rule finds it.

    - ``equivalent``: it behaves as the original.
    - ``beside``: it changes only behaviour that the rules are not about.
    - ``unseen``: a rule could find it, but none does.
    - ``error``: stingy cannot judge it, and reports an ERROR.
    """
    because: str
    """Explanation of ``kind``; empty if a rule finds the mutant."""
    seconds: tuple[float, float]
    """Seconds that upstream's tests take, and that stingy takes until the first broken rule."""


def section(folder: Path) -> Lines:
    """Yield Markdown on all mutants of upstream: tables and lists, from the files in ``folder``."""
    told = {name: mutants(folder, name) for name in MODULES}
    yield "| of | equivalent | beside the matter | to be found | by both | by stingy alone | by upstream's tests alone | by neither |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|"
    for name, all_ in told.items():
        live = _live(all_)
        counts = [sum(bool(it.stingy) == s and bool(it.upstream) == u for it in live) for s, u in _PARTS]
        others = [sum(it.kind == kind for it in all_) for kind in ("equivalent", "beside")]
        yield f"| {MODULES[name]} | {' | '.join(map(str, [*others, len(live), *counts]))} |"
    yield ""
    everyone = [it for all_ in told.values() for it in all_]
    live = _live(everyone)
    yield (
        f"Of {len(live)} that can be found, upstream's own tests find {_share(live, 'upstream')}, stingy {_share(live, 'stingy')}; "
        f"of the {sum(not it.upstream for it in live)} that upstream's tests do not find, "
        f"stingy finds {_share([it for it in live if not it.upstream], 'stingy')}. "
        f"{sum(it.kind == 'error' for it in live)} of those that stingy finds break no rule, but cannot be judged in full. "
        f"In the middle a mutant takes upstream's tests {_middle(it.seconds[0] for it in everyone):.1f} s, their compiler's "
        f"time with it, and stingy {_middle(it.seconds[1] for it in everyone if it.seconds[1]):.1f} s until the first rule is broken.\n"
    )
    yield from fold("note", "Not found by any rule", _list_missed(told, "unseen"))
    yield from fold("note", "Found by an error only, and by no rule", _list_missed(told, "error"))
    yield from fold("note", "Found by stingy alone", _alone(told))
    yield from fold("note", "Equivalent: nobody could notice", _list_missed(told, "equivalent"))
    yield from fold("note", "Beside the matter", _list_missed(told, "beside"))


def find_unbroken(folder: Path, candidates: Path) -> Mapping[str, Sequence[str]]:
    """Return, for each module of upstream, the rules that judged it and that no mutant breaks.

    Rules that a mutant of another module breaks are left out as well.
    """
    broken = {
        rule
        for name in MODULES
        for line in _lines(folder / "results" / f"{name}.jsonl")
        for rule in line.get("stingy", {}).get("broken", ())
    }
    return {name: [rule for rule in judged(candidates, name) if rule not in broken] for name in MODULES}


def judged(candidates: Path, name: str) -> Sequence[str]:
    """Return the ids of the rules by which a module of upstream was judged through its driver."""
    return list(dict.fromkeys(row.rule for row in read(candidates / name / "result.json").results))


_PARTS = ((True, True), (True, False), (False, True), (False, False))
"""Columns of the first table, as pairs: does stingy find a mutant, do upstream's tests find it?"""


def _live(all_: Sequence[Mutant]) -> Sequence[Mutant]:
    return [it for it in all_ if it.kind not in ("equivalent", "beside")]


def mutants(folder: Path, name: str) -> Sequence[Mutant]:
    """Return the mutants of a module of upstream, without those that did not compile.

    A mutant counts as found if it is found without or with Go's race detector. Raises Unsaid if
    ``missed.toml`` contradicts the results.
    """
    missed = tomllib.loads((folder / "missed.toml").read_text(encoding="utf-8")).get(name, {})
    raced = {line["id"]: line for line in _lines(folder / "results" / f"{name}-race.jsonl")}
    lines = [line for line in _lines(folder / "results" / f"{name}.jsonl") if "stillborn" not in line]
    found = [_mutant(line, raced.get(line["id"], line), missed) for line in lines]
    for it in found:
        if it.kind != _due(it):
            raise Unsaid(
                f"{name}: mutant {it.number}, {it.where}, is {it.stingy or 'missed'}, and said to be {it.kind or 'found'}"
            )
    return found


def _due(it: Mutant) -> str:
    """Return the kind that ``missed.toml`` should give to a mutant; empty if a rule finds the mutant.

    A mutant that only causes an ERROR is of the kind ``error``. If no rule finds the mutant, return
    the kind that it has now, or ``unseen`` if it has none.
    """
    if it.stingy:
        return "error" if it.stingy.startswith("ERROR") else ""
    return it.kind if it.kind in _MISSED else "unseen"


_MISSED = ("equivalent", "beside", "unseen")


def _mutant(line: Mapping[str, Any], raced: Mapping[str, Any], missed: Mapping[str, Any]) -> Mutant:
    def how(by: str) -> str:
        judged = next((each[by] for each in (line, raced) if each.get(by, UNJUDGED)["red"]), None)
        return (judged["how"] or "fails") if judged else ""

    kind, because = next(
        (
            (kind, it["because"])
            for kind, reasons in missed.items()
            for it in reasons
            if line["id"] in it["mutants"]
        ),
        ("", ""),
    )
    return Mutant(
        line["id"],
        f"{line['file']}:{line['line']}, {line['function']}",
        f"{line['operator']}: `{line['was']}`" + (f" → `{line['now']}`" if line["now"] else ""),
        how("upstream"),
        how("stingy"),
        kind,
        because,
        (line["upstream"]["seconds"], line.get("stingy", UNJUDGED)["seconds"]),
    )


def _list_missed(told: Mapping[str, Sequence[Mutant]], kind: str) -> Lines:
    because: dict[str, list[Mutant]] = {}
    for all_ in told.values():
        for it in all_:
            if it.kind == kind:
                because.setdefault(it.because, []).append(it)
    for reason, those in because.items():
        yield f"**{reason}**\n"
        for it in those:
            by = f" (found by {escape(it.upstream)})" if it.upstream else ""
            yield f"- {it.where}: {it.change}{by}"
        yield ""


def _alone(told: Mapping[str, Sequence[Mutant]]) -> Lines:
    for all_ in told.values():
        for it in all_:
            if it.stingy and not it.upstream:
                yield f"- {it.where}: {it.change} – {escape(it.stingy)}"
    yield ""


def _share(those: Sequence[Mutant], by: str) -> str:
    found = sum(bool(getattr(it, by)) for it in those)
    return f"{found} ({found / max(1, len(those)):.0%})"


def _middle(seconds: Iterable[float]) -> float:
    ordered = sorted(seconds)
    return ordered[len(ordered) // 2]


def _lines(path: Path) -> list[dict[str, Any]]:
    return (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    )
