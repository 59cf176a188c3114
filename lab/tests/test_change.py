"""A change touches the definitions that mean something else, and nothing that is only reworded."""

from lab.change import REST, changed, definitions, touched

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


def test_a_comment_a_docstring_and_the_layout_change_nothing():
    now = BEFORE.replace("Return it", "Return that").replace("A module", "Another").replace("3", "3  # why")
    assert differ(now) == set()


def test_a_function_that_does_something_else_is_named():
    assert differ(BEFORE.replace("return 0", "return 1")) == {"other"}


def test_a_statement_of_the_module_is_the_rest():
    assert differ(BEFORE.replace("LIMIT = 3", "LIMIT = 1 / 0")) == {REST}


def test_a_change_of_anything_but_the_known_definitions_touches_all_of_them():
    assert touched({"one"}, {"one", "other"}) == {"one"}
    assert touched({REST}, {"one", "other"}) == {"one", "other"}
    assert touched({"one", "helper"}, {"one", "other"}) == {"one", "other"}


def test_nothing_has_changed_since_the_last_commit_of_a_clean_folder():
    assert changed("HEAD", "LICENSE") == {}
