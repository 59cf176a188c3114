"""The check whether a candidate has replaced a function of the suite or of Python."""

import builtins
import locale
import os
import signal
import sys
from types import ModuleType

import pytest

from stingy.judging.isolation import inside
from stingy.judging.isolation.fitness import Contents, Fitness

SOURCE = """
from functools import partial

def one(): return 1
def other(): return 2
class Box:
    def open(self): pass
    @staticmethod
    def close(): pass
    @property
    def size(self): return 0
"""


class Equal:
    """It is equal to everything."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


@pytest.fixture
def module(monkeypatch):
    made = ModuleType("its_module")
    exec(SOURCE, vars(made))
    monkeypatch.setitem(sys.modules, "its_module", made)
    return made


@pytest.fixture
def contents(module):
    return Contents(sys, module)


def test_a_module_left_alone_has_nothing_replaced(module, contents):
    module.later = module.one
    module.Box.later = 1
    assert (contents.find_replaced(), contents.find_hidden()) == ("", "")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("it.one = it.other", "its_module.one"),
        ("it.partial = it.one", "its_module.partial"),
        ("del it.one", "its_module.one"),
        ("it.one.__code__ = it.other.__code__", "its_module.one"),
        ("it.Box.open = it.one", "its_module.Box.open"),
        ("it.Box.open.__code__ = (lambda self: 1).__code__", "its_module.Box.open"),
        ("it.Box.close = it.one", "its_module.Box.close"),
        ("it.Box.size = 1", "its_module.Box.size"),
        ("del it.Box.size", "its_module.Box.size"),
        ("it.Box = object", "its_module.Box"),
        ("it.one = equal", "its_module.one"),
        ("del sys.modules['its_module']", "its_module"),
    ],
)
def test_a_change_is_named(module, contents, change, says):
    exec(change, {"it": module, "sys": sys, "equal": Equal()})
    assert contents.find_replaced() == f"replaced {says}"


def test_a_name_that_hides_a_builtin_is_named(module, contents):
    module.len = module.one
    assert contents.find_hidden() == "replaced len"


def test_what_was_replaced_is_put_back(module, contents):
    one, size = module.one, module.Box.size
    module.one = module.other
    del module.Box.size
    contents.put_back()
    assert contents.find_replaced() == ""
    assert (module.one, module.Box.size) == (one, size)


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (os, "umask"),
        (os, "getcwd"),
        (os, "waitid"),
        (locale, "setlocale"),
        (signal, "getsignal"),
        (sys, "_current_frames"),
        (sys, "getswitchinterval"),
        (sys, "modules"),
    ],
)
def test_a_function_that_the_check_itself_calls_is_named_if_it_is_replaced(monkeypatch, owner, name):
    fitness = Fitness()
    with monkeypatch.context() as candidate:
        candidate.setattr(owner, name, None)
        found = fitness.find_changed()
    assert found == f"replaced {owner.__name__}.{name}"


@pytest.mark.parametrize("name", ["all", "dict", "filter", "len", "map", "next", "zip"])
def test_a_builtin_that_the_check_itself_calls_is_named_if_it_is_replaced(name):
    fitness, original = Fitness(), getattr(builtins, name)
    try:  # not by monkeypatch, which needs some of these itself
        setattr(builtins, name, None)
        found = fitness.find_changed(), fitness.find_taken()
    finally:
        setattr(builtins, name, original)
    assert found == ("", f"replaced builtins.{name}")


@pytest.mark.parametrize("environ", [None, {}, 1])
def test_an_environment_that_was_replaced_is_a_changed_one(monkeypatch, environ):
    fitness = Fitness()
    with monkeypatch.context() as candidate:
        candidate.setattr(os, "environ", environ)
        found = fitness.find_changed()
    assert found == "changed the environment"


def test_a_handler_of_a_signal_that_cannot_be_compared_is_a_changed_one():
    class Handler:
        def __call__(self, *_):
            pass

        def __eq__(self, _):
            raise ValueError

        __hash__ = None

    fitness = Fitness()
    before = signal.signal(signal.SIGUSR2, Handler())
    try:
        assert fitness.find_changed() == "changed the handlers of signals"
    finally:
        signal.signal(signal.SIGUSR2, before)


def test_a_function_that_looking_at_a_candidate_needs_is_put_back_if_its_import_replaces_it(
    monkeypatch, tmp_path
):
    (tmp_path / "takes_stat.py").write_text(
        "import os\nfrom stingy_reference import WorkQueue\nos.stat = None\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(os, "stat", stat := os.stat)  # put back at the end of the test
    candidate = inside._locate("takes_stat:WorkQueue", 1, Fitness(), timed=False)
    assert (candidate.name, os.stat) == ("WorkQueue", stat)
    candidate.close()
