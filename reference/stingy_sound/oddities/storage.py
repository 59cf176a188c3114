"""A queue in a database, and a queue that logs each call."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Hashable
from datetime import UTC, datetime
from io import StringIO
from itertools import count
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

from stingy_sound.oddities.books import Answer, Plain

LINE = "create table line (place integer primary key autoincrement, number integer)"


class _Table:
    """A line in a database table. It contains numbers, which stand for the items."""

    def __init__(self, connection: Callable[[], sqlite3.Connection]) -> None:
        self._connection = connection
        self._items: dict[int, Hashable] = {}
        self._numbers = count()
        connection().execute(LINE)

    def append(self, item: Hashable) -> None:
        number = next(self._numbers)
        self._items[number] = item
        self._connection().execute("insert into line (number) values (?)", (number,))

    def popleft(self) -> Hashable:
        first = "delete from line where place = (select min(place) from line) returning number"
        ((number,),) = self._connection().execute(first).fetchall()
        return self._items.pop(number)

    def __len__(self) -> int:
        ((length,),) = self._connection().execute("select count(*) from line").fetchall()
        return int(length)


class SqliteOnDisk(Plain):
    """The line is a table of an SQLite file; each thread has its own connection."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = Path(mkdtemp())
        self._connections: list[sqlite3.Connection] = []
        self._mine = threading.local()
        self._books.line = _Table(self._connection)
        finalize(self, _remove, self._connections, self._folder)

    def _connection(self) -> sqlite3.Connection:
        if not hasattr(self._mine, "connection"):
            file = self._folder / "line.sqlite"
            self._mine.connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
            self._mine.connection.execute("pragma synchronous = off")
            self._connections.append(self._mine.connection)
        connection: sqlite3.Connection = self._mine.connection
        return connection


def _remove(connections: list[sqlite3.Connection], folder: Path) -> None:
    for connection in connections:
        connection.close()
    rmtree(folder, ignore_errors=True)


LOG = logging.getLogger(__name__)
LOG.propagate = False
LOG.setLevel(logging.DEBUG)
LOG.addHandler(logging.StreamHandler(StringIO()))


class LogsEverything(Plain):
    """Logs each call with the wall time.

    All queues share one logger, whose locks were made at import.
    """

    def add(self, item: Hashable) -> None:
        LOG.debug("%s add %r", datetime.now(UTC), item)
        super().add(item)

    def get(self) -> Answer:
        LOG.debug("%s get", datetime.now(UTC))
        answer = super().get()
        LOG.info("%s got %r", datetime.now(UTC), answer)
        return answer

    def done(self, item: Hashable) -> None:
        super().done(item)
        LOG.warning("%s done %r", datetime.now(UTC), item)


SOUND: tuple[type[Any], ...] = (SqliteOnDisk, LogsEverything)
