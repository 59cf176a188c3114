"""Reading what a candidate's process writes to its judge."""

from types import SimpleNamespace

import pytest

from stingy.judging import isolation
from stingy.judging.isolation import LONGEST, _Ended, _Process
from stingy.transport.lines import Lines

ANSWERS = 7


class Sparing(bytes):
    """Counts the bytes that are copied to put it behind other bytes."""

    copied = 0

    def __radd__(self, before):
        Sparing.copied += len(before) + len(self)
        return bytes(before) + bytes(self)


@pytest.fixture
def process_that_writes(monkeypatch):
    """Return a function that returns a process of which each read yields the next of these bytes."""

    def process_that_writes(*reads, longest=LONGEST):
        left = iter(reads)
        monkeypatch.setattr(isolation, "os", SimpleNamespace(read=lambda *_: next(left)))
        process = object.__new__(_Process)
        process._answers, process._output, process._most = ANSWERS, ANSWERS + 1, 1
        ready = [(SimpleNamespace(fd=ANSWERS), None)]
        process._selector = SimpleNamespace(select=lambda _: ready)
        process._processes = SimpleNamespace(hold_more=lambda _: False, look=lambda: (0.0, False))
        process._lines, process._told, process._heard = Lines(longest), [], b""
        return process

    return process_that_writes


def read(process):
    return process._line(1, "finished", "--limit S")


def test_an_answer_in_many_pieces_is_not_copied_at_each_of_them(process_that_writes):
    Sparing.copied = 0
    pieces = [Sparing(b"x" * 100)] * 1000
    assert read(process_that_writes(*pieces, b"\n")).strip() == b"x" * 100_000
    assert Sparing.copied <= 100_000


def test_heartbeats_are_skipped_and_a_second_line_spoils_the_answer(process_that_writes):
    process = process_that_writes(b"\n", b"\n\n", b"1\n\n", b"\n", b"2", b"\n3\n", b"4\n")
    assert [read(process).split() for _ in range(3)] == [[b"1"], [b"2", b"3"], [b"4"]]


def test_an_answer_without_end_is_a_forged_one(process_that_writes):
    process = process_that_writes(b"\n", b"x" * 5, b"x" * 5, longest=10)
    with pytest.raises(_Ended, match="forged an answer of its judge, and without end"):
        read(process)
