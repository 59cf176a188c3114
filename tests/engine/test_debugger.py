"""The debugger shows the candidate, and not the suite that calls it."""

import io
import sys

import pytest

from stingy.engine.debugger import Debugger
from stingy.transport.calling import Answered


def stack_of(frame):
    debugger = Debugger()
    debugger.reset()
    return debugger.get_stack(frame, None)


def outer(look):
    sorted([0], key=lambda _: look())


def test_where_shows_the_frames_of_the_candidate_alone():
    found = []

    def inner():
        found.append(stack_of(sys._getframe()))

    Answered().make(lambda: outer(inner))
    (stack, at) = found[0]
    assert [frame.f_code.co_name for frame, _ in stack] == ["<lambda>", "outer", "<lambda>", "inner"]
    assert at == 3


def test_a_frame_of_the_suite_is_shown_if_the_debugger_is_there():
    found = []
    answer = Answered()
    answer.make(lambda: found.append(stack_of(sys._getframe(1))))
    (stack, at) = found[0]
    assert [frame.f_code.co_name for frame, _ in stack[at:]] == ["make"]


@pytest.mark.parametrize("stdin", [io.StringIO("c"), None])
def test_a_prompt_without_a_terminal_is_not_recorded_as_what_the_candidate_printed(monkeypatch, stdin):
    monkeypatch.setattr(sys, "stdin", stdin)
    assert not Debugger().use_rawinput
