"""A queue that spins without a lock: the engine finds that out by the watchdog, and then looks into its code."""

import threading
from collections import deque

from stingy.guarantees import all_rules
from stingy.transport.inprocess import InProcess
from stingy.trial import Trial
from stingy.verdict import Evidence, Finding


class SpinsWithoutALock:
    def __init__(self):
        self._lock = threading.Lock()
        self._queue = deque()
        self._dirty, self._processing = set(), set()
        self._shut = False

    def add(self, item):
        with self._lock:
            if not self._shut and item not in self._dirty:
                self._dirty.add(item)
                if item not in self._processing:
                    self._queue.append(item)

    def get(self):
        while True:
            while not self._queue and not self._shut:
                pass
            with self._lock:
                if self._queue:
                    item = self._queue.popleft()
                    self._processing.add(item)
                    self._dirty.discard(item)
                    return item, False
                if self._shut:
                    return None, True

    def done(self, item):
        with self._lock:
            self._processing.discard(item)
            if item in self._dirty:
                self._queue.append(item)

    def __len__(self):
        with self._lock:
            return len(self._queue)

    def shut_down(self):
        with self._lock:
            self._shut = True

    def shutting_down(self):
        return self._shut


def test_the_code_of_a_queue_is_looked_into_where_something_of_ours_stands_in_front_of_it():
    """In this rule the queue is given other items than the rule names."""
    rule = all_rules()["handing_out/values-that-are-written-alike-are-different"]
    candidate = InProcess(SpinsWithoutALock, 1)
    verdict = Trial(candidate, 1).judge(rule, rule.each[0])
    candidate.close()
    assert (verdict.verdict, verdict.evidence) == (Finding.PASS, Evidence.DETERMINISTIC)
