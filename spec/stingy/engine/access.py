"""What a thread is about to touch, as far as its bytecode tells; and which of it others could touch too.

A thread can be interrupted with effect only before it touches what another thread may change. Containers
cannot be told apart from outside, so all of them are one place, *the heap*; so is all that code outside the
candidate's own files does. Attributes are places by their names. What only constructors assign is constant.
"""

from __future__ import annotations

import dis
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import CodeType
from typing import Any, Protocol


class Holdable(Protocol):
    """What a thread may want: a lock."""

    held: bool
    owner: Any
    """Who holds it."""
    access: Access
    """What it is to acquire it."""


@dataclass(frozen=True)
class Access:
    """``places`` has a bit for each."""

    places: int
    writes: bool
    lock: Holdable | None = None
    """What must be free for it."""

    @cached_property
    def bits(self) -> tuple[int, ...]:
        return tuple(1 << n for n in range(self.places.bit_length()) if self.places >> n & 1)

    @cached_property
    def reads(self) -> tuple[int, ...]:
        """The bits of what it only reads."""
        return () if self.writes else self.bits

    @cached_property
    def changes(self) -> tuple[int, ...]:
        """The bits of what it writes."""
        return self.bits if self.writes else ()

    @cached_property
    def acquires(self) -> tuple[int, ...]:
        """The bit of the lock that it takes."""
        return (self.places & ~HEAP,) if self.lock is not None else ()

    def conflicts(self, other: Access) -> bool:
        """Whether it matters which comes first."""
        return bool(self.places & other.places) and (self.writes or other.writes)

    def by_others(self) -> Access:
        """The same, by code that cannot be looked into."""
        return replace(self, places=self.places | HEAP, writes=True)


HEAP = 1
ANY_LOCK = 2
"""Every lock that was made while lanes ran: which is which may differ from run to run."""

_bits: dict[str, int] = {}


def place(name: str) -> int:
    """The bit of this place."""
    return _bits.setdefault(name, 4 << len(_bits))


READS_HEAP, WRITES_HEAP = Access(HEAP, writes=False), Access(HEAP, writes=True)

_WRITING = ("STORE_SUBSCR", "STORE_SLICE", "DELETE_SUBSCR", "BINARY_OP")
_READING = (
    *("BINARY_SUBSCR", "BINARY_SLICE", "CONTAINS_OP", "COMPARE_OP", "UNARY_NOT", "TO_BOOL"),
    *("FOR_ITER", "GET_ITER", "GET_LEN", "UNPACK", "MATCH"),
    *("LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE"),
)
_BRANCHING = ("POP_JUMP", "JUMP_IF")
"""A branch asks a container whether it is empty, unless one of these has given it the answer."""
_ANSWERING = ("COMPARE_OP", "CONTAINS_OP", "IS_OP", "UNARY_NOT", "TO_BOOL")
_PASSED_OVER = ("CACHE", "PRECALL", "EXTENDED_ARG", "NOP")

_CONSTRUCTORS = {"__init__", "__new__", "__post_init__"}
_UNSEEN = {"setattr", "delattr", "vars", "__dict__", "__setattr__", "exec", "eval"}
"""Where these are used, what assigns an attribute cannot be known."""
_OF_LOCKS = {"acquire", "release", "wait", "wait_for", "notify", "notify_all", "notifyAll"}
"""Methods that are scheduling points of their own."""
_OF_CONTAINERS = frozenset(name for kind in (dict, list, set, deque, str, object) for name in dir(kind))
_TOUCH_NOTHING = {"super", "isinstance", "type", "range", "id", "callable", "__enter__"}
_TOUCH_TO_READ = {
    "len",
    "bool",
    "list",
    "tuple",
    "set",
    "frozenset",
    "dict",
    "sorted",
    "min",
    "max",
    "any",
    "all",
    "sum",
}


@dataclass(frozen=True)
class Names:
    """What the candidate's files say of names."""

    assigned: frozenset[str]
    """Attributes that are assigned outside constructors."""
    constant: frozenset[str]
    """Attributes that only constructors assign, and methods."""
    own: frozenset[str]
    """Functions of the candidate, named so that nothing else can be meant."""
    shared: frozenset[str]
    """Globals, and variables of an outer function, that functions assign."""

    @staticmethod
    def of(codes: Iterable[CodeType]) -> Names:
        assigned: set[str] = set()
        at_first: set[str] = set()
        shared: set[str] = set()
        names: set[str] = set()
        functions: set[str] = set()
        for code in codes:
            names.update(code.co_names)
            functions.add(code.co_name)
            for step in dis.get_instructions(code):
                stored = str(step.argval)
                match step.opname:
                    case "STORE_ATTR" | "DELETE_ATTR":
                        (at_first if code.co_name in _CONSTRUCTORS else assigned).add(stored)
                    case "STORE_GLOBAL" | "DELETE_GLOBAL":
                        shared.add(stored)
                    case "STORE_DEREF" | "DELETE_DEREF" if stored in code.co_freevars:
                        shared.add(stored)
        if names & _UNSEEN:
            assigned |= at_first
        own = {name for name in functions if name.startswith("_")} - _OF_CONTAINERS
        return Names(
            frozenset(assigned),
            frozenset((at_first | functions) - assigned),
            frozenset(own - assigned),
            frozenset(shared),
        )


def accesses(code: CodeType, names: Names) -> Mapping[int, Access]:
    """By the offset of an instruction: what it touches that others could touch too."""
    found: dict[int, Access] = {}
    before = called = ""
    for step in dis.get_instructions(code):
        access = _call(called, names) if _is_call(step) else _access(step, before, names)
        if access is not None:
            found[step.offset] = access
        called = _find_called(step, called)
        if step.opname not in _PASSED_OVER:
            before = step.opname
    return found


def _access(step: dis.Instruction, before: str, names: Names) -> Access | None:
    operation, name = step.opname, str(step.argval)
    match operation:
        case "LOAD_METHOD" | "LOAD_ATTR":
            if name in names.assigned:
                return Access(place(f".{name}"), writes=False)
            return None if name in names.constant or _is_method(step) else READS_HEAP
        case "STORE_ATTR" | "DELETE_ATTR":
            return Access(place(f".{name}"), writes=True)
        case "LOAD_GLOBAL" | "LOAD_DEREF" | "LOAD_NAME":
            return Access(place(name), writes=False) if name in names.shared else None
        case "STORE_GLOBAL" | "DELETE_GLOBAL" | "STORE_DEREF" | "DELETE_DEREF":
            return Access(place(name), writes=True) if name in names.shared else None
    if operation == "BINARY_OP" and step.argrepr == "[]":
        return READS_HEAP  # from 3.14 on, in the place of BINARY_SUBSCR
    if operation.startswith(_WRITING):
        return WRITES_HEAP
    branches = operation.startswith(_BRANCHING) and "NONE" not in operation and before not in _ANSWERING
    return READS_HEAP if branches or operation.startswith(_READING) else None


def _call(called: str, names: Names) -> Access | None:
    if called in names.own or called in _OF_LOCKS or called in _TOUCH_NOTHING:
        return None
    return READS_HEAP if called in _TOUCH_TO_READ else WRITES_HEAP


def _is_call(step: dis.Instruction) -> bool:
    return step.opname.startswith("CALL") and not step.opname.startswith("CALL_INTRINSIC")


def _is_method(step: dis.Instruction) -> bool:
    """Whether what is loaded is about to be called; from 3.12 on a bit of LOAD_ATTR says so."""
    return step.opname == "LOAD_METHOD" or (sys.version_info >= (3, 12) and bool((step.arg or 0) & 1))


def _find_called(step: dis.Instruction, called: str) -> str:
    """The name of what the next call will call, if that is known after this instruction."""
    match step.opname:
        case "LOAD_METHOD" | "LOAD_ATTR":
            return str(step.argval) if _is_method(step) else ""
        case "LOAD_GLOBAL" if (step.arg or 0) & 1:
            return str(step.argval)
        case (
            "LOAD_SPECIAL"
        ):  # from 3.14 on, in the place of BEFORE_WITH: of both that it loads, this one is called next
            return "__enter__"
        case "PUSH_NULL" | "LOAD_SUPER_ATTR":
            return ""
    return "" if _is_call(step) or "JUMP" in step.opname else called


def codes_within(code: CodeType) -> Iterator[CodeType]:
    """The code and all that is defined inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_within(constant)
