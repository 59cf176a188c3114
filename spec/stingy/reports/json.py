"""The JSON report, schema 3: all results. Everything was judged only if its ``status`` is ``complete``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, TextIO, TypeVar

import msgspec

from stingy.contract.kubernetes import NEWEST
from stingy.contract.testimony import throughout
from stingy.judging.verdict import Finding, Status, Verdict
from stingy.language.account import Line
from stingy.language.allowance import Allowance
from stingy.language.order import parse_order
from stingy.process.reading import read_whole
from stingy.process.setting import UNKNOWN, Setting, find_commit, find_setting
from stingy.process.signature import sign
from stingy.process.snapshot import NEVER, Snapshot
from stingy.reports import NO_REPORTER, Report, Reporter, ReportError, Standard

SHOWN = (Finding.FAIL, Finding.KNOWN_FAIL, Finding.ERROR)
"""Findings whose rows have a story and a source."""

SCHEMA = 3
READ = (1, 2, SCHEMA)
"""Schemas that can be read.

Schema 1 has ``complete`` in place of ``status``. Schemas 1 and 2 have a row for each rule that is not
offered, and each row has all fields.
"""

ENDED = (Status.COMPLETE, Status.LIMITED)
"""Status of a run that tried all requested rules, even if a limit ended some of them."""


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
        report = msgspec.json.decode(read_whole(path), type=form)
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
    *others, last = map(str, numbers)
    return f"{', '.join(others)} and {last}"


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
    edition: str = ""
    """Edition whose rules were judged; empty for those of this version."""
    commit: str = ""
    """Commit of a suite that ran from a checkout, or was installed from one; empty if unknown."""


class NotOffered(msgspec.Struct, frozen=True):
    """Rules of one profile that the candidate does not offer for the same reason."""

    profile: str
    because: str
    rows: int = 0
    """Number of results that these rules, or the rows of their tables, would have had."""
    rules: tuple[str, ...] = ()
    """Ids of the rules; of a rule that is offered in part, ids of the rows that are not."""


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
    not_offered: list[NotOffered] = []
    """Rules that the candidate does not offer; schemas 1 and 2 list them in ``results``."""
    suite: Suite = msgspec.field(default_factory=Suite)
    began: Annotated[datetime, msgspec.Meta(tz=True)] | None = None
    """Time at which judging began, in UTC; None if unknown."""
    seconds: float = 0.0
    """Seconds of real time that judging took."""
    setting: Setting = UNKNOWN
    reporter: Reporter = NO_REPORTER
    """The organisation or person that ``stingy run --as`` names."""
    summary: dict[str, int | bool | list[str] | dict[str, int | bool]] = {}
    """Summary of the run.

    ``exit``: the exit status; ``strict``: whether a broken SHOULD counts in it; ``held_against``:
    the exit status by each standard. Then the number of results by verdict. ``ways``: how many ways
    an item can go through the queue, and how many of them items went; ``ways_left_out``: the others,
    each with the call before, where the item is then, and the call after.
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
        "suite": {
            "version": outcome.suite,
            "commit": find_commit(),
            **({"edition": outcome.request.edition} if outcome.request.edition else {}),
        },
        **({"reporter": asdict(outcome.reporter)} if outcome.reporter != NO_REPORTER else {}),
        "began": outcome.began.astimezone(UTC).replace(microsecond=0),
        "seconds": round(outcome.lasted, 1),
        "setting": asdict(find_setting()),
        "candidate": {
            "target": outcome.request.target,
            "name": outcome.name,
            "version": outcome.version,
            "kubernetes": outcome.kubernetes or NEWEST,
        },
        "seed": outcome.request.seed or 0,
        "results": [_row(verdict) for verdict in outcome.offered],
        "not_offered": [msgspec.to_builtins(group) for group in _not_offered(outcome.verdicts)],
        "summary": {
            "exit": int(outcome.exit),
            "strict": outcome.request.strict,
            "held_against": {str(it): int(outcome.held_against(it)) for it in Standard},
            **{finding.value: outcome.counts.get(finding, 0) for finding in Finding},
            "ways": {"all": len(outcome.ways), "gone": sum(outcome.ways.values())},
            "ways_left_out": [str(way) for way, gone in outcome.ways.items() if not gone],
        },
        "status": outcome.status,
        **({"fault": outcome.fault} if outcome.fault else {}),
        **({"unjudged": outcome.unjudged} if outcome.unjudged else {}),
        "signature": sign(outcome.request.target, Path.cwd()),
    }


def _row(verdict: Verdict) -> dict[str, Any]:
    """Return the fields of a verdict in the report: those that differ from their defaults.

    The ways are left out, as the summary has them. The story and the source are left out
    unless the rule is broken: ``stingy rules --json`` lists all sources.
    """
    left_out = {"went"} if verdict.verdict in SHOWN else {"went", "story", "source"}
    row = _without(msgspec.to_builtins(verdict), _OF_VERDICTS)
    if "story" in row:
        row["story"] = [_without(line, _OF_LINES) for line in row["story"]]
    if "allowing" in row:
        row["allowing"] = _without(row["allowing"], _OF_ALLOWANCES)
    return {name: value for name, value in row.items() if name not in left_out}


def _without(row: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in defaults or value != defaults[name]}


_OF_VERDICTS: Mapping[str, Any] = {
    it.name: msgspec.to_builtins(it.default)
    for it in msgspec.structs.fields(Verdict)
    if it.default is not msgspec.NODEFAULT
}
_OF_LINES, _OF_ALLOWANCES = (
    {it.name: it.default for it in fields(kind) if it.default is not MISSING} for kind in (Line, Allowance)
)


def _not_offered(verdicts: Sequence[Verdict]) -> Iterable[NotOffered]:
    """Return the rules that are not offered, by profile and reason."""
    offered = {it.rule for it in verdicts if it.verdict is not Finding.NOT_OFFERED}
    groups: dict[tuple[str, str], list[Verdict]] = {}
    for it in verdicts:
        if it.verdict is Finding.NOT_OFFERED:
            groups.setdefault((it.profile, it.because), []).append(it)
    for (profile, because), rows in groups.items():
        ids = dict.fromkeys(it.id if it.rule in offered else it.rule for it in rows)
        yield NotOffered(profile, because, len(rows), tuple(ids))
