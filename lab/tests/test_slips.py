"""The rules find every small mistake in the reference: another comparison, a missing statement, a number off by one.

A thread that spins counts as found: the reference has none. It is not judged with real threads, which would cost many seconds
of real waiting.
"""

import ast
import inspect
import subprocess
import sys
from functools import cache
from importlib import import_module

import pytest
from objections import Search, cases_of, script_of
from slips import slips

from stingy.guarantees import all_rules
from stingy.verdict import Exit, Finding

SEED = 1

JUDGED_BY = {
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
"""Modules of the reference, and the guarantees that each has to keep.

Those about the order of a plain queue's calls are left to ``test_mutants``: no slip needs them to be found.
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
"""Code after a module that has no candidates, or not of all the profiles it is judged in."""


ONE_MORE = "a doubling too many is cut to the longest wait"
NAMES = "it is the name of a thread"
NO_THREAD_LEFT = "what is shut down leaves no thread"
ALONE = "no more than one thread waits there"
LOOKS_AGAIN = "whoever is woken for nothing looks again, and waits on"
LEGAL = "only a Done of what nobody holds comes there, which no caller may make"
EITHER_WAY = "rate_limiting/whether-an-addratelimited-after-a-shutdown-is-a-failure has it either way"
LEFT = "after a shutdown nobody looks at it"
SET = "a drain sets it before anybody reads it"
NEXT_INSTANT = "what is due at this instant is due at the next, and the clerk looks again at once"
FREES = "it frees memory, and changes no answer"

EQUIVALENT = {
    ("limiters", "ExponentialRateLimiter.__init__: `0` and one"): ONE_MORE,
    ("limiters", "ExponentialRateLimiter.__init__: `1` and one"): ONE_MORE,
    (
        "delaying",
        (
            "DelayingQueue.add_after: `self._shutting_down or deadline >= self._deadlines.get(item, float('inf'))`"
            " without `self._shutting_down`"
        ),
    ): "after a shutdown there is no clerk, and Add refuses what is new",
    (
        "delaying",
        "DelayingQueue.add_after: `deadline >= self._deadlines.get(item, float('inf'))` compares otherwise",
    ): "of two entries for the same instant the second is out of date once the first has been taken",
    ("delaying", "DelayingQueue.add_after: `self._sooner.notify` is `notify_all`"): ALONE,
    ("delaying", "DelayingQueue._wait_for_due: without `return []`"): "the clerk goes home at None as well",
    (
        "delaying",
        "DelayingQueue._take_due: `self._heap[0][0] <= now` compares otherwise",
    ): NEXT_INSTANT,
    ("delaying", "DelayingQueue._stop: without `self._deadlines.clear()`"): LEFT,
    ("delaying", "DelayingQueue._stop: without `self._heap.clear()`"): LEFT,
    ("delaying", "DelayingQueue._stop: `self._sooner.notify` is `notify_all`"): ALONE,
    ("workqueue", "WorkQueue.__init__: without `self._draining = False`"): SET,
    ("workqueue", "WorkQueue.__init__: `False` is the other one "): SET,
    ("workqueue", "WorkQueue.done: without `if item not in self._processing:`"): LEGAL,
    ("workqueue", "WorkQueue.done: without `return`"): LEGAL,
    (
        "workqueue",
        "WorkQueue.done: `self._idle.notify_all` is `notify`",
    ): "of two drains one may return, as client-go's does: drain/whether-two-drains-both-return",
    (
        "workqueue",
        "WorkQueue._enqueue: `self._changed.notify` is `notify_all`",
    ): "whoever is woken for nothing looks again, and waits on",
    (
        "delaying",
        "DelayingQueue.add_after: `True` is the other one",
    ): "whether a program can end that has not shut its queue down: no call tells",
    (
        "delaying",
        "DelayingQueue._stop: without `self._sooner.notify()`",
    ): "whether the clerk goes home at a shutdown, or sleeps on: no call tells",
    ("workqueue", "WorkQueue._stop: `self._idle.notify_all` is `notify`"): "a ShutDown ends one drain of two",
    ("controller", "Controller.__init__: `1` and one"): "the number of workers is always given",
    ("controller", "Controller.__init__: `number + 1` with another sign"): NAMES,
    ("controller", "Controller.__init__: `1` and one "): NAMES,
    ("controller", "Controller.__init__: `True` is the other one"): "what is stopped leaves no thread",
    ("metrics", "QueueMetrics.__init__: `True` is the other one"): NO_THREAD_LEFT,
    (
        "metrics",
        "QueueMetrics.stop: without `self._changed.notify_all()`",
    ): "its thread goes home half a second later, and tells nothing",
    ("metrics", "QueueMetrics.stop: `self._changed.notify_all` is `notify`"): ALONE,
    ("priority", "UrgentFirst.add_with_opts: without `if self.shutting_down():`"): EITHER_WAY,
    ("priority", "UrgentFirst.add_with_opts: without `return`"): EITHER_WAY,
    ("priority", "UrgentFirst.done: without `if item not in self._processing:`"): LEGAL,
    ("priority", "UrgentFirst.done: without `return`"): LEGAL,
    (
        "priority",
        "UrgentFirst.done: `entry is not None and entry.ready` without `entry.ready`",
    ): "it is told of twice among what waits, and void the second time",
    (
        "priority",
        "UrgentFirst.get_with_priority: `0` and one",
    ): "beside the flag there is no item that could have a priority",
    (
        "priority",
        "UrgentFirst.shut_down: without `self._entries = {item: entry for item, entry in self._entries.items() if entry.ready}`",
    ): FREES,
    ("priority", "UrgentFirst.shut_down: without `self._waiting.clear()`"): FREES,
    (
        "priority",
        "UrgentFirst.shut_down: without `self._sooner.notify()`",
    ): "its thread is left behind, and does nothing",
    ("priority", "UrgentFirst.shut_down: `self._sooner.notify` is `notify_all`"): ALONE,
    (
        "priority",
        "UrgentFirst._make_ready: `self._waiting[0][0] <= now` compares otherwise",
    ): NEXT_INSTANT,
    ("priority", "UrgentFirst._line_up: `True` is the other one"): NO_THREAD_LEFT,
    ("priority", "UrgentFirst._line_up: `self._sooner.notify` is `notify_all`"): ALONE,
    ("priority", "UrgentFirst._line_up: `self._changed.notify` is `notify_all`"): LOOKS_AGAIN,
    ("priority", "UrgentFirst._record: without `if len(heap) > 2 * len(self._entries) + SLACK:`"): FREES,
    ("priority", "UrgentFirst._record: without `heap[:] = filter(self._stands, heap)`"): FREES,
    (
        "priority",
        "UrgentFirst._record: `len(heap) > 2 * len(self._entries) + SLACK` compares otherwise",
    ): FREES,
    ("priority", "UrgentFirst._record: `len(heap) > 2 * len(self._entries) + SLACK` is not so"): FREES,
    ("priority", "UrgentFirst._record: `2 * len(self._entries) + SLACK` with another sign"): FREES,
    ("priority", "UrgentFirst._record: `2 * len(self._entries)` with another sign"): FREES,
    ("priority", "UrgentFirst._record: `2` and one"): FREES,
}
"""Slips that no call can tell from the reference, and why."""

UNASKED = [
    ("priority", "UrgentFirst.add_all_with_opts: `0` and one"),
    ("priority", "UrgentFirst.add_all_with_opts: `False` is the other one"),
]
"""Slips in a default of Python's signature, for an option that the rules state in every call."""

SPINNING = dict.fromkeys(
    ("delaying", f"DelayingQueue.{name}")
    for name in (
        "_wait_for_due: without `self._sooner.wait(self._heap[0][0] - monotonic() if self._heap else None)`",
        "_take_due: without `while self._heap and self._heap[0][0] <= now:`",
    )
)
"""Slips that leave a clerk that never rests."""

POLLING = [
    ("delaying", "DelayingQueue._wait_for_due: `0` and one"),
    ("priority", "UrgentFirst._make_ready: `0` and one  "),
]
"""Slips that leave a clerk that looks without pause. Not judged: each takes from 80 to more than 300 CPU-s, for it looks ahead
of every instant that its numbers could mean."""


@cache
def slips_in(module):
    """Return the source of each slip in a module, by the name of the slip."""
    found = slips(import_module(f"stingy_reference.{module}"))
    return {name: source + APPENDED.get(module, "") for name, source in found.items()}


def listed(slips, module):
    return [name for where, name in slips if where == module]


def search(module):
    return Search(cases_of(rules_of(module), SEED), _objects)


def rules_of(module):
    """Return the rules about what the module makes: those that take one run come first."""
    makes = set(
        _defined(inspect.getsource(import_module(f"stingy_reference.{module}")) + APPENDED.get(module, ""))
    )
    rules = (
        rule
        for rule in all_rules().values()
        if rule.guarantee in JUDGED_BY[module] and {rule.profile.protocol, rule.profile.maker} & makes
    )
    return sorted(rules, key=lambda rule: (bool(rule.for_all), rule.races))


def _defined(source):
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets)


def _objects(verdict):
    """NOT_OFFERED is an objection: the reference offers all of these profiles."""
    return verdict.verdict in (Finding.FAIL, Finding.ERROR, Finding.NOT_OFFERED)


@pytest.mark.budget(80)
@pytest.mark.parametrize("module", JUDGED_BY)
def test_every_slip_is_found(module):
    findable = slips_in(module).keys() - listed([*EQUIVALENT, *UNASKED, *SPINNING, *POLLING], module)
    assert findable
    rules = search(module)
    sources = [(name, source) for name, source in slips_in(module).items() if name in findable]
    assert [name for name, source in sources if not rules.first_objection(script_of(source))] == []


@pytest.mark.budget(40)
@pytest.mark.parametrize("module", dict.fromkeys(module for module, _ in [*EQUIVALENT, *UNASKED]))
def test_an_equivalent_slip_is_not_accused(module):
    """By every rule, with one order of each race: all orders would take 20 CPU-s a slip.

    A false accusation that needs a rare order is looked for by the panel of sound candidates.
    """
    rules, accused = search(module), {}
    for name in listed([*EQUIVALENT, *UNASKED], module):
        if objections := rules.objections_in_one_order(script_of(slips_in(module)[name])):
            accused[name] = [case.name for case in objections]
    assert accused == {}


@pytest.mark.parametrize("slip", SPINNING, ids=["waits", "takes"])
def test_a_slip_that_spins_cannot_be_passed(slip, tmp_path):
    """It is broken or, where time would have to pass, undecided. It runs in its own process, for its thread cannot be ended."""
    module, name = slip
    (tmp_path / "spins.py").write_text(slips_in(module)[name])
    command = [sys.executable, "-m", "stingy", "run", "spins", "--rule", "delays/an-empty-item-can-wait"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode in (Exit.DOES_NOT, Exit.INCONCLUSIVE), done.stdout + done.stderr


def test_every_excused_slip_is_still_made():
    excused = [*EQUIVALENT, *UNASKED, *SPINNING, *POLLING]
    assert [(module, name) for module, name in excused if name not in slips_in(module)] == []
