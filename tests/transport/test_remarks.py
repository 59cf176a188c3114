"""Standard error of a driver: the last lines, data races, and the reason for its end."""

import os

import pytest

from stingy.transport import remarks
from stingy.transport.remarks import LINES_KEPT, Remarks

RACE = """==================
WARNING: DATA RACE
Read at 0x00c0000b4038 by goroutine 23:
  example.com/mine/queue.(*Queue).Len()
      /home/me/queue/queue.go:84 +0x44
  stingy.invalid/driver.init.func4()
      /home/me/stingy/ops.go:71 +0x33

Previous write at 0x00c0000b4038 by goroutine 22:
  runtime.mapdelete_fast64()
      /usr/local/go/src/internal/runtime/maps/runtime_fast64.go:505 +0x0
  example.com/mine/queue.(*Queue).push()
      /home/me/queue/queue.go:45 +0x1c4
  example.com/mine/queue.(*Queue).Add()
      /home/me/queue/queue.go:40 +0x1c4

Goroutine 23 (running) created at:
  example.com/mine.Start()
      /home/me/start.go:82 +0xc4
==================
"""
PANIC = """panic: an item was added while it was processed

goroutine 12 [running]:
example.com/mine/queue.(*Queue).watch(...)
	/home/me/queue/queue.go:30 +0x10
created by example.com/mine/queue.New in goroutine 9
	/home/me/queue/queue.go:22 +0x1c
exit status 2
"""


@pytest.fixture
def said(monkeypatch):
    """Return Remarks that read a pipe, and a function that writes to it."""
    monkeypatch.setattr(remarks, "GLANCE", 0.01)
    source, sink = os.pipe()
    with os.fdopen(source, "rb") as stream, os.fdopen(sink, "wb", buffering=0) as speaker:
        heard = Remarks(stream)
        yield heard, lambda text: speaker.write(text.encode())
        heard.close()


def test_the_last_lines_are_kept(said):
    heard, say = said
    for n in range(300):
        say(f"line {n}\n")
        assert heard.last()[-1] == f"line {n}"
    assert len(heard.last()) == LINES_KEPT


def test_a_data_race_is_reported_once_with_both_places_in_the_candidate(said):
    heard, say = said
    say(RACE)
    (told,) = heard.races()
    assert told == (
        "a data race: read at queue.go:84, (*Queue).Len and previous write at queue.go:45, (*Queue).push < "
        "queue.go:40, (*Queue).Add; nothing puts them in order"
    )
    assert heard.races() == []


def test_a_data_race_is_reported_once_its_text_is_complete(said):
    heard, say = said
    say(RACE[:200])
    assert heard.races() == []
    say(RACE[200:])
    assert len(heard.races()) == 1


def test_other_text_between_equals_signs_is_no_data_race(said):
    heard, say = said
    say("==================\nresults\n==================\n")
    assert heard.races() == []


def test_a_panic_is_reported_with_its_place(said):
    heard, say = said
    say("starting\n" + PANIC)
    assert heard.ending() == (
        "panic: an item was added while it was processed, at queue.go:30, (*Queue).watch"
    )


def test_a_long_line_is_split(said):
    heard, say = said
    say("x" * 10_000)
    assert len(heard.last()) == 2


def test_a_stderr_that_stays_open_is_not_waited_for(said):
    """A process that the driver has left behind may keep standard error open."""
    heard, say = said
    say("the last words\n")
    heard.close()
    assert not heard._listener.is_alive()
    say("and more\n")
    assert heard.last() == ["the last words"]


def test_only_text_that_was_there_is_read_from_a_driver_that_floods(said, monkeypatch):
    """Otherwise the rule would wait for as long as the driver writes."""
    heard, say = said
    fd, heard._fd = heard._fd, None
    heard._listener.join()
    heard._fd, read, reads = fd, os.read, []

    def read_and_write_more(*asked):
        reads.append(read(*asked))
        if len(reads) < 100:
            say("y\n" * 10)
        return reads[-1]

    monkeypatch.setattr(os, "read", read_and_write_more)
    say("y\n" * 1000)
    heard.last()
    assert len(reads) < 10


def test_the_last_line_of_a_driver_that_has_ended_needs_no_newline():
    source, sink = os.pipe()
    with os.fdopen(source, "rb") as stream:
        heard = Remarks(stream)
        os.write(sink, b"out of luck")
        os.close(sink)
        assert heard.last() == ["out of luck"]
        heard.close()
