"""How many mutants of upstream's own code are found: by upstream's own tests, and by the rules."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from pages import Lines, Unsaid
from pages.words import folded

MODULES = {
    "client-go": "`k8s.io/client-go/util/workqueue`",
    "kube-proxy": "`k8s.io/kubernetes/pkg/proxy`",
    "endpointslice": "`k8s.io/endpointslice/util`",
}
"""What is mutated, by the name of its results."""


@dataclass(frozen=True)
class Mutant:
    """One small change to upstream's code, and who has noticed."""

    number: int
    where: str
    change: str
    upstream: str
    """By which of upstream's tests; empty if by none."""
    stingy: str
    """By which rule; empty if by none."""
    equivalent: str
    """Why nobody could notice; empty if somebody could."""
    unseen: str
    """Why no rule asks about it; empty if one does."""
    seconds: tuple[float, float]


def section(folder: Path) -> Lines:
    """The tables and lists, of a folder with ``results`` and ``missed.toml``."""
    told = {name: mutants(folder, name) for name in MODULES}
    yield "| mutants of | live | equivalent | found by both | by stingy alone | by upstream's tests alone | by neither |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for name, all_ in told.items():
        live = [it for it in all_ if not it.equivalent]
        counts = [sum(bool(it.stingy) == s and bool(it.upstream) == u for it in live) for s, u in _PARTS]
        yield f"| {MODULES[name]} | {len(live)} | {len(all_) - len(live)} | {' | '.join(map(str, counts))} |"
    yield ""
    everyone = [it for all_ in told.values() for it in all_]
    live = [it for it in everyone if not it.equivalent]
    yield (
        f"Of {len(live)} live ones, upstream's own tests find {_share(live, 'upstream')}, stingy {_share(live, 'stingy')}; "
        f"of the {sum(not it.upstream for it in live)} that upstream's tests do not find, "
        f"stingy finds {_share([it for it in live if not it.upstream], 'stingy')}. "
        f"In the middle a mutant takes upstream's tests {_middle(it.seconds[0] for it in everyone):.1f} s, their compiler's "
        f"time with it, and stingy {_middle(it.seconds[1] for it in everyone):.1f} s until the first rule is broken.\n"
    )
    yield from folded("note", "Not found by any rule", _missed(told, "unseen"))
    yield from folded("note", "Found by stingy alone", _alone(told))
    yield from folded("note", "Equivalent: nobody could notice", _missed(told, "equivalent"))


_PARTS = ((True, True), (True, False), (False, True), (False, False))
"""Whether stingy, and whether upstream's tests find it."""


def mutants(folder: Path, name: str) -> Sequence[Mutant]:
    """Those that compile; what is missed without the race detector counts as found if it is found with it."""
    missed = tomllib.loads((folder / "missed.toml").read_text(encoding="utf-8")).get(name, {})
    raced = {line["id"]: line for line in _lines(folder / "results" / f"{name}-race.jsonl")}
    lines = [line for line in _lines(folder / "results" / f"{name}.jsonl") if "stillborn" not in line]
    found = [_mutant(line, raced.get(line["id"], line), missed) for line in lines]
    for it in found:
        if bool(it.stingy) == bool(it.equivalent or it.unseen):
            raise Unsaid(
                f"{name}: mutant {it.number}, {it.where}, is found and said to be missed, or missed and nothing said"
            )
    return found


def _mutant(line: Mapping[str, Any], raced: Mapping[str, Any], missed: Mapping[str, Any]) -> Mutant:
    def how(by: str) -> str:
        judged = next((each[by] for each in (line, raced) if each[by]["red"]), None)
        return (judged["how"] or "fails") if judged else ""

    def why(kind: str) -> str:
        return next((it["because"] for it in missed.get(kind, ()) if line["id"] in it["mutants"]), "")

    return Mutant(
        line["id"],
        f"{line['file']}:{line['line']}, {line['function']}",
        f"{line['operator']}: `{line['was']}`" + (f" → `{line['now']}`" if line["now"] else ""),
        how("upstream"),
        how("stingy"),
        why("equivalent"),
        why("unseen"),
        (line["upstream"]["seconds"], line["stingy"]["seconds"]),
    )


def _missed(told: Mapping[str, Sequence[Mutant]], kind: str) -> Lines:
    because: dict[str, list[Mutant]] = {}
    for all_ in told.values():
        for it in all_:
            if reason := getattr(it, kind):
                because.setdefault(reason, []).append(it)
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
