"""Threads of the pool, and those that were given up."""

from contextlib import contextmanager

from stingy.engine import pool
from stingy.engine.carrier import get_ident, spawn


def test_a_new_thread_with_the_ident_of_one_that_was_given_up_works(monkeypatch):
    """The system gives the ident of a thread that has ended to a new one."""

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
    """A processor that notes what is done with it."""

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


def test_a_processor_is_claimed_once_kept_for_each_session_and_left_with_the_spare_threads(monkeypatch):
    claimed = Claimed()
    monkeypatch.setattr(pool, "Processor", claimed)
    threads = pool.Pool()
    for _ in range(2):
        with threads.together():
            pass
    threads.dismiss()
    threads.dismiss()
    assert claimed.seen == ["claimed", *["kept", "free"] * 2, "left"]


def test_where_no_processor_is_to_be_had_threads_run_wherever_the_system_likes(monkeypatch):
    claimed = Claimed()
    claimed.claim = lambda: None
    monkeypatch.setattr(pool, "Processor", claimed)
    threads = pool.Pool()
    with threads.together():
        pass
    threads.dismiss()
    assert claimed.seen == []
