"""The JSON report, schema 2: all results. Everything was judged only if its ``status`` is ``complete``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TextIO, TypeVar

import msgspec

from stingy.contract.kubernetes import NEWEST
from stingy.contract.testimony import throughout
from stingy.judging.verdict import Finding, Status, Verdict
from stingy.language.order import parse_order
from stingy.process.signature import sign
from stingy.process.snapshot import NEVER, Snapshot
from stingy.reports import Report, ReportError, Standard

SCHEMA = 2
READ = (1, SCHEMA)
"""Schemas that can be read. Schema 1 has ``complete`` in place of ``status``."""

ENDED = (Status.COMPLETE, Status.LIMITED)
"""Status of a run that tried all requested rules, even if a limit ended some of them."""

SELDOM = ("hint", "fault", "exercised", "behind", "allowing", "limit", "unseen")
"""Fields of a verdict that the report leaves out if they are empty."""


@dataclass(frozen=True)
class Broken:
    """The broken rules of a report, with all that is needed to judge them again."""

    target: str
    kubernetes: str
    seed: int
    strict: bool
    """True if a broken SHOULD counted as a failure."""
    signature: str
    verdicts: Sequence[Verdict]


def read(path: Path, *, enough: Collection[Status] = ENDED) -> Document:
    """Read a JSON report from the file ``path``. Raises ReportError if it cannot be used.

    ``enough``: the statuses that a run may have ended with. Reports recorded in ``candidates/``,
    which are shorter, can be read too.
    """
    return read_as(Document, path, enough=enough)


def read_as(form: type[_Form], path: Path, *, enough: Collection[Status] = ENDED) -> _Form:
    """Read a JSON report as ``form``, a subclass of Document with more fields.

    Raises ReportError.
    """
    try:
        report = msgspec.json.decode(path.read_bytes(), type=form)
        for row in report.results:
            _check_order(row.order)
    except OSError as error:
        raise ReportError(f"{path} cannot be read: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise ReportError(f"{path} is not a report of --report json: {error}") from None
    if report.schema not in READ:
        raise ReportError(
            f"{path} is a report of schema {report.schema}, but this version of stingy reads {_enumerate(READ)}"
        )
    if not report.complete and report.status not in enough:
        raise ReportError(f"{path} is the report of an incomplete run: let a run finish and use its report")
    return report


def read_broken(path: Path) -> Broken:
    """Read a JSON report; return its broken rules. Raises ReportError if it cannot be replayed."""
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
    """Raise ValueError unless the text is the token of an order, as in ``TURNS`` or ``7#TURNS``.

    The number before ``#`` is that of the small program that was run.
    """
    number, hash_, turns = order.rpartition("#")
    if hash_:
        int(number)
    if turns:
        parse_order(turns)


class Suite(msgspec.Struct):
    version: str = ""


class Judged(msgspec.Struct):
    """The candidate of a report."""

    target: str
    name: str = ""
    version: str = ""
    kubernetes: str = ""
    """Kubernetes version whose behaviour the rules expected."""


class Document(msgspec.Struct):
    """A JSON report."""

    schema: int
    candidate: Judged
    seed: Annotated[int, msgspec.Meta(ge=0)]
    results: list[Verdict]
    suite: Suite = msgspec.field(default_factory=Suite)
    summary: dict[str, int | bool | dict[str, int | bool]] = {}
    """Summary of the run.

    ``exit``: the exit status; ``strict``: whether a broken SHOULD counts in it; ``held_against``:
    the exit status by each standard. Then the number of results by verdict, and the transitions of
    the model that were exercised.
    """
    status: Status | None = None
    """How the run ended."""
    fault: str = ""
    """The error that the suite crashed with; empty if it did not."""
    unjudged: list[str] = []
    """Rules, and rows of tables, that were requested but not judged."""
    signature: str = ""
    """Signature by which the user of the run can recognize the report later."""
    made: Snapshot = NEVER
    """Day and commit of a report that is recorded in the repository; empty for any other."""
    complete: bool = False
    """Only in schema 1, in place of ``status``: true if everything was judged."""


_Form = TypeVar("_Form", bound=Document)


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
