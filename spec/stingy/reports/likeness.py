"""Likeness: the known fault that fails, and answers, exactly as a candidate does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from stingy.judging.verdict import Evidence, Finding, Verdict
from stingy.reports.faults import Failures, Fault, failures, record

Case = tuple[str, str]
"""A rule's id, and the name of a row of its table; the name is empty for a rule without a table."""


def find_fault(
    failed: Sequence[Verdict], verdicts: Iterable[Verdict], faults: Iterable[Fault] | None = None
) -> Fault | None:
    """Return the known fault that explains the failures ``failed``; None if none or several do.

    ``verdicts``: all verdicts of the run. ``faults``: the known faults; None for those on record.
    The stories of races do not count, as one fault has many of them.
    """
    failed = [it.by_itself for it in failed]
    told = {(it.rule, it.case) for it in failed if it.story and it.evidence is Evidence.DETERMINISTIC}
    kept = {(it.rule, it.case) for it in verdicts if it.by_itself.verdict is Finding.PASS}
    if faults is None:
        faults = record().by_rule.get(failed[0].rule, ()) if failed else ()
    return find_equal(failures(failed), told, kept, faults)


def find_equal(
    failed: Failures, told: Iterable[Case], kept: Iterable[Case], faults: Iterable[Fault]
) -> Fault | None:
    """Return the only known fault that breaks all cases of ``failed`` and no case of ``kept``.

    In each case of ``told``, its story has to be the same: the same calls got the same answers.
    None if ``told`` is empty, or if several faults break and keep these cases, whatever their stories.
    """
    ours, told, kept = _by_case(failed), set(told), set(kept)
    alike = [fault for fault in faults if _fits(_by_case(fault.failures), ours, kept)]
    if len(alike) != 1 or not told:
        return None
    theirs = _by_case(alike[0].failures)
    return alike[0] if all(theirs[case] == ours[case] for case in told) else None


def _fits(theirs: Mapping[Case, str], ours: Mapping[Case, str], kept: set[Case]) -> bool:
    """Return True if a fault breaks all cases of ``ours``, and none of ``kept``."""
    return ours.keys() <= theirs.keys() and kept.isdisjoint(theirs)


def _by_case(found: Failures) -> Mapping[Case, str]:
    return {(rule, case): seen for rule, cases in found.items() for case, seen in cases.items()}
