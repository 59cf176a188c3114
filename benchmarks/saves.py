"""How soon a save is answered: ``python saves.py``, for ``stingy watch`` and ``stingy-kata``.

A file is saved as editors do it, in turn with a fault and without; the clock runs from then to the first line that is told, and to the
last one. Told are medians in seconds on the clock, and the seconds of a processor that a save takes, with all processes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import IO

import click
import psutil
from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from stingy_kata.exercise import find_exercise

QUEUE = """
import threading
from collections import deque


class WorkQueue:
    def __init__(self):
        self._ready, self._dirty, self._held, self._ends = deque(), set(), set(), False
        self._changed = threading.Condition()

    def add(self, item):
        with self._changed:
            if self._ends or item in self._dirty:
                return
            self._dirty.add(item)
            if item not in self._held:
                self._ready.append(item)
                self._changed.notify()

    def get(self):
        with self._changed:
            while not self._ready and not self._ends:
                self._changed.wait()
            if not self._ready:
                return None, True
            item = self._ready.popleft()
            self._held.add(item)
            self._dirty.discard(item)
            return item, False

    def done(self, item):
        with self._changed:
            self._held.discard(item)
            if item in self._dirty:
                self._ready.append(item)
                self._changed.notify()

    def __len__(self):
        with self._changed:
            return len(self._ready)

    def shut_down(self):
        with self._changed:
            self._ends = True
            self._changed.notify_all()

    def shutting_down(self):
        with self._changed:
            return self._ends
"""
SOUND, FAULT = "if item not in self._held:", "if True:"
STINGY = Path(sys.executable).with_name("stingy")
KATA = Path(sys.executable).with_name("stingy-kata")


@dataclass(frozen=True)
class Answer:
    """Seconds from a save."""

    first: float
    first_processor: float
    last: float
    last_processor: float


class Watched:
    """A command that watches a file, and says how it fares until a line that looks like this."""

    def __init__(self, command: Sequence[object], folder: Path, file: Path, end: str) -> None:
        self._end = re.compile(end)
        self._file = file
        self._run = subprocess.Popen(
            [*map(str, command)],
            cwd=folder,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        list(self._listen())

    def save(self, text: str) -> Answer:
        """Write it beside the file, and put it into its place; then wait for the answer."""
        took = self._processor()
        beside = self._file.with_suffix(".new")
        beside.write_text(text)
        beside.replace(self._file)
        saved = time.monotonic()
        told = [(time.monotonic() - saved, self._processor() - took) for line in self._listen() if line]
        return Answer(*told[0], *told[-1])

    def close(self) -> None:
        self._run.kill()
        self._run.communicate()

    def _listen(self) -> Iterator[str]:
        out: IO[str] = self._run.stdout  # type: ignore[assignment]
        for line in out:
            yield line.strip()
            if self._end.search(line):
                return
        sys.exit(f"{self._run.args} has ended")

    def _processor(self) -> float:
        """Of all its processes, with those that have ended."""
        command = psutil.Process(self._run.pid)
        spent = 0.0
        for process in (command, *command.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                times = process.cpu_times()
                spent += times.user + times.system + times.children_user + times.children_system
        return spent


@contextmanager
def watch_queue(*words: str) -> Iterator[tuple[Watched, str, str]]:
    with TemporaryDirectory() as folder:
        file = Path(folder, "mine.py")
        file.write_text(QUEUE)
        command = [STINGY, "watch", "mine:WorkQueue", "--seed", "1", *words]
        watched = Watched(command, Path(folder), file, "watched; Ctrl-C")
        try:
            yield watched, QUEUE.replace(SOUND, FAULT), QUEUE
        finally:
            watched.close()


@contextmanager
def watch_exercise() -> Iterator[tuple[Watched, str, str]]:
    """The first one, as it is given and as it is solved."""
    with TemporaryDirectory() as folder:
        subprocess.run([KATA, "init"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        (file,) = Path(folder).rglob("01_fifo/fifo.py")
        watched = Watched([KATA], file.parent, file, "q quit")
        try:
            yield watched, file.read_text(), find_exercise("fifo").solution.text
        finally:
            watched.close()


WATCHED: Mapping[str, Callable[[], AbstractContextManager[tuple[Watched, str, str]]]] = {
    "`stingy watch`, by the rules of a guarantee": partial(watch_queue, "--rule", "stingy/*"),
    "`stingy-kata`": watch_exercise,
}


@click.command()
@click.option("--saves", default=10, show_default=True, help="Of each kind.")
def main(saves: int) -> None:
    """Save a file again and again, and tell how soon it is answered."""
    table = Table("", "saved with", "first line", "CPU seconds", "last line", "CPU seconds", box=MARKDOWN)
    for what, watch in WATCHED.items():
        with watch() as (watched, broken, sound):
            answers = [(watched.save(broken), watched.save(sound)) for _ in range(saves + 1)][1:]
        for saved, told in zip(("a fault", "the fault mended"), zip(*answers, strict=True), strict=True):
            figures = (median(it) for it in zip(*map(astuple, told), strict=True))
            table.add_row(what, saved, *(f"{it:.2f}" for it in figures))
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
