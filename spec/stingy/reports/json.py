"""For programs: schema 2. Its ``status`` says how the run itself ended; only a complete one says all."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TextIO

import msgspec

from stingy.kubernetes import NEWEST
from stingy.language.order import parse_order
from stingy.reports import Report, ReportError, Standard
from stingy.signature import sign
from stingy.snapshot import NEVER, Snapshot
from stingy.testimony import throughout
from stingy.verdict import Finding, Status, Verdict

SCHEMA = 2
READ = (1, SCHEMA)
"""Schema 1 said ``complete`` where there is a ``status`` now."""

ENDED = (Status.COMPLETE, Status.LIMITED)
"""How a run has judged all that there was to judge."""

SELDOM = ("fault", "exercised", "behind", "allowing", "limit", "unseen")
"""Left out of a row where there is nothing to say."""


@dataclass(frozen=True)
class Broken:
    """What a report says was broken: enough to break it again."""

    target: str
    kubernetes: str
    seed: int
    strict: bool
    """True if SHOULDs counted."""
    signature: str
    verdicts: Sequence[Verdict]

    @property
    def by_case(self) -> Mapping[tuple[str, str], Verdict]:
        """By rule and case."""
        return {(verdict.rule, verdict.case): verdict for verdict in self.verdicts}


def read(path: Path, *, enough: Collection[Status] = ENDED) -> Document:
    """The report of a run that came to such an end, or what is kept of one; ReportError if the file is none."""
    try:
        report = msgspec.json.decode(path.read_bytes(), type=Document)
    except OSError as error:
        raise ReportError(f"{path} cannot be read: {error.strerror}") from None
        for row in report.results:
            _check_order(row.order)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise ReportError(f"{path} is not a report of --report json: {error}") from None
    if report.schema not in READ:
        raise ReportError(
            f"{path} is a report of schema {report.schema}; this stingy reads {_enumerate(READ)}"
        )
    if not report.complete and report.status not in enough:
        raise ReportError(
            f"{path} is of a run that was cut short: let it run to its end, and take that report"
        )
    return report


def read_broken(path: Path) -> Broken:
    """What it says was broken; ReportError if the file is none."""
    report = read(path, enough=(*ENDED, Status.STOPPED, Status.OUT_OF_TIME))
    return Broken(
        report.candidate.target,
        report.candidate.kubernetes,
        report.seed,
        bool(report.summary.get("strict")),
        report.signature,
        [row for row in report.results if row.verdict in (Finding.FAIL, Finding.KNOWN_FAIL)],
    )


def _enumerate(numbers: Sequence[int]) -> str:
    return " and ".join(map(str, numbers))


def _check_order(order: str) -> None:
    """ValueError if it is no order, with or without the number of the program that it is of."""
    number, hash_, turns = order.rpartition("#")
    if hash_:
        int(number)
    if turns:
        parse_order(turns)


class Suite(msgspec.Struct):
    version: str = ""


class Judged(msgspec.Struct):
    """The candidate."""

    target: str
    name: str = ""
    version: str = ""
    kubernetes: str = ""
    """Whose ways it was judged by."""


class Document(msgspec.Struct):
    """The whole document."""

    schema: int
    candidate: Judged
    seed: Annotated[int, msgspec.Meta(ge=0)]
    results: list[Verdict]
    suite: Suite = msgspec.field(default_factory=Suite)
    summary: dict[str, int | bool | dict[str, int | bool]] = {}
    """The exit status, and whether SHOULDs counted in it; what it is when the candidate is ``held_against`` either standard;
    how many results there are of each verdict; and which transitions of the model were exercised."""
    status: Status | None = None
    """How the run ended."""
    fault: str = ""
    """What the suite fell over, if it did."""
    unjudged: list[str] = []
    """The rules, and rows of their tables, that were asked for as well and not judged."""
    signature: str = ""
    """By which whoever ran it knows it for their own."""
    made: Snapshot = NEVER
    """When it was recorded, and of which commit of ours; a report that was not recorded does not say."""
    complete: bool = False
    """The same in schema 1, which knew no other end."""


def write(outcome: Report, out: TextIO) -> None:
    out.write(msgspec.json.format(msgspec.json.encode(throughout(_document(outcome))), indent=1).decode())
    out.write("\n")


def _document(outcome: Report) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "suite": {"version": outcome.suite},
        "candidate": {
            "target": outcome.target,
            "name": outcome.name,
            "version": outcome.version,
            "kubernetes": outcome.kubernetes or NEWEST,
        },
        "seed": outcome.seed,
        "results": [_row(verdict) for verdict in outcome.verdicts],
        "summary": {
            "exit": int(outcome.exit),
            "strict": outcome.strict,
            "held_against": {str(it): int(outcome.held_against(it)) for it in Standard},
            **{finding.value: outcome.counts.get(finding, 0) for finding in Finding},
            "transitions": outcome.transitions,
        },
        "status": outcome.status,
        **({"fault": outcome.fault} if outcome.fault else {}),
        **({"unjudged": outcome.unjudged} if outcome.unjudged else {}),
        "signature": sign(outcome.target, Path.cwd()),
    }


def _row(verdict: Verdict) -> dict[str, Any]:
    row: dict[str, Any] = msgspec.to_builtins(verdict)
    row["allowing"] = {name: value for name, value in row["allowing"].items() if value}
    return {name: value for name, value in row.items() if value or name not in SELDOM}
