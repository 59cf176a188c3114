"""Small programs of the larger sizes, which are too many for tests/language."""

from stingy.language.small_programs import LARGER, Calls


def test_there_are_as_many_large_ones_as_is_said():
    assert [sum(1 for _ in Calls().programs(size)) for size in LARGER[2:]] == [21_081, 7_060]
