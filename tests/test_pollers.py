"""A candidate that polls is judged by its behaviour; a jump in time never breaks a rule."""

import threading
import time
from collections import deque

from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Evidence, Finding

TICKS = {}
"""The frames of a thread do not lead to these values, so the engine does not see them change."""


class Queue:
    """Sound: Get polls every 0.1 s; a thread adds delayed items after counting ticks of 0.05 s."""

    def __init__(self):
        self._lock = threading.Lock()
        self._queue = deque()
        self._dirty, self._processing = set(), set()
        self._shut = False
        self._clerk = None
        TICKS[id(self)] = {}

    def add(self, item):
        with self._lock:
            self._add(item)

    def _add(self, item):
        if not self._shut and item not in self._dirty:
            self._dirty.add(item)
            if item not in self._processing:
                self._queue.append(item)

    def get(self):
        while True:
            with self._lock:
                if self._queue or self._shut:
                    return self._take()
            time.sleep(0.1)

    def _take(self):
        if not self._queue:
            return None, True
        item = self._queue.popleft()
        self._processing.add(item)
        self._dirty.discard(item)
        return item, False

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

    def add_after(self, item, seconds):
        with self._lock:
            left = TICKS[id(self)]
            ticks = int(seconds * 20)
            if seconds <= 0:
                self._add(item)
            elif not self._shut:
                left[item] = min(ticks, left.get(item, ticks))
                if self._clerk is None:
                    self._clerk = threading.Thread(target=self._work, daemon=True)
                    self._clerk.start()

    def _work(self):
        while not self._shut:
            time.sleep(0.05)
            with self._lock:
                left = TICKS[id(self)]
                for item in list(left):
                    left[item] -= 1
                    if left[item] <= self.at:
                        del left[item]
                        self._add(item)

    at = 0


class CountsTicks(Queue):
    """Sound. The engine cannot see the count of ticks, so it cannot tell how far time may jump."""


class CountsTooMany(Queue):
    at = -40


RULE = all_rules()["delays/a-waiting-worker-is-woken"]


def test_ticks_that_cannot_be_seen_are_judged_without_jumps(candidate_of):
    candidate = candidate_of(CountsTicks)
    verdict = Trial(candidate, 1).judge(RULE, None)
    assert (verdict.verdict, verdict.evidence) == (Finding.PASS, Evidence.DETERMINISTIC)
    assert candidate.controlled
    assert candidate.shortcuts.may_jump, "the next rule may be judged faster"


def test_wrong_ticks_that_cannot_be_seen_are_found(candidate_of):
    verdict = Trial(candidate_of(CountsTooMany), 1).judge(RULE, None)
    assert (verdict.verdict, verdict.evidence) == (Finding.FAIL, Evidence.DETERMINISTIC)
