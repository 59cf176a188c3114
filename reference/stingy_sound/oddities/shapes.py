"""Classes of every shape: slots, proxies, descriptors, metaclasses, mixins, states, and objects that become others."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import singledispatchmethod
from inspect import isfunction
from threading import Condition, Lock
from types import MethodType
from typing import Any, NamedTuple

from stingy_sound.oddities.books import GO_HOME, Answer, Books, Plain


@dataclass(slots=True, eq=False)
class Slotted:
    """A dataclass with slots and no ``__dict__``, nor any reference that is weak."""

    books: Books = field(default_factory=Books)
    changed: Any = field(default_factory=Condition)

    def add(self, item: Hashable) -> None:
        with self.changed:
            self.books.add(item)
            self.changed.notify()

    def get(self) -> Answer:
        with self.changed:
            while not (self.books.line or self.books.closed):
                self.changed.wait()
            return self.books.take() or GO_HOME

    def done(self, item: Hashable) -> None:
        with self.changed:
            if self.books.finish(item):
                self.changed.notify()

    def __len__(self) -> int:
        with self.changed:
            return len(self.books)

    def shut_down(self) -> None:
        with self.changed:
            self.books.close()
            self.changed.notify_all()

    def shutting_down(self) -> bool:
        with self.changed:
            return self.books.closed


class Veiled:
    """What stands before a queue, and has no method of its own but ``__getattr__``, which finds all of them behind it."""

    def __init__(self, behind: Any) -> None:
        self._behind = behind

    def __getattr__(self, name: str) -> Any:
        return getattr(self._behind, name)

    def __len__(self) -> int:
        return len(self._behind)


def veiled() -> Veiled:
    """A factory, and no class: it makes a queue behind a veil behind a veil."""
    return Veiled(Veiled(Plain()))


class _Forward:
    """A descriptor: the method of the same name of what the object has inside."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, queue: Any, owner: type | None = None) -> Any:
        return getattr(Plain if queue is None else queue.inside, self._name)


class Forwarded:
    """Each of its methods is a descriptor that fetches that of another object, made when it is first asked for."""

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
    """Puts a lock around each public method, and into each object."""

    def __new__(mcs, name: str, parents: tuple[type, ...], body: dict[str, Any]) -> _Monitor:
        for called, thing in body.items():
            if isfunction(thing) and called != "__init__" and (called == "__len__" or called[0] != "_"):
                body[called] = _locked(thing)
        return super().__new__(mcs, name, parents, body)

    def __call__(cls, *args: Any) -> Any:
        made = super().__call__(*args)
        made.changed = Condition()
        return made


def _locked(method: Callable[..., Any]) -> Callable[..., Any]:
    def alone(self: Any, *args: Any) -> Any:
        with self.changed:
            return method(self, *args)

    return alone


class MadeAMonitor(metaclass=_Monitor):
    """Says nothing of a lock: its metaclass puts one around each method."""

    changed: Any

    def __init__(self) -> None:
        self._books = Books()

    def add(self, item: Hashable) -> None:
        if self._books.add(item):
            self.changed.notify()

    def get(self) -> Answer:
        while (answer := self._books.take()) is None:
            self.changed.wait()
        return answer

    def done(self, item: Hashable) -> None:
        if self._books.finish(item):
            self.changed.notify()

    def __len__(self) -> int:
        return len(self._books)

    def shut_down(self) -> None:
        self._books.close()
        self.changed.notify_all()

    def shutting_down(self) -> bool:
        return self._books.closed


class BecomesAnother(Plain):
    """At its shutdown it becomes an object of another class, whose Add does nothing."""

    def shut_down(self) -> None:
        with self._lock:
            self.__class__ = _Closed
            self._books.close()  # for who is in the other class's Add already
            self._wake_all()


class _Closed(BecomesAnother):
    def add(self, item: Hashable) -> None:
        """Nothing comes in any more."""

    def shutting_down(self) -> bool:
        return True


class ReplacesItsMethods(Plain):
    """Its shutdown puts another function in the place of its Add, in the object."""

    def shut_down(self) -> None:
        with self._lock:
            self.add = MethodType(_refuse, self)  # type: ignore[method-assign]
            self._books.close()  # for who is in its own Add already
            self._wake_all()


def _refuse(queue: ReplacesItsMethods, item: Hashable) -> None: ...


class AsksForgiveness(Plain):
    """Does not look before it takes: an IndexError says that there is nothing, a KeyError that it is not there."""

    def get(self) -> Answer:
        with self._lock:
            while True:
                try:
                    item = self._books.line.popleft()
                except IndexError:
                    if self._books.closed:
                        return GO_HOME
                    self._wait()
                    continue
                self._books.dirty.remove(item)
                self._books.processing.add(item)
                return item, False

    def done(self, item: Hashable) -> None:
        with self._lock:
            try:
                self._books.processing.remove(item)
                self._books.dirty.remove(item)
            except KeyError:
                return
            self._books.dirty.add(item)
            self._books.line.append(item)
            self._wake()


class Added(NamedTuple):
    item: Hashable


class Taken(NamedTuple):
    item: Hashable


class Finished(NamedTuple):
    item: Hashable


@dataclass(frozen=True)
class Seen:
    """What all events so far come to; never changed, only followed by another."""

    line: tuple[Hashable, ...] = ()
    dirty: frozenset[Hashable] = frozenset()
    processing: frozenset[Hashable] = frozenset()
    closed: bool = False


class FoldsItsEvents:
    """Copy on write: each event makes new tuples and sets of the old; who only reads takes what there is, without a lock."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._seen = Seen()

    def add(self, item: Hashable) -> None:
        with self._changed:
            if not self._seen.closed and item not in self._seen.dirty:
                self._see(Added(item))

    def get(self) -> Answer:
        with self._changed:
            while not self._seen.line:
                if self._seen.closed:
                    return GO_HOME
                self._changed.wait()
            item = self._seen.line[0]
            self._see(Taken(item))
            return item, False

    def done(self, item: Hashable) -> None:
        with self._changed:
            self._see(Finished(item))

    def __len__(self) -> int:
        return len(self._seen.line)

    def shut_down(self) -> None:
        with self._changed:
            self._seen = replace(self._seen, closed=True)
            self._changed.notify_all()

    def shutting_down(self) -> bool:
        return self._seen.closed

    def _see(self, event: NamedTuple) -> None:
        self._seen = self._after(event)
        self._changed.notify()

    @singledispatchmethod
    def _after(self, event: NamedTuple) -> Seen:
        raise NotImplementedError(event)

    @_after.register
    def _(self, event: Added) -> Seen:
        seen, item = self._seen, event.item
        queued = seen.line if item in seen.processing else (*seen.line, item)
        return replace(seen, line=queued, dirty=seen.dirty | {item})

    @_after.register
    def _(self, event: Taken) -> Seen:
        seen, item = self._seen, event.item
        return replace(
            seen, line=seen.line[1:], dirty=seen.dirty - {item}, processing=seen.processing | {item}
        )

    @_after.register
    def _(self, event: Finished) -> Seen:
        seen, item = self._seen, event.item
        queued = (*seen.line, item) if item in seen.dirty & seen.processing else seen.line
        return replace(seen, line=queued, processing=seen.processing - {item})


SOUND: tuple[Callable[[], Any], ...] = (
    *(Slotted, veiled, Forwarded, MadeAMonitor, BecomesAnother, ReplacesItsMethods, AsksForgiveness),
    FoldsItsEvents,
)
"""Each is sound; the rules must let each pass."""
