"""Broken candidates whose faults only an order of threads shows."""

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Evidence, Finding
from stingy.reports.faults import record
from stingy.transport import locate
from stingy_broken import broken_candidates

SEED = 1
MODULES = ("races", "wakeups", "atomicity", "locking", "closing", "devices", "coroutines")


def family(cls):
    return cls.__module__.rpartition(".")[2]


def faults():
    """Return the broken candidates in the modules ``MODULES`` of stingy_broken, by name."""
    return {cls.__name__: cls for cls in broken_candidates() if family(cls) in MODULES}


def what_is_wrong(cls):
    """Judge a broken candidate twice by its own rule, then once more in the order in which it failed.

    Return what differs between the three failures; empty if nothing does.
    """
    rule = all_rules()[cls.about]
    found = next((it for it in verdicts(cls, rule) if it.verdict is Finding.FAIL), None)
    if found is None:
        return f"{rule.id} does not find it"
    if found.evidence not in (Evidence.SAMPLED, Evidence.DETERMINISTIC):
        return f"{found.id} finds it, but its evidence is {found.evidence}"
    row = next((row for row in rule.each if row.name == found.case), None)
    judge = fresh_judge(cls)
    again = judge.again(rule, row, "")
    if (again.id, again.story, again.order) != (found.id, found.story, found.order):
        return f"{found.id} tells it otherwise the second time"
    replayed = judge.again(rule, row, found.order)
    if (replayed.verdict, replayed.because) != (Finding.FAIL, found.because):
        return f"{found.id} does not find it again in the order {found.order!r}"
    return ""


def verdicts(cls, rule):
    """Yield the verdict on each row of a rule; rows that failed in the last snapshot come first."""
    known = record().of(family(cls), cls.__name__)
    failed = known.failures.get(rule.id, {}) if known else {}
    judge = fresh_judge(cls)
    for row in sorted(rule.cases, key=lambda row: (row.name if row else "") not in failed):
        yield judge.again(rule, row, "")


def fresh_judge(cls):
    return Judge(locate(f"{cls.__module__}:{cls.__name__}", SEED), SEED)
