"""The check whether a candidate has replaced a function of the suite or of Python."""

import sys
from types import ModuleType

import pytest

from stingy.judging.isolation.fitness import Contents

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
