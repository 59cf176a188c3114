"""Analysis of bytecode: what each instruction touches that other threads could touch too.

A preemption has an effect only before an instruction that touches what another thread may change.
Attributes that only constructors assign are constant. Each code object is analysed once. Which
container or object an instruction works on is looked up when a thread reaches the instruction.
"""

from __future__ import annotations

import dis
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType

from stingy.engine.operands import Operands, Spot, Unknown, is_method, operands
from stingy.engine.places import BY_UNKNOWN_CODE, HEAP, READS_HEAP, WRITES_HEAP, Access, of_variable
from stingy.engine.touching import (
    find,
    of_attribute,
    of_call,
    of_comparison,
    of_foreign_attribute,
    of_next,
    of_operator,
    of_special,
    of_truth,
)

Touch = Callable[[Operands, Spot], Access | None]
"""Return what an instruction touches, given its operands and where the thread is.

None means nothing that another thread could touch. Unknown is raised if an operand is not found.
"""


class Deferred(Access, frozen=True):
    """An access to memory whose objects are looked up when a thread reaches the instruction.

    If the lookup fails, ``reads`` and ``changes`` are used. They name whole kinds of places, as all
    containers.
    """

    operands: Operands | None = None
    touch: Touch | None = None

    def seen_from(self, spot: Spot) -> Access | None:
        assert self.operands is not None
        assert self.touch is not None
        try:
            return self.touch(self.operands, spot)
        except Unknown:
            return Access(self.reads, self.changes)


_WRITING = ("STORE_SUBSCR", "STORE_SLICE", "DELETE_SUBSCR", "BINARY_OP")
_READING = (
    *("BINARY_SUBSCR", "BINARY_SLICE", "CONTAINS_OP", "COMPARE_OP", "UNARY_NOT", "TO_BOOL"),
    *("FOR_ITER", "GET_ITER", "GET_LEN", "UNPACK", "MATCH"),
    *("LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE"),
)
_BRANCHING = ("POP_JUMP", "JUMP_IF")
"""Prefixes of conditional jumps. A jump that tests whether a container is empty reads it.

After an instruction of ``_ANSWERING``, a jump tests a bool and reads nothing.
"""
_ANSWERING = ("COMPARE_OP", "CONTAINS_OP", "IS_OP", "UNARY_NOT", "TO_BOOL")
_PASSED_OVER = ("CACHE", "PRECALL", "EXTENDED_ARG", "NOP")

MOST_CODES = 4096
"""How many code objects are remembered: a module that each session imports anew has equal ones each time."""
_ASSIGNING = {dis.opmap[f"{what}_{of}"] for what in ("STORE", "DELETE") for of in ("ATTR", "GLOBAL", "DEREF")}
_CONSTRUCTORS = {"__init__", "__new__", "__post_init__"}
_UNSEEN = {"setattr", "delattr", "vars", "__dict__", "__setattr__", "exec", "eval"}
"""A candidate that uses one of these names may assign attributes without a STORE_ATTR."""
_OF_LOCKS = {"acquire", "release", "locked", "wait", "wait_for", "notify", "notify_all", "notifyAll"}
"""Methods of locks and conditions, which are scheduling points of their own."""
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
    """Names in the candidate's files, grouped by where they are assigned."""

    assigned: frozenset[str]
    """Attributes assigned outside constructors; all assigned ones if a name of _UNSEEN is used."""
    constant: frozenset[str]
    """Attributes that only constructors assign, and methods."""
    own: frozenset[str]
    """Private functions (``_name``) of the candidate, which a call by that name certainly means.

    No method of a container has the same name.
    """
    shared: frozenset[str]
    """Globals, and variables of an outer function, that some function assigns."""
    set_once: frozenset[str] = frozenset()
    """Attributes that constructors assign and no other code does; no methods."""

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
            attributes, variables = _assigned_by(code)
            (at_first if code.co_name in _CONSTRUCTORS else assigned).update(attributes)
            shared |= variables
        if names & _UNSEEN:
            assigned |= at_first
        own = {name for name in functions if name.startswith("_")} - _OF_CONTAINERS
        return Names(
            frozenset(assigned),
            frozenset((at_first | functions) - assigned),
            frozenset(own - assigned),
            frozenset(shared),
            frozenset(at_first - assigned - functions),
        )


@lru_cache(maxsize=MOST_CODES)
def _assigned_by(code: CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """Return the attributes and the shared variables that this code assigns or deletes."""
    attributes, variables = set(), set()
    steps = () if _ASSIGNING.isdisjoint(code.co_code[::2]) else dis.get_instructions(code)
    for step in steps:
        stored = str(step.argval)
        match step.opname:
            case "STORE_ATTR" | "DELETE_ATTR":
                attributes.add(stored)
            case "STORE_GLOBAL" | "DELETE_GLOBAL":
                variables.add(stored)
            case "STORE_DEREF" | "DELETE_DEREF" if stored in code.co_freevars:
                variables.add(stored)
    return frozenset(attributes), frozenset(variables)


@lru_cache(maxsize=MOST_CODES)
def accesses(code: CodeType, names: Names) -> Mapping[int, Access]:
    """Return the accesses of a code object's instructions to shared memory, by offset.

    Instructions that touch nothing that other threads could touch too are left out.
    """
    steps = list(dis.get_instructions(code))
    found: dict[int, tuple[dis.Instruction, Access]] = {}
    before = called = ""
    for step in steps:
        access = _call(called, names) if _is_call(step) else _access(step, before, names)
        if access is not None:
            found[step.offset] = step, access
        called = _find_called(step, called)
        if step.opname not in _PASSED_OVER:
            before = step.opname
    worked_on = operands(steps, names.set_once, names.shared | names.assigned, found)
    return {offset: _defer(step, access, worked_on.get(offset)) for offset, (step, access) in found.items()}


def _defer(step: dis.Instruction, access: Access, worked_on: Operands | None) -> Access:
    """Return a Deferred in place of this access, or the same access if no operands are known."""
    touch = _touch(step, changes=bool(access.changes), foreign=HEAP in access.reads)
    if worked_on is None or touch is None:
        return access
    return Deferred(access.reads, access.changes, operands=worked_on, touch=touch)


def _touch(step: dis.Instruction, *, changes: bool, foreign: bool) -> Touch | None:
    operation = step.opname
    if operation in ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "DELETE_ATTR"):
        name = str(step.argval)
        if foreign:
            return lambda given, spot: of_foreign_attribute(find(given.subject, spot), name)
        return lambda given, spot: of_attribute(find(given.subject, spot), name, changes=changes)
    if _is_call(step):
        return of_call
    if operation == "BINARY_OP" and step.argrepr != "[]":
        return lambda given, spot: of_operator(given, step.argrepr, spot)
    if operation == "COMPARE_OP":
        method = _COMPARING.get(str(step.argval).removeprefix("bool(").removesuffix(")"))
        if method is None:
            return None
        return lambda given, spot: of_comparison(given, method, spot)
    if operation.startswith((*_BRANCHING, "UNARY_NOT", "TO_BOOL")):
        return lambda given, spot: of_truth(find(given.subject, spot), spot.files)
    if operation == "FOR_ITER":
        return lambda given, spot: of_next(given.subject, spot)
    special = _SPECIAL.get("BINARY_SUBSCR" if operation == "BINARY_OP" else operation)
    if special is None:
        return None
    return lambda given, spot: of_special(find(given.subject, spot), special, spot.files, changes=changes)


_COMPARING = {
    "<": "__lt__",
    "<=": "__le__",
    "==": "__eq__",
    "!=": "__ne__",
    ">": "__gt__",
    ">=": "__ge__",
}
_SPECIAL = {
    "BINARY_SUBSCR": "__getitem__",
    "BINARY_SLICE": "__getitem__",
    "STORE_SUBSCR": "__setitem__",
    "STORE_SLICE": "__setitem__",
    "DELETE_SUBSCR": "__delitem__",
    "CONTAINS_OP": "__contains__",
    "GET_ITER": "__iter__",
    "GET_LEN": "__len__",
    "UNPACK_SEQUENCE": "__iter__",
    "LIST_EXTEND": "__iter__",
    "SET_UPDATE": "__iter__",
}
"""The special methods that Python calls for these instructions."""


def _access(step: dis.Instruction, before: str, names: Names) -> Access | None:
    operation, name = step.opname, str(step.argval)
    match operation:
        case "LOAD_METHOD" | "LOAD_ATTR":
            if name in names.assigned:
                return Access(reads=((f".{name}", None),))
            return None if name in names.constant or is_method(step) else READS_HEAP
        case "STORE_ATTR" | "DELETE_ATTR":
            return Access(changes=((f".{name}", None),))
        case "LOAD_GLOBAL" | "LOAD_DEREF" | "LOAD_NAME":
            return Access(reads=(of_variable(name),)) if name in names.shared else None
        case "STORE_GLOBAL" | "DELETE_GLOBAL" | "STORE_DEREF" | "DELETE_DEREF":
            return Access(changes=(of_variable(name),)) if name in names.shared else None
    if operation == "BINARY_OP" and step.argrepr == "[]":
        return READS_HEAP  # Python 3.14 has it instead of BINARY_SUBSCR
    if operation.startswith(_WRITING):
        return WRITES_HEAP
    branches = operation.startswith(_BRANCHING) and "NONE" not in operation and before not in _ANSWERING
    return READS_HEAP if branches or operation.startswith(_READING) else None


def _call(called: str, names: Names) -> Access | None:
    if called in names.own or called in _OF_LOCKS or called in _TOUCH_NOTHING:
        return None
    return READS_HEAP if called in _TOUCH_TO_READ else BY_UNKNOWN_CODE


def _is_call(step: dis.Instruction) -> bool:
    return step.opname.startswith("CALL") and not step.opname.startswith("CALL_INTRINSIC")


def _find_called(step: dis.Instruction, called: str) -> str:
    """Return the name of the function that the next call instruction calls; "" if it is unknown.

    ``called`` is that name before this instruction.
    """
    match step.opname:
        case "LOAD_METHOD" | "LOAD_ATTR" | "LOAD_SUPER_ATTR":
            return str(step.argval) if is_method(step) else ""
        case "LOAD_GLOBAL" if (step.arg or 0) & 1:
            return str(step.argval)
        case "LOAD_SPECIAL":
            # Python 3.14 has two of these instead of BEFORE_WITH: __exit__ is loaded for later,
            # __enter__ is called next.
            return "__enter__"
        case "PUSH_NULL":
            return ""
    return "" if _is_call(step) or "JUMP" in step.opname else called


def codes_within(code: CodeType) -> Iterator[CodeType]:
    """Yield this code object and all code objects that are defined inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_within(constant)
