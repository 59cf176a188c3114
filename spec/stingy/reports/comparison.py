"""The comparison of two JSON reports: rules that got worse or better, and what may explain it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import groupby

from stingy.contract.testimony import NAME, VALUE, in_a_line
from stingy.guarantees import all_rules
from stingy.judging.verdict import Finding, Status, Verdict, rule_of, worst
from stingy.reports.json import ENDED, Document
from stingy.reports.markdown import code, escape_markdown
from stingy.reports.story import count

COMPARED = (*ENDED, Status.STOPPED, Status.OUT_OF_TIME)
"""Statuses of runs whose reports can be compared: those that neither a signal nor a crash ended."""

NOT_JUDGED = "not judged"
"""State of a rule that was requested but not judged, as ``--fail-fast`` or ``--time`` ended the run."""
UNKNOWN = "not in the report"
"""State of a rule that a report does not mention."""

ALIKE = ({Finding.BLOCKED, Finding.INCONCLUSIVE, NOT_JUDGED}, {UNKNOWN, NOT_JUDGED, Finding.NOT_OFFERED})
"""Sets of states; a change between two states of one set is not shown."""

FEW = 5
"""Most names of rows that are shown of one rule."""
SHOWN = 20
"""Most rules of one kind that the Markdown shows: nobody reads more."""


class Kind(Enum):
    """A kind of change. The value is its title, for the headline and for its list."""

    BROKEN = "newly broken"
    ERROR = "newly in error"
    UNDECIDED = "not judged any more"
    WITHDRAWN = "no longer offered"
    ALTERED = "broken instead of in error"
    MENDED = "mended"
    DECIDED = "newly judged"
    OFFERED = "newly offered"
    ADDED = "only in the new report"
    REMOVED = "only in the old report"

    @property
    def note(self) -> str:
        """Explanation of the title; empty if it needs none."""
        return _NOTES.get(self, "")


_NOTES: Mapping[Kind, str] = {
    Kind.ADDED: "new in the suite, or not requested before",
    Kind.REMOVED: "gone from the suite, or not requested now",
}


@dataclass(frozen=True)
class Change:
    """A rule whose state changed in the same way for some rows of its table, or for all."""

    kind: Kind
    rule: str
    was: str
    """State in the old report: a finding, ``NOT_JUDGED`` or ``UNKNOWN``."""
    is_: str
    """State in the new report, in the same words."""
    rows: tuple[str, ...] = ()
    """Names of the rows; empty for a rule without a table, or if all rows count as one."""
    because: str = ""
    """Reason for the new state; empty for a rule that is kept or not mentioned."""

    @property
    def states(self) -> str:
        """The old and the new state, or only the one that is known."""
        return " → ".join(state for state in (self.was, self.is_) if state != UNKNOWN)

    @property
    def is_worse(self) -> bool:
        """True for a rule newly broken or in error, or a PASS that became anything but a PASS.

        A rule that only one report mentions is not worse: there is nothing to compare it with.
        """
        if self.kind in (Kind.BROKEN, Kind.ERROR):
            return True
        return self.was == Finding.PASS and self.kind in (Kind.UNDECIDED, Kind.WITHDRAWN)


@dataclass(frozen=True)
class Comparison:
    """The comparison of an old and a new report on a candidate, or on two candidates."""

    old: Document
    new: Document

    @property
    def headline(self) -> str:
        """One sentence with the number of rules of each kind, as in ``2 rules newly broken, 1 mended``."""
        counts = [(len({it.rule for it in those}), kind.value) for kind, those in self.by_kind.items()]
        if not counts:
            return "No rule has changed"
        (number, title), *others = counts
        first = f"{count(number, 'rule')} {title}"
        return ", ".join([first, *(f"{more:,} {other}" for more, other in others)])

    @property
    def is_worse(self) -> bool:
        return any(change.is_worse for change in self.changes)

    @property
    def by_kind(self) -> Mapping[Kind, Sequence[Change]]:
        """The changes by kind, worst kinds first; kinds without changes are left out."""
        found = {kind: [it for it in self.changes if it.kind is kind] for kind in Kind}
        return {kind: those for kind, those in found.items() if those}

    @property
    def differences(self) -> Mapping[str, tuple[str, str]]:
        """Circumstances that differ, and may explain changes: the values in the old and the new report.

        A circumstance that one report does not name is left out.
        """
        old, new = _circumstances(self.old), _circumstances(self.new)
        both = (name for name in old if old[name] and new[name])
        return {name: (old[name], new[name]) for name in both if old[name] != new[name]}

    @cached_property
    def changes(self) -> Sequence[Change]:
        """The changes, rule by rule in the order of the reports; rows that changed alike are joined."""
        old, new = _States(self.old), _States(self.new)
        ids = dict.fromkeys([*old.verdicts, *new.verdicts])
        found = [change for id_ in ids if (change := _compare(id_, old, new))]
        place = {rule: number for number, rule in enumerate(dict.fromkeys(it.rule for it in found))}
        found.sort(key=lambda it: (place[it.rule], it.was, it.is_))
        groups = groupby(found, key=lambda it: (it.rule, it.was, it.is_))
        return [_join(list(group)) for _, group in groups]


def as_text(comparison: Comparison) -> Iterator[str]:
    """Yield the lines of the comparison for a terminal."""
    yield comparison.headline
    for name, (old, new) in comparison.differences.items():
        yield f"  {name}: {in_a_line(old, VALUE)} → {in_a_line(new, VALUE)}"
    for kind, changes in comparison.by_kind.items():
        yield ""
        yield _title(kind)
        for it in changes:
            yield f"  {it.states}  {in_a_line(it.rule)}{_name_rows(it.rows)}"
            if it.because:
                yield f"      {in_a_line(it.because, VALUE)}"


def as_markdown(comparison: Comparison) -> Iterator[str]:
    """Yield the lines of the comparison in Markdown, for a pull request or the summary of a job."""
    yield f"### {comparison.headline}"
    yield ""
    yield f"{code(comparison.new.candidate.target)}, compared with an earlier report"
    if differ := comparison.differences:
        yield ""
        yield "| | old | new |"
        yield "|---|---|---|"
        for name, (old, new) in differ.items():
            yield f"| {name} | {escape_markdown(in_a_line(old, VALUE))} | {escape_markdown(in_a_line(new, VALUE))} |"
    for kind, changes in comparison.by_kind.items():
        yield ""
        yield f"**{_title(kind)}**"
        yield ""
        for it in changes[:SHOWN]:
            why = f": {code(in_a_line(it.because, VALUE))}" if it.because else ""
            yield f"- {it.states} {code(f'{it.rule}{_name_rows(it.rows)}')}{why}"
        if changes[SHOWN:]:
            yield f"- and {len(changes) - SHOWN:,} more"


def _title(kind: Kind) -> str:
    return f"{kind.value} ({kind.note})" if kind.note else kind.value


def _name_rows(rows: Sequence[str]) -> str:
    """Return text that names rows of a table, to follow the rule's id; empty without rows."""
    more = f" and {len(rows) - FEW:,} more" if len(rows) > FEW else ""
    return f" ({', '.join(in_a_line(row, NAME) for row in rows[:FEW])}{more})" if rows else ""


def _circumstances(report: Document) -> Mapping[str, str]:
    """Return the circumstances of a run, by name; a value is empty if unknown."""
    setting = report.setting
    return {
        "began": str(report.began or ""),
        "target": report.candidate.target,
        "candidate": f"{report.candidate.name} {report.candidate.version}".strip(" "),
        "Kubernetes": report.candidate.kubernetes,
        "suite": report.suite.version,
        "commit of the suite": report.suite.commit,
        "seed": str(report.seed),
        "status": str(report.status or Status.COMPLETE),
        "Python": f"{setting.implementation} {setting.python}".strip(" "),
        "system": setting.system,
    }


def group_races(verdicts: Iterable[Verdict]) -> Mapping[str, Sequence[Verdict]]:
    """Return the verdicts by the id under which they are compared with those of another run.

    It is the id of the row, or for a race the id of the rule: which races of a broken rule fail
    depends on the seed, so all of them count as one row.
    """
    rows: dict[str, list[Verdict]] = {}
    for it in verdicts:
        rows.setdefault(_id(it.rule, it.id), []).append(it)
    return rows


class _States:
    """The state of each rule, or row of its table, in a report."""

    def __init__(self, report: Document) -> None:
        self.verdicts = group_races(it.by_itself for it in report.results)
        self._unjudged = {_id(rule_of(id_), id_) for id_ in report.unjudged}
        self._not_offered = {id_: group.because for group in report.not_offered for id_ in group.rules}

    def of(self, id_: str) -> str:
        if id_ in self.verdicts:
            return worst(self.verdicts[id_])
        if id_ in self._unjudged:
            return NOT_JUDGED
        return UNKNOWN if self._why_not_offered(id_) is None else Finding.NOT_OFFERED

    def because(self, id_: str) -> str:
        """Return the reason for the state; empty for a rule that is kept."""
        state = self.of(id_)
        if state == Finding.PASS:
            return ""
        reasons = (it.because for it in self.verdicts.get(id_, ()) if it.verdict == state)
        return next(reasons, self._why_not_offered(id_) or "")

    def _why_not_offered(self, id_: str) -> str | None:
        return self._not_offered.get(id_, self._not_offered.get(rule_of(id_)))


def _id(rule: str, id_: str) -> str:
    known = all_rules().get(rule)
    return rule if known and known.races else id_


def _compare(id_: str, old: _States, new: _States) -> Change | None:
    """Return the change of this rule or row between two reports; None if it is the same in both."""
    was, is_ = old.of(id_), new.of(id_)
    kind = _kind(was, is_)
    if kind is None:
        return None
    verdict = (new.verdicts.get(id_) or old.verdicts[id_])[0]
    rows = (verdict.case,) if id_ != verdict.rule else ()
    return Change(kind, verdict.rule, was, is_, rows, new.because(id_))


def _kind(was: str, is_: str) -> Kind | None:
    """Return the kind of change between two states; None if it is none that matters."""
    if was == is_ or any({was, is_} <= alike for alike in ALIKE):
        return None
    if UNKNOWN in (was, is_):
        return Kind.ADDED if was == UNKNOWN else Kind.REMOVED
    if is_ == Finding.FAIL:
        return Kind.ALTERED if was == Finding.ERROR else Kind.BROKEN
    if is_ == Finding.ERROR:
        return Kind.ERROR
    if Finding.NOT_OFFERED in (was, is_):
        return Kind.OFFERED if was == Finding.NOT_OFFERED else Kind.WITHDRAWN
    if is_ != Finding.PASS:
        return Kind.UNDECIDED
    return Kind.MENDED if was in (Finding.FAIL, Finding.ERROR) else Kind.DECIDED


def _join(changes: Sequence[Change]) -> Change:
    """Return one change for rows of a rule that changed alike, with the first reason."""
    first = changes[0]
    rows: Iterable[str] = (row for it in changes for row in it.rows)
    return Change(first.kind, first.rule, first.was, first.is_, tuple(rows), first.because)
