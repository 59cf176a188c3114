"""Histories of real threads are not remembered for another rule: the next run has other orders."""

from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.transport.inprocess import InProcess
from stingy_reference import WorkQueue

FIRST = all_rules()["interleavings/work-is-done-in-every-order"]
SAME_PROGRAMS = all_rules()["interleavings/nobody-is-sent-home-unasked"]


def test_orders_of_real_threads_are_not_remembered(monkeypatch):
    sessions = []
    candidate = InProcess(WorkQueue, 1)
    while candidate.controlled:
        candidate.release_control()
    open_session = candidate.open
    monkeypatch.setattr(candidate, "open", lambda *args: sessions.append(args) or open_session(*args))
    trial = Trial(candidate, 1)
    row = FIRST.cases[0]
    trial.judge(FIRST, row)
    before = len(sessions)
    trial.judge(SAME_PROGRAMS, row)
    candidate.close()
    assert len(sessions) > before
