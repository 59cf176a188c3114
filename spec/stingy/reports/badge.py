"""Badges for shields.io: a file for the whole run, or a folder with one per offered profile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TextIO

import msgspec

from stingy.contract.testimony import throughout
from stingy.judging.verdict import Exit, Finding, Status, Verdict, exit_code
from stingy.process.file import put
from stingy.reports import Report, Standard

COLOURS = {Exit.CONFORMS: "brightgreen", Exit.DOES_NOT: "red", Exit.INCONCLUSIVE: "yellow"}


def write(outcome: Report, out: TextIO) -> None:
    out.write(_badge("stingy", outcome.verdicts, outcome))


def write_into(outcome: Report, folder: Path) -> None:
    for profile, badge in dict(_badges(outcome)).items():
        put(folder / f"{profile}.json", badge)


def _badges(outcome: Report) -> Iterator[tuple[str, str]]:
    for profile, by_guarantee in outcome.by_profile.items():
        verdicts = list(chain.from_iterable(by_guarantee.values()))
        if any(verdict.verdict is not Finding.NOT_OFFERED for verdict in verdicts):
            yield profile, _badge(f"stingy: {profile}", verdicts, outcome)


def _badge(label: str, verdicts: Sequence[Verdict], outcome: Report) -> str:
    ended = outcome.status in (Status.COMPLETE, Status.LIMITED)
    status = exit_code(verdicts, strict=outcome.request.strict) if ended else Exit.INTERRUPTED
    firmest = next((it for it in reversed(Standard) if it.judge(verdicts) is Exit.CONFORMS), None)
    counts = Counter(verdict.verdict for verdict in verdicts)
    judged = len(verdicts) - counts[Finding.NOT_OFFERED]
    badge = {
        "schemaVersion": 1,
        "label": label,
        "message": f"{counts[Finding.PASS]} of {judged} kept{f', {firmest}' if firmest else ''}"
        if ended
        else "cut short",
        "color": "yellow" if status is Exit.CONFORMS and not firmest else COLOURS.get(status, "lightgrey"),
    }
    return msgspec.json.format(msgspec.json.encode(throughout(badge)), indent=1).decode() + "\n"
