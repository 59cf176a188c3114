"""Whatever a slip of the pen makes of the reference is found by the rules alone, unless nobody could tell."""

import subprocess
import sys
from importlib import import_module

import pytest

from slips import slips
from stingy.guarantees import all_rules
from stingy.verdict import Exit, Finding

SEED = 1

MODULES = ("limiters", "delaying", "workqueue", "controller")

SLIPS = {
    (module, name): source
    for module in MODULES
    for name, source in slips(import_module(f"stingy_reference.{module}")).items()
}
NUMBERS = {slip: number for number, slip in enumerate(SLIPS)}

ONE_MORE = "a doubling too many is cut to the longest wait"
NAMES = "it is the name of a thread"
ALONE = "the clerk alone waits for it"
LEFT = "after a shutdown nobody looks at it"
LEGAL = "only a Done of what nobody holds comes there, which no caller may make"
SET = "a drain sets it before anybody reads it"

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
    ): "what is due at this instant is due at the next, and the clerk looks again at once",
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
    ("controller", "Controller.__init__: `1` and one"): "the number of workers is always given",
    ("controller", "Controller.__init__: `number + 1` with another sign"): NAMES,
    ("controller", "Controller.__init__: `1` and one "): NAMES,
    ("controller", "Controller.__init__: `True` is the other one"): "what is stopped leaves no thread",
}
"""Why nobody could tell it from the reference."""

UNASKED = {
    (
        "delaying",
        "DelayingQueue.add_after: `True` is the other one",
    ): "whether a program can end that has not shut its queue down: no call tells",
    (
        "delaying",
        "DelayingQueue._stop: without `self._sooner.notify()`",
    ): "whether the clerk goes home at a shutdown, or sleeps on: no call tells",
    ("workqueue", "WorkQueue._stop: `self._idle.notify_all` is `notify`"): "a ShutDown ends one drain of two",
    ("controller", "Controller._succeeded: `0` and one"): "to be called again within a second",
}
"""What no rule asks for."""

EXCUSED = EQUIVALENT | UNASKED

SPINNING = dict.fromkeys(
    ("delaying", f"DelayingQueue.{name}")
    for name in (
        "_wait_for_due: without `self._sooner.wait(self._heap[0][0] - monotonic() if self._heap else None)`",
        "_wait_for_due: `0` and one",
        "_take_due: without `while self._heap and self._heap[0][0] <= now:`",
    )
)
"""A clerk that never rests."""


def rules_of(module):
    """Those about what the module makes: what takes one run comes first, and then the tables of races.

    In which orders a plain queue's calls may meet is asked of ``mutants``: no slip needs it to be found.
    """
    made = vars(import_module(f"stingy_reference.{module}"))
    makes = {
        name for name, it in made.items() if getattr(it, "__module__", "") == f"stingy_reference.{module}"
    }
    rules = (
        rule
        for rule in all_rules().values()
        if {rule.profile.protocol, rule.profile.maker} & makes
        and not rule.profile.cancels
        and rule.guarantee != "interleavings"
    )
    return sorted(rules, key=lambda rule: (rule.races, bool(rule.for_all)))


@pytest.fixture
def found(first_objection):
    """Which rule finds a slip first, if any does."""
    return lambda slip: first_objection(
        f"slip_{NUMBERS[slip]}", SLIPS[slip], rules_of(slip[0]), _objects, SEED
    )


def _objects(verdict):
    """The reference offers all of these profiles: what cannot be made any more is a slip, too."""
    return verdict.verdict in (Finding.FAIL, Finding.ERROR, Finding.NOT_OFFERED)


@pytest.mark.thorough
@pytest.mark.parametrize("slip", [slip for slip in SLIPS if slip not in EXCUSED | SPINNING], ids=": ".join)
def test_a_slip_is_found(slip, found):
    assert found(slip)


@pytest.mark.thorough
@pytest.mark.timeout(60)
@pytest.mark.parametrize("slip", SPINNING, ids=": ".join)
def test_a_slip_that_spins_cannot_be_passed(slip, tmp_path):
    """In a process of its own, for such a thread cannot be ended. It is broken or, where time would have to pass, undecided."""
    (tmp_path / "spins.py").write_text(SLIPS[slip])
    command = [sys.executable, "-m", "stingy", "run", "spins", "--rule", "delays/an-empty-item-can-wait"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode in (Exit.DOES_NOT, Exit.INCONCLUSIVE), done.stdout + done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("slip", EXCUSED, ids=": ".join)
def test_what_nobody_could_tell_from_the_reference_is_not_accused(slip, found):
    assert found(slip) is None


def test_whatever_is_excused_is_still_made():
    assert EXCUSED.keys() | SPINNING.keys() <= SLIPS.keys()
