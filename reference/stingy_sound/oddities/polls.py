"""Queues that poll, with different pauses."""

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
    """A waiting Get checks again at once."""


class SleepsNoTime(_Polling):
    """A waiting Get calls ``sleep(0)`` between two checks."""

    def _pause(self) -> None:
        time.sleep(0)


class SleepsLongerEachTime(Plain):
    """A waiting Get sleeps 0.5 ms, then twice as long each time, up to 100 ms."""

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
    """A waiting Get sleeps between 5 and 15 ms, at random with a fixed seed."""

    def __init__(self) -> None:
        super().__init__()
        self._random = Random(1)  # noqa: S311 - nothing is secret here

    def _pause(self) -> None:
        time.sleep(self._random.uniform(0.005, 0.015))


class WaitsTenMilliseconds(Plain):
    """Waits at a condition with a time-out of 10 ms, although it is notified, too."""

    def _wait(self) -> None:
        self._changed.wait(0.01)


class LooksAtAFlag(_Polling):
    """Checks a flag every 2 ms without the lock, and takes the lock only if the flag is set."""

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
    """The clerk thread waits at a condition with a time-out of 1 ms."""

    def _rest(self, seconds: float | None) -> None:  # noqa: ARG002
        super()._rest(0.001)


class EverybodyPolls(Delaying, _Polling):
    """The clerk thread and the workers check every 10 ms."""

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
