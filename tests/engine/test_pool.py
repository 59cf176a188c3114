"""Threads of the pool, given-up threads, and the processor that they share."""

from contextlib import contextmanager

import pytest

from stingy.engine import pool
from stingy.engine.carrier import get_ident, spawn


def test_a_new_thread_with_the_ident_of_one_that_was_given_up_works(monkeypatch):
    """The operating system gives the ident of a thread that has ended to a new thread."""

    def spawn_with_a_used_ident(work, words):
        def run():
            pool.abandon(get_ident())
            work(*words)

        return spawn(run, ())

    monkeypatch.setattr(pool, "evict", lambda _: None)
    monkeypatch.setattr(pool, "spawn", spawn_with_a_used_ident)
    threads = pool.Pool()
    task = threads.take()
    assert task.ident not in pool._abandoned
    threads.give_back(task)
    threads.dismiss()


class Claimed:
    """A stand-in for a processor of the machine, which records how it is used."""

    def __init__(self):
        self.seen = []

    def claim(self):
        self.seen.append("claimed")
        return self

    @contextmanager
    def kept(self):
        self.seen.append("kept")
        yield
        self.seen.append("free")

    def leave(self):
        self.seen.append("left")


@pytest.mark.parametrize(
    ("is_free", "seen"),
    [(True, ["claimed", *["kept", "free"] * 2, "left"]), (False, [])],
    ids=["free", "none"],
)
def test_a_processor_is_kept_for_each_session_and_left_with_the_spare_threads(monkeypatch, is_free, seen):
    """If no processor is free, threads run wherever the operating system puts them."""
    claimed = Claimed()
    if not is_free:
        claimed.claim = lambda: None
    monkeypatch.setattr(pool, "Processor", claimed)
    threads = pool.Pool()
    for _ in range(2):
        with threads.together():
            pass
    for _ in range(2):
        threads.dismiss()
    assert claimed.seen == seen
