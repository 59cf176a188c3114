"""The rules find every common mistake in the reference, in its locking and in single lines.

Mistakes that no call can show are excused: ``mistakes.toml`` lists them, with the reason.
"""

import ast
import inspect
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from mutants import mutants
from objections import Search, cases_of, script_of
from slips import slips

from stingy.guarantees import all_rules
from stingy.judging.verdict import Exit, Finding
from stingy_reference import WorkQueue

SEED = 1
TOLD = tomllib.loads((Path(__file__).parent / "mistakes.toml").read_text())
EXCUSED = {of: [it for names in reasons.values() for it in names] for of, reasons in TOLD["excused"].items()}
SPINNING, UNJUDGED, RARELY_FOUND = TOLD["spinning"], TOLD["unjudged"], TOLD["rarely_found"]

LOCKING = "locking"
METHODS = (
    *("__init__", "add", "get", "done", "__len__", "shut_down", "shut_down_with_drain", "shutting_down"),
    *("_enqueue", "_stop"),
)
PROFILES = ("queue", "drain", "hook", "metrics")
"""Profiles that judge mistakes in the locking."""
GUARANTEES = {
    "limiters": ("backoff", "bucket", "combination", "defaults"),
    "workqueue": (
        *("handing_out", "fair", "stingy", "once_more", "workers", "length", "shutdown", "drain"),
        *("hooks", "metrics"),
    ),
    "delaying": ("delays", "deadlines", "abandonment", "rate_limiting", "metrics"),
    "metrics": ("metrics",),
    "controller": ("controller", "outcomes", "requeueing", "stopping"),
    "priority": (
        *("priority", "readiness", "priority_shutdown", "priority_races"),
        *("handing_out", "shutdown", "rate_limiting"),
    ),
}
"""Guarantees that each module of the reference has to keep.

No slip needs those about the order of a plain queue's calls.
"""
APPENDED = {
    "metrics": """
from stingy_reference import delaying, workqueue


class Measured:
    def __init__(self, *, metrics=None, name=""):
        super().__init__()
        self._metrics = metrics_of(metrics, name)


class WorkQueue(Measured, workqueue.WorkQueue):
    pass


class DelayingQueue(Measured, delaying.DelayingQueue):
    pass
""",
    "priority": """
WorkQueue = RateLimitingQueue = PriorityQueue
""",
}
"""Code added to a module that has no candidates, or lacks some of the profiles that judge it."""
SHARES = [*((LOCKING, f"{method}: ") for method in METHODS), *((module, "") for module in GUARANTEES)]
"""Groups of mistakes by the beginning of their names; each group is one test, for xdist."""


@cache
def mistakes(of):
    """Return the source of each mistake, by its name."""
    if of == LOCKING:
        return mutants(WorkQueue)
    found = slips(import_module(f"stingy_reference.{of}"))
    return {name: source + APPENDED.get(of, "") for name, source in found.items()}


def search(of):
    """Return a search for an objection.

    A module of the reference offers all that its rules need; a WorkQueue does not.
    """
    objections = OBJECTIONS if of == LOCKING else (*OBJECTIONS, Finding.NOT_OFFERED)
    return Search(cases_of(rules_of(of), SEED), lambda verdict: verdict.verdict in objections)


def rules_of(of):
    """Return the rules about a module's candidates, quick ones first, those with drawn examples last."""
    rules = all_rules().values()
    if of == LOCKING:
        found = [rule for rule in rules if rule.profile.name in PROFILES]
    else:
        source = inspect.getsource(import_module(f"stingy_reference.{of}")) + APPENDED.get(of, "")
        makes = set(_defined(source))
        found = [
            rule
            for rule in rules
            if rule.guarantee in GUARANTEES[of]
            and {rule.profile.protocol, rule.profile.maker} & makes
            and rule.profile.name != "cancel"
        ]
    return sorted(found, key=lambda rule: (bool(rule.for_all), rule.races, rule.guarantee != "interleavings"))


def _defined(source):
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets)


OBJECTIONS = (Finding.FAIL, Finding.ERROR)
"""Findings that count as objections. ERROR is one: a thread spins, and no thread of the reference does.

Real threads are not tried.
"""


@pytest.mark.budget(80)
@pytest.mark.parametrize(("of", "begins"), SHARES)
def test_every_mistake_is_found(of, begins):
    excused = {*EXCUSED[of], *SPINNING.get(of, ()), *UNJUDGED.get(of, ())}
    made = {name: source for name, source in mistakes(of).items() if name.startswith(begins)}
    assert made
    rules = search(of)
    likely = {name: tuple(rule_and_row) for name, rule_and_row in RARELY_FOUND.items()}
    found = {
        name: rules.first_objection(script_of(source), likely.get(name, ("", "")))
        for name, source in made.items()
        if name not in excused
    }
    assert [name for name, case in found.items() if case is None] == []


@pytest.mark.budget(40)
@pytest.mark.parametrize(
    ("of", "begins"), [it for it in SHARES if any(name.startswith(it[1]) for name in EXCUSED[it[0]])]
)
def test_an_excused_mistake_is_not_accused(of, begins):
    """Every rule judges it, with one order of each race: all orders would take 20 CPU-s a mistake.

    The panel of sound candidates searches for false accusations that need a rare order.
    """
    rules, accused = search(of), {}
    for name in EXCUSED[of]:
        if name.startswith(begins) and (
            objections := rules.objections_in_one_order(script_of(mistakes(of)[name]))
        ):
            accused[name] = [case.name for case in objections]
    assert accused == {}


@pytest.mark.parametrize("name", SPINNING["delaying"], ids=["waits", "takes"])
def test_a_mistake_that_spins_does_not_pass(name, stingy, tmp_path):
    """The verdict is FAIL or, if time would have to pass, undecided.

    The thread cannot be ended, so the mistake is judged in a separate process.
    """
    (tmp_path / "spins.py").write_text(mistakes("delaying")[name])
    done = stingy("run", "spins", "--rule", "delays/an-empty-item-can-wait", cpu_s=80)
    assert done.returncode in (Exit.DOES_NOT, Exit.INCONCLUSIVE), done.stdout + done.stderr


def test_every_mistake_that_is_listed_is_still_made():
    listed = [(LOCKING, name) for name in RARELY_FOUND]
    listed += [(of, name) for part in (EXCUSED, SPINNING, UNJUDGED) for of in part for name in part[of]]
    assert [(of, name) for of, name in listed if name not in mistakes(of)] == []
    assert len(mistakes(LOCKING)) >= 130
    assert {name.partition(":")[0] for name in mistakes(LOCKING)} == {*METHODS}
