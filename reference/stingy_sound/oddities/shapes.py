"""Unusual classes: proxies, descriptors, metaclasses, slots, and changes of an object's class."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from inspect import isfunction
from threading import Condition, Lock
from types import MethodType
from typing import Any, NamedTuple

from stingy_sound.oddities.books import GO_HOME, Answer, Books, Plain


class Veiled:
    """A proxy whose ``__getattr__`` forwards all methods to the object behind it."""

    def __init__(self, behind: Any) -> None:
        self._behind = behind

    def __getattr__(self, name: str) -> Any:
        return getattr(self._behind, name)

    def __len__(self) -> int:
        return len(self._behind)


def veiled() -> Veiled:
    """Return a queue behind two proxies. This is a factory function, not a class."""
    return Veiled(Veiled(Plain()))


class _Forward:
    """A descriptor that returns the method of the same name of the object's ``inside``."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, queue: Any, owner: type | None = None) -> Any:
        return getattr(Plain if queue is None else queue.inside, self._name)


class Forwarded:
    """Descriptors forward all methods to another queue, which is made at the first call."""

    def __init__(self) -> None:
        self._making = Lock()
        self._inside: Plain | None = None

    @property
    def inside(self) -> Plain:
        with self._making:
            if self._inside is None:
                self._inside = Plain()
            return self._inside

    add = _Forward()
    get = _Forward()
    done = _Forward()
    shut_down = _Forward()
    shutting_down = _Forward()

    def __len__(self) -> int:
        return len(self.inside)


class _Monitor(type):
    """A metaclass that makes each public method run with the object's lock held."""

    def __new__(mcs, name: str, parents: tuple[type, ...], body: dict[str, Any]) -> _Monitor:
        for called, thing in body.items():
            if isfunction(thing) and called != "__init__" and (called == "__len__" or called[0] != "_"):
                body[called] = _synchronized(thing)
        return super().__new__(mcs, name, parents, body)

    def __call__(cls, *args: Any) -> Any:
        made = super().__call__(*args)
        made.changed = Condition()
        return made


def _synchronized(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def alone(self: Any, *args: Any) -> Any:
        with self.changed:
            return method(self, *args)

    return alone


class MadeAMonitor(metaclass=_Monitor):
    """A metaclass adds a lock to each method; objects have slots, and no weak references."""

    __slots__ = ("books", "changed")
    books: Books
    changed: Any

    def __init__(self) -> None:
        self.books = Books()

    def add(self, item: Hashable) -> None:
        if self.books.add(item):
            self.changed.notify()

    def get(self) -> Answer:
        while (answer := self.books.take()) is None:
            self.changed.wait()
        return answer

    def done(self, item: Hashable) -> None:
        if self.books.finish(item):
            self.changed.notify()

    def __len__(self) -> int:
        return len(self.books)

    def shut_down(self) -> None:
        self.books.close()
        self.changed.notify_all()

    def shutting_down(self) -> bool:
        return self.books.closed


class BecomesAnother(Plain):
    """A shutdown changes the object's class to one whose Add does nothing."""

    def shut_down(self) -> None:
        with self._lock:
            self.__class__ = _Closed
            self._books.close()  # for who is in the other class's Add already
            self._wake_all()


class _Closed(BecomesAnother):
    def add(self, item: Hashable) -> None:
        """Do nothing: the queue is shut down."""

    def shutting_down(self) -> bool:
        return True


class ReplacesItsMethods(Plain):
    """A shutdown replaces the object's Add by a function that does nothing."""

    def shut_down(self) -> None:
        with self._lock:
            self.add = MethodType(_refuse, self)  # type: ignore[method-assign]
            self._books.close()  # for who is in its own Add already
            self._wake_all()


def _refuse(queue: ReplacesItsMethods, item: Hashable) -> None: ...


class _State(NamedTuple):
    """The immutable state of a queue."""

    line: tuple[Hashable, ...] = ()
    dirty: frozenset[Hashable] = frozenset()
    processing: frozenset[Hashable] = frozenset()
    closed: bool = False


class CopiesOnWrite(Plain):
    """Each change replaces the whole state by a new one, which Len reads without a lock."""

    def __init__(self) -> None:
        super().__init__()
        self._now = _State()

    def add(self, item: Hashable) -> None:
        with self._lock:
            now = self._now
            if not now.closed and item not in now.dirty:
                line = now.line if item in now.processing else (*now.line, item)
                self._follow(line=line, dirty=now.dirty | {item})

    def get(self) -> Answer:
        with self._lock:
            while not self._now.line:
                if self._now.closed:
                    return GO_HOME
                self._wait()
            item, *line = self._now.line
            dirty, processing = self._now.dirty - {item}, self._now.processing | {item}
            self._follow(line=tuple(line), dirty=dirty, processing=processing)
            return item, False

    def done(self, item: Hashable) -> None:
        with self._lock:
            now = self._now
            line = (*now.line, item) if item in now.dirty & now.processing else now.line
            self._follow(line=line, processing=now.processing - {item})

    def __len__(self) -> int:
        return len(self._now.line)

    def shut_down(self) -> None:
        with self._lock:
            self._follow(closed=True)

    def shutting_down(self) -> bool:
        return self._now.closed

    def _follow(self, **changes: Any) -> None:
        self._now = self._now._replace(**changes)
        self._wake_all()


SOUND: tuple[Callable[[], Any], ...] = (
    *(veiled, Forwarded, MadeAMonitor, BecomesAnother, ReplacesItsMethods, CopiesOnWrite),
)
