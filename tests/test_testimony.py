"""Texts of a candidate are bounded and safe to show, and unchanged if they already are."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stingy.contract.testimony import (
    LINE,
    NAME,
    TEXT,
    VALUE,
    cut_short,
    describe,
    in_a_line,
    in_lines,
    show,
    throughout,
)

ANYTHING = st.text(st.characters(exclude_categories=()))
"""Texts of any characters, including half of a surrogate pair."""


@given(ANYTHING)
def test_a_line_has_no_control_characters(text):
    line = in_a_line(text)
    assert line.isprintable()
    assert not any(unicodedata.bidirectional(char) in ("RLO", "LRO", "RLI", "LRI", "FSI") for char in line)
    line.encode()


@given(ANYTHING)
def test_lines_stay_lines(text):
    assert all(line.isprintable() for line in in_lines(text).split("\n"))
    assert in_lines(text).count("\n") == text.count("\n")


@given(ANYTHING)
def test_a_safe_text_is_not_changed_again(text):
    assert in_a_line(in_a_line(text)) == in_a_line(text)
    assert in_lines(in_lines(text)) == in_lines(text)
    assert throughout(throughout([text])) == throughout([text])


@pytest.mark.parametrize(
    "text", ["raises ValueError: ü → 'a'", "std::queue::get", "# ## [a]", "", "naïve 漢字 😀"]
)
def test_a_harmless_text_is_not_changed(text):
    assert in_a_line(text) == in_lines(text) == text


@pytest.mark.parametrize(
    "text", ["::error::x", "  ::add-mask::x", "a ##[add-path]/x", "##vso[task.x]y", "###[a]"]
)
def test_commands_for_a_runner_of_jobs_are_escaped(text):
    assert not in_a_line(text).lstrip().startswith("::")
    assert "##[" not in in_a_line(text)
    assert "##vso[" not in in_a_line(text)
    assert f"\n{in_a_line(text)}" in in_lines(f"first\n{text}")


@pytest.mark.parametrize("text", ["x" * 10_000_000, "\0" * 10_000_000, "x\n" * 5_000_000])
def test_a_long_text_is_cut_and_says_so(text):
    for told, most in (
        (in_a_line(text, NAME), NAME),
        (in_a_line(text), LINE),
        (in_lines(text), TEXT),
        (show(text), VALUE),
    ):
        assert len(told) <= most
        assert "(10,000,000 characters)" in told
    assert cut_short(text).startswith(text[:50])


def test_a_number_of_too_many_digits_is_shown():
    assert show(10**5000) == "a int with more digits than can be read"


def test_an_exception_without_a_text_is_described():
    class Mute(Exception):
        def __str__(self):
            raise TypeError

    assert describe(Mute()) == "Mute: its text cannot be had, for that raises TypeError"


def test_a_subclass_of_str_becomes_a_str():
    class Odd(str):
        __slots__ = ()

        def isprintable(self):
            return True

    assert type(in_a_line(Odd("\x1b"))) is str
    assert in_a_line(Odd("\x1b")) == "\\x1b"
