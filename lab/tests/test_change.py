"""``lab.change``, by which the panel chooses what to judge.

A change touches the definitions whose meaning differs, and the definitions that use these.
"""

from pathlib import Path

import pytest

from lab.change import REST, changed, definitions, spread, touched

BEFORE = '''
"""A module."""
LIMIT = 3

def one():
    """Return it."""
    return LIMIT

def other():
    return 0
'''
RULE = "@rule(cites={}, orders={})\ndef one(): assert here, {}"
USER = "from here import LIMIT, other\ndef more():\n    return LIMIT\ndef less():\n    return other()"
USER_OF_MODULE = "from rules import here\ndef more():\n    return here\ndef less():\n    return 0"


@pytest.mark.parametrize(
    ("before", "now", "names"),
    [
        (BEFORE, BEFORE.replace("Return it", "Return that").replace("3", "3  # why"), set()),
        (RULE.format(1, 2, 3), RULE.format(9, 2, 3), set()),
        (RULE.format(1, 2, 3), RULE.format(1, 4, 3), {"one"}),
        (RULE.format(1, 2, 3), RULE.format(1, "2, after='x'", 3), set()),
        (RULE.format(1, 2, 3), RULE.format(1, 2, "'does it?'"), set()),
        (RULE.format(1, 2, 3), RULE.format(1, 2, 3).replace("here", "not here"), {"one"}),
        (BEFORE, BEFORE.replace("return 0", "return 1"), {"other"}),
        (BEFORE, BEFORE.replace("LIMIT = 3", "LIMIT = 1 / 0"), {"LIMIT"}),
        (BEFORE, BEFORE + "print()", {REST}),
        (BEFORE, BEFORE + "from os import path\nimport abc", {"path", "abc"}),
        ("from a.verdict import one", "from a.trial.verdict import one", set()),
        ("from a.verdict import one", "from a.trial import one", {"one"}),
    ],
)
def test_a_definition_differs_if_its_meaning_does(before, now, names):
    before, now = definitions(before), definitions(now)
    assert {name for name in before.keys() | now.keys() if before.get(name) != now.get(name)} == names


@pytest.mark.parametrize(
    ("user", "differs", "names"),
    [
        ("", "LIMIT", {"here.LIMIT", "here.one"}),
        ("", "other", {"here.other"}),
        (USER, "LIMIT", {"here.LIMIT", "here.one", "there.LIMIT", "there.more"}),
        (USER_OF_MODULE, "other", {"here.other", "there.here", "there.more"}),
    ],
)
def test_a_change_touches_whatever_names_it(user, differs, names):
    here = Path("rules/here.py" if user == USER_OF_MODULE else "here.py")
    now = {here: definitions(BEFORE), Path("there.py"): definitions(user)}
    assert {f"{file.stem}.{name}" for file, name in spread(now, {(here, differs)})} == names


def test_a_change_outside_definitions_touches_all_of_them():
    assert touched({"one"}, {"one", "other"}) == {"one"}
    assert touched({REST}, {"one", "other"}) == {"one", "other"}


def test_a_clean_folder_has_no_change():
    assert changed("HEAD", "LICENSE") == {}
