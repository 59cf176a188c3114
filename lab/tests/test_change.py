"""A change touches the definitions that mean something else, and nothing that is only reworded."""

from pathlib import Path

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


def differ(now):
    before, now = definitions(BEFORE), definitions(now)
    return {name for name in before.keys() | now.keys() if before.get(name) != now.get(name)}


def spreads(*texts, to=frozenset()):
    """From the differing names of the first file, ``module.name`` of all that it touches."""
    now = {Path(f"{name}.py"): definitions(text) for name, text in texts}
    return {f"{file.stem}.{name}" for file, name in spread(now, to)}


def test_a_comment_a_docstring_and_the_layout_change_nothing():
    now = BEFORE.replace("Return it", "Return that").replace("A module", "Another").replace("3", "3  # why")
    assert differ(now) == set()


def test_what_is_only_said_of_a_rule_changes_nothing():
    rule = "@rule(cites={}, hints=({},), after={})\ndef one(): pass"
    before, words, after = (definitions(rule.format(*it)) for it in ((1, 2, 3), (4, 5, 3), (1, 2, 4)))
    assert before == words
    assert before != after


def test_a_function_that_does_something_else_is_named():
    assert differ(BEFORE.replace("return 0", "return 1")) == {"other"}


def test_a_value_that_is_another_one_is_named():
    assert differ(BEFORE.replace("LIMIT = 3", "LIMIT = 1 / 0")) == {"LIMIT"}


def test_a_statement_without_a_name_is_the_rest():
    assert differ(BEFORE + "print()") == {REST}


def test_an_import_more_changes_what_uses_it_and_nothing_else():
    assert differ(BEFORE + "from os import path\nimport abc") == {"path", "abc"}


def test_a_module_that_moves_to_another_package_changes_nothing():
    before, moved, other = (
        definitions(f"from {it} import one") for it in ("a.verdict", "a.trial.verdict", "a.trial")
    )
    assert before == moved
    assert before != other


def test_who_mentions_what_has_changed_is_touched():
    here = Path("here.py")
    assert spreads(("here", BEFORE), to={(here, "LIMIT")}) == {"here.LIMIT", "here.one"}
    assert spreads(("here", BEFORE), to={(here, "other")}) == {"here.other"}


def test_who_imports_what_has_changed_is_touched():
    there = "from here import LIMIT, other\ndef more():\n    return LIMIT\ndef less():\n    return other()"
    found = spreads(("here", BEFORE), ("there", there), to={(Path("here.py"), "LIMIT")})
    assert found == {"here.LIMIT", "here.one", "there.LIMIT", "there.more"}


def test_who_imports_the_module_of_what_has_changed_is_touched():
    """The rules of a layer are made of those of whole modules."""
    rules = Path("rules")
    now = {
        rules / "here.py": definitions(BEFORE),
        Path("there.py"): definitions(
            "from rules import here\ndef more():\n    return here\ndef less():\n    return 0"
        ),
    }
    found = spread(now, {(rules / "here.py", "other")})
    assert {name for _, name in found} == {"other", "here", "more"}


def test_a_change_of_the_rest_touches_all_definitions():
    assert touched({"one"}, {"one", "other"}) == {"one"}
    assert touched({REST}, {"one", "other"}) == {"one", "other"}


def test_nothing_has_changed_since_the_last_commit_of_a_clean_folder():
    assert changed("HEAD", "LICENSE") == {}
