"""Threads of the pool, and those that were given up."""

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
