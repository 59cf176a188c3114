"""Whoever waits looks again: at once, soon, or a little later."""

from __future__ import annotations

import time
from random import Random
from typing import Any

from stingy_sound.oddities.books import Answer, Delaying, Plain


class _Polling(Plain):
    def get(self) -> Answer:
        while True:
            with self._lock:
                answer = self._books.take()
            if answer is not None:
                return answer
            self._pause()

    def _pause(self) -> None: ...

    def _wake(self) -> None: ...

    def _wake_all(self) -> None: ...


class SpinsWithoutAPause(_Polling):
    """Looks again at once."""


class SleepsNoTime(_Polling):
    """``sleep(0)``."""

    def _pause(self) -> None:
        time.sleep(0)


class SleepsLongerEachTime(Plain):
    """Half a millisecond, then twice as long each time, up to a tenth of a second."""

    def get(self) -> Answer:
        pause = 0.0005
        while True:
            with self._lock:
                answer = self._books.take()
            if answer is not None:
                return answer
            time.sleep(pause)
            pause = min(0.1, 2 * pause)


class SleepsAtRandom(_Polling):
    """Between 5 and 15 ms, by a seed of its own, so that not all look at once."""

    def __init__(self) -> None:
        super().__init__()
        self._random = Random(1)  # noqa: S311 - nothing is secret here

    def _pause(self) -> None:
        time.sleep(self._random.uniform(0.005, 0.015))


class WaitsTenMilliseconds(Plain):
    """``Condition.wait`` with a time-out of 10 ms, though it is notified as well."""

    def _wait(self) -> None:
        self._changed.wait(0.01)


class LooksAtAFlag(_Polling):
    """Looks each 2 ms at a plain flag, without the lock, and goes for the lock only where that is up."""

    def __init__(self) -> None:
        super().__init__()
        self._up = False

    def _pause(self) -> None:
        while not self._up:
            time.sleep(0.002)

    def get(self) -> Answer:
        while True:
            self._pause()
            with self._lock:
                answer = self._books.take()
                self._up = bool(self._books.line) or self._books.closed
            if answer is not None:
                return answer

    def _wake(self) -> None:
        self._up = True

    def _wake_all(self) -> None:
        self._up = True


class ClerkWaitsAMillisecond(Delaying):
    """The clerk waits at a condition, for no longer than a millisecond."""

    def _rest(self, seconds: float | None) -> None:  # noqa: ARG002
        super()._rest(0.001)


class EverybodyPolls(Delaying, _Polling):
    """The clerk and the workers both poll: each looks every 10 ms."""

    def _keep_looking(self) -> None:
        while not self.shutting_down():
            with self._lock:
                self._add_what_is_due()
            self._pause()

    def _pause(self) -> None:
        time.sleep(0.01)


SOUND: tuple[type[Any], ...] = (
    *(SpinsWithoutAPause, SleepsNoTime, SleepsLongerEachTime, SleepsAtRandom, WaitsTenMilliseconds),
    *(LooksAtAFlag, ClerkWaitsAMillisecond, EverybodyPolls),
)
