"""Lines on stderr that say what a run waits for. The test sets the clock."""

import os
import threading
from pathlib import Path

import pytest

from stingy.cli.judging import _announce_start
from stingy.cli.notice import Notice
from stingy.request import Request


class Clock:
    """A clock that shows the seconds it is set to."""

    seconds = 1000.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def lines_at(clock, capsys):
    """Return the lines of a notice that is checked this many seconds after its start."""

    def lines_at(notice, *seconds):
        began = clock.seconds
        for it in seconds:
            clock.seconds = began + it
            notice.look()
        return capsys.readouterr().err.splitlines()

    return lines_at


@pytest.mark.parametrize(
    ("looks", "written"),
    [((0, 1, 4.9), ()), (range(60), (5, 10, 20, 40)), ((100, 101), (100,))],
    ids=["none for five seconds", "each after twice as long", "one for a late look"],
)
def test_lines_are_due_after_five_seconds_and_then_twice_as_long(clock, lines_at, looks, written):
    lines = lines_at(Notice("waiting", "", clock), *looks)
    assert lines == [f"still waiting, {seconds} s so far" for seconds in written]


def test_a_line_says_which_option_ends_the_wait(clock, lines_at):
    notice = Notice("importing x:Y", "--start 10", clock)
    assert lines_at(notice, 5) == ["still importing x:Y, 5 s so far; --start 10 ends it"]


@pytest.mark.parametrize("before", [4, 50])
def test_a_new_wait_starts_the_five_seconds_again(clock, lines_at, before):
    notice = Notice("judging a/b", "", clock)
    lines_at(notice, before)
    notice.of("judging c/d", "--limit 6")
    assert lines_at(notice, 4.9, 5) == ["still judging c/d, 5 s so far; --limit 6 ends it"]


def test_lines_go_to_the_stderr_of_the_beginning(clock, capfd):
    """pytest may have put another file in its place, for the output of a test."""
    before = os.dup(2)
    with Notice("judging", "", clock) as notice, Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
        clock.seconds += 5
        notice.look()
        os.dup2(before, 2)
    os.close(before)
    assert "still judging, 5 s so far\n" in capfd.readouterr().err


def test_no_thread_and_no_file_is_left_after_the_run(capfd):
    def files():
        there = Path("/proc/self/fd")
        return sorted(file.name for file in there.iterdir()) if there.exists() else []

    before = files()
    with Notice("judging"):
        assert "notice" in {it.name for it in threading.enumerate()}
    assert "notice" not in {it.name for it in threading.enumerate()}
    assert files() == before


@pytest.mark.parametrize("stderr", [None, object()], ids=["none", "no file"])
def test_a_run_without_stderr_goes_on(clock, monkeypatch, stderr):
    """On Windows, Python has none without a console window."""
    with monkeypatch.context() as without:
        without.setattr("sys.stderr", stderr)
        with Notice("judging", "", clock):
            pass


@pytest.mark.parametrize(
    ("target", "options", "says"),
    [
        ("x:Y", {}, "importing x:Y"),
        ("x:Y", {"isolate": True}, "importing x:Y; --start 10 ends it"),
        ("cmd:x", {"start": 6.0}, "waiting for cmd:x to say hello; --start 6 ends it"),
        ("attach:x", {}, "waiting for attach:x to say hello"),
    ],
)
def test_a_run_begins_with_a_wait_for_its_candidate(target, options, says):
    wait = _announce_start(Request(target, **options))._wait
    assert "; ".join(filter(None, (wait.doing, wait.until and f"{wait.until} ends it"))) == says
