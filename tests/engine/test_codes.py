"""All code of a candidate is found, also if its objects were frozen, so that the collector lists none of them."""

import gc

import pytest

from stingy.engine import codes
from stingy.engine.codes import codes_in
from stingy.engine.patches import patched


@pytest.fixture(autouse=True)
def unfrozen(monkeypatch):
    monkeypatch.setattr(codes, "_frozen", [])
    monkeypatch.setattr(codes, "_by_file", {})
    yield
    gc.unfreeze()


@pytest.fixture
def file(tmp_path):
    """Name of a file of which no other test has defined a function."""
    return str(tmp_path / "mine.py")


def define(file, *names):
    """Return functions of a file."""
    space = {}
    exec(compile("\n".join(f"def {name}(): return lambda: 1" for name in names), file, "exec"), space)
    return [space[name] for name in names]


def found(file):
    return sorted(code.co_name for code in codes_in(frozenset({file})))


def freeze_as_a_candidate_does():
    with patched():
        gc.freeze()


@pytest.mark.parametrize("freeze", [lambda: None, gc.freeze, codes.freeze, freeze_as_a_candidate_does])
def test_each_code_is_found_once_whoever_has_frozen_it(file, freeze):
    kept = define(file, "first", "second")
    freeze()
    kept += define(file, "third")
    assert found(file) == ["<lambda>"] * 3 + ["first", "second", "third"]


def test_what_is_frozen_by_the_suite_stays_frozen(file):
    kept = define(file, "first")
    codes.freeze()
    assert found(file)
    assert gc.get_freeze_count() > 0
    del kept
