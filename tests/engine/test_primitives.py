"""Locks under control have all that real ones have on this Python, and refuse what those refuse."""

import _thread
import copy
import inspect
import pickle
import threading
from types import SimpleNamespace

import pytest

from scheduling import did
from stingy.engine import patches, primitives
from stingy.engine.patches import patched
from stingy.engine.primitives import Condition, Lock, RLock
from stingy.engine.scheduler import LostControl
from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Evidence, Finding
from stingy.transport.inprocess import InProcess
from stingy_reference.workqueue import WorkQueue

REAL = {"lock": threading.Lock, "rlock": threading.RLock, "condition": threading.Condition}
OURS = {"lock": Lock, "rlock": RLock, "condition": Condition}
ANYTHING = [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]
OF_OBJECTS = set(dir(object()))


def signature(thing):
    """Return the parameters by which something is called; None if the interpreter does not tell."""
    try:
        asked = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return None
    by_place = inspect.Parameter.POSITIONAL_ONLY  # neither its name nor the object it defaults to matters
    return [
        ("", each.kind, each.default is each.empty)
        if each.kind is by_place
        else (each.name, each.kind, each.default)
        for each in asked
    ]


@pytest.mark.parametrize("kind", REAL)
def test_a_lock_under_control_has_every_attribute_of_a_real_one(world, kind):
    real = set(dir(REAL[kind]()))
    assert did(world, lambda: real - set(dir(OURS[kind]()))) == set()


@pytest.mark.parametrize("kind", REAL)
def test_methods_of_a_lock_under_control_take_what_those_of_a_real_one_take(world, kind):
    real, ours = REAL[kind](), did(world, OURS[kind])
    methods = [name for name in dir(real) if name not in OF_OBJECTS and callable(getattr(real, name))]
    known = {name: asked for name in methods if (asked := signature(getattr(real, name))) is not None}
    lenient = {"__exit__"}  # takes anything, under another name
    assert {name: signature(getattr(ours, name)) for name in known.keys() - lenient} == {
        name: asked for name, asked in known.items() if name not in lenient
    }


@pytest.mark.parametrize("kind", REAL)
def test_a_lock_under_control_is_an_instance_of_the_class_of_a_real_one(world, kind):
    ours = did(world, OURS[kind])
    assert isinstance(ours, type(REAL[kind]()))
    assert isinstance(ours, OURS[kind])


def test_a_subclass_of_a_lock_under_control_knows_its_own_class(world):
    class Counted(_thread.RLock):
        pass

    assert did(world, Counted).__class__ is Counted
    assert isinstance(did(world, Counted), Counted)


@pytest.mark.parametrize("kind", ["lock", "rlock"])
def test_a_lock_lacks_the_attributes_of_other_pythons(world, kind):
    real, ours = REAL[kind](), did(world, OURS[kind])
    for name in ("locked", "acquire_lock", "_recursion_count", "of_the_next_python"):
        assert hasattr(ours, name) == hasattr(real, name)


@pytest.mark.parametrize(
    "args", [(True, -2), (False, 1), (True, None), (True, "1"), (True, 1e300), (False, 0)]
)
@pytest.mark.parametrize("kind", REAL)
def test_a_lock_under_control_refuses_what_a_real_one_refuses(world, kind, args):
    def refusal(make):
        try:
            make().acquire(*args)
        except (TypeError, ValueError, OverflowError) as error:
            return type(error), str(error)
        return None

    real = refusal(REAL[kind])
    assert real is not None or args == (False, 0)
    assert did(world, lambda: refusal(OURS[kind])) == real


@pytest.mark.parametrize("kind", ["lock", "rlock"])
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_lock_under_control_can_be_copied_no_more_than_a_real_one(world, kind, copied):
    with pytest.raises(TypeError) as real:
        copied(REAL[kind]())
    with pytest.raises(TypeError) as ours:
        copied(did(world, OURS[kind]))
    assert str(ours.value) == str(real.value)


def test_an_rlock_counts_how_often_its_thread_has_acquired_it(world):
    def counted(lock):
        counts = [lock._recursion_count()]
        with lock, lock:
            counts.append(lock._recursion_count())
            state = lock._release_save()
            counts += [lock._recursion_count(), lock._is_owned()]
            lock._acquire_restore(state)
            counts += [lock._recursion_count(), lock._is_owned()]
        return [*counts, lock._recursion_count()]

    assert did(world, lambda: counted(RLock())) == counted(RLock()) == counted(REAL["rlock"]())


def test_a_release_of_an_rlock_that_was_not_acquired_is_refused(world):
    def refusal(lock):
        with pytest.raises(RuntimeError) as error:
            lock._release_save()
        return str(error.value)

    assert did(world, lambda: refusal(RLock())) == refusal(REAL["rlock"]())


def test_a_real_condition_waits_on_a_lock_under_control(world):
    """A library that was imported before the patches has the real class."""
    seen, condition = [], []

    def waiter():
        condition.append(REAL["condition"](threading.RLock()))
        with condition[0]:
            condition[0].wait()
            seen.append("woken")

    def notifier():
        with condition[0]:
            condition[0].notify()

    world.start("waiter", waiter)
    world.settle()
    assert seen == []
    world.start("notifier", notifier)
    world.settle()
    assert seen == ["woken"]


def test_a_replacement_takes_the_parameters_of_the_real_function():
    different = {}
    for place, name, new in patches._PATCHES:
        asked, given = signature(getattr(place, name)), signature(new)
        if isinstance(new, type | SimpleNamespace) or asked is None or given is None:
            continue
        own = isinstance(place, type)  # a method: how it calls the object itself is its own affair
        if given[own:] != asked[own:] and [kind for _, kind, _ in given[own:]] != ANYTHING:
            different[name] = asked, given
    assert different == {}


def test_control_ends_at_a_lock_attribute_of_a_later_python(world, monkeypatch):
    monkeypatch.setattr(RLock, "kind", type("rlock", (), {"of_the_next_python": lambda self: 3}))
    monkeypatch.setattr(RLock, "_make_real", lambda self: self.kind())
    with pytest.raises(LostControl, match="it uses of_the_next_python of a lock, which cannot be followed"):
        did(world, lambda: RLock().of_the_next_python())


@pytest.mark.parametrize("mistake", [AttributeError, NameError, KeyError, AssertionError])
def test_a_mistake_in_our_own_lock_is_not_held_against_a_candidate(monkeypatch, mistake):
    """With real threads, the same candidate keeps the rule."""

    def fails(self):
        raise mistake("of ours")

    class Queue(WorkQueue):
        def add(self, item):
            threading.RLock()._recursion_count()
            super().add(item)

    fails.__code__ = fails.__code__.replace(co_filename=primitives.__file__)
    monkeypatch.setattr(RLock, "_recursion_count", fails)
    rule = all_rules()["handing_out/an-added-item-is-handed-out"]
    verdict = Trial(InProcess(Queue)).judge(rule, None)
    assert (verdict.verdict, verdict.evidence) == (Finding.PASS, Evidence.TIMED)


def test_patches_leave_the_classes_of_real_locks():
    with patched():
        pass
    assert (threading.Lock, threading.RLock, threading.Condition) == tuple(REAL.values())
