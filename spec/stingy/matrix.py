"""Real implementations, built and judged anew, and held against what was recorded of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from stingy.building import Site
from stingy.guarantees import all_rules
from stingy.implementations import Implementation
from stingy.recorded import keep
from stingy.reports.json import Document
from stingy.verdict import Finding, Verdict, worst


def judge_implementation(it: Implementation, folder: Path) -> Path:
    """Build it and judge it; the report, which lies in this folder. BuildError if that cannot be done."""
    site = Site(it.name, it.folder, it.card.environment)
    site.build(it.card.build)
    return site.judge(it.card.target, (), folder / f"{it.name}.json")


def record(it: Implementation, path: Path) -> None:
    """Put what was found into the place of what is recorded."""
    keep(msgspec.json.decode(path.read_bytes()), it.result)


def differences(recorded: Document, found: Document) -> Iterator[str]:
    """What is not as it was recorded, a sentence each; which of its races a broken rule loses is a matter of luck."""
    if recorded.candidate.version != found.candidate.version:
        yield f"recorded of {recorded.candidate.version or 'no version'}, and this is {found.candidate.version}"
    before, now = _verdicts(recorded.results), _verdicts(found.results)
    for id_ in dict.fromkeys([*before, *now]):
        was, is_ = before.get(id_, Finding.NOT_OFFERED), now.get(id_, Finding.NOT_OFFERED)
        if was is not is_:
            yield f"{id_}: recorded {was}, found {is_}"


def _verdicts(results: Sequence[Verdict]) -> Mapping[str, Finding]:
    """By id; of a rule about races, by its own."""
    rules = all_rules()
    rows: dict[str, list[Verdict]] = {}
    for verdict in results:
        races = verdict.rule in rules and rules[verdict.rule].races
        rows.setdefault(verdict.rule if races else verdict.id, []).append(verdict)
    return {id_: worst(verdicts) for id_, verdicts in rows.items()}
