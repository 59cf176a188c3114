"""A fingerprint changes with what a definition means, near and far, and with nothing else."""

import sys

import pytest

from stingy import fingerprint as module
from stingy.fingerprint import fingerprint, modules_used

ABOVE = """
from stingy_tried.below import twice
from stingy_tried import aside

LIMIT = 3

class Queue:
    '''A queue.'''
    def add(self, item):
        return twice(item) if item < LIMIT else aside.none()

def other():
    return 0
"""
BELOW = """
def twice(item):
    return _sum(item, item)

def _sum(one, other):
    return one + other

def thrice(item):
    return 3 * item
"""
ASIDE = """
def none():
    return None
"""


@pytest.fixture
def print_of(tmp_path, monkeypatch):
    """The fingerprint of the class with these texts in the files of its package."""
    folder = tmp_path / "stingy_tried"
    folder.mkdir()
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)

    def of(above=ABOVE, below=BELOW, aside=ASIDE, apart=()):
        for name, text in (("above", above), ("below", below), ("aside", aside)):
            (folder / f"{name}.py").write_text(text)
        for cached in (module._source, module._file, module._text, module._uses):
            cached.cache_clear()
        return fingerprint([("stingy_tried.above", "Queue")], apart)

    yield of
    sys.modules.pop("stingy_tried", None)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("above", "item < LIMIT", "item <= LIMIT"),
        ("above", "LIMIT = 3", "LIMIT = 4"),
        ("below", "return _sum(item, item)", "return _sum(item, 0)"),
        ("below", "one + other", "one - other"),
        ("aside", "None", "False"),
    ],
)
def test_what_is_used_near_or_far_changes_it(print_of, file, old, new):
    text = {"above": ABOVE, "below": BELOW, "aside": ASIDE}[file]
    assert old in text
    assert print_of(**{file: text.replace(old, new)}) != print_of()


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("above", "A queue.", "A queue, in other words."),
        ("above", "LIMIT = 3", "LIMIT = (  # a comment\n    3\n)"),
        ("above", "return 0", "return 1"),
        ("below", "3 * item", "4 * item"),
    ],
)
def test_words_layout_and_what_is_not_used_do_not(print_of, file, old, new):
    text = {"above": ABOVE, "below": BELOW}[file]
    assert old in text
    assert print_of(**{file: text.replace(old, new)}) == print_of()


def test_what_is_said_to_be_apart_does_not(print_of):
    apart = ("stingy_tried.below",)
    assert print_of(below=BELOW.replace("+", "-"), apart=apart) == print_of(apart=apart)


def test_all_that_judges_is_in_the_engine():
    used = modules_used("stingy.trial", but=("stingy.guarantees",))
    assert {"stingy.engine.scheduler", "stingy.transport.inprocess", "stingy.language.rule"} <= used
    assert not any(name.startswith(("stingy.guarantees", "stingy.reports")) for name in used)


def test_what_a_class_is_said_to_break_does_not(print_of):
    def marked(rule):
        return (
            ABOVE.replace("class Queue", f'@breaks("{rule}")\nclass Queue')
            + "\ndef breaks(rule):\n    return lambda cls: cls\n"
        )

    assert print_of(above=marked("fair/one")) == print_of(above=marked("fair/other")) == print_of()
