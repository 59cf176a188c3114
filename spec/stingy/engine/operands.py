"""Operands of bytecode instructions: where to find each when a thread reaches the instruction.

The value stack of a frame cannot be read from outside. So the code before an instruction is read,
and each value on the stack is noted with the variable, global or attribute that it was loaded
from. Reading that again gives the same value unless another thread has assigned it meanwhile. So a
value that others may assign is forgotten at each point where another thread could run.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType, MemberDescriptorType, ModuleType
from typing import Any

from msgspec import Struct

from stingy.engine.cpython import ATTRIBUTES_TELL_METHODS, NULL_IS_ON_TOP
from stingy.engine.frames import look_at_locals


class Spot(Struct, frozen=True):
    """The place in the code that a thread has reached."""

    frame: FrameType
    files: Collection[str]
    """The files with the candidate's own code."""
    returned: Returned | None = None
    """The last return since the thread's previous scheduling point; None if there was none."""


class Returned(Struct, frozen=True):
    """The last value that the candidate's own code returned in a thread."""

    to: int
    """``id`` of the frame that it was returned to."""
    kind: type


class Unknown(Exception):  # noqa: N818 - it is no error
    """An operand's value cannot be found without running code, or not at all."""


class Value:
    """A value on the simulated stack about which nothing else is known."""

    loose = False
    """True if other threads may assign the variable, attribute or item that it was loaded from."""
    is_new = True
    """True if an instruction has just created it, so that it was not loaded from a variable."""

    @property
    def written(self) -> str:
        """The expression in the source that it was loaded by; empty if unknown."""
        return ""

    def find(self, spot: Spot) -> Any:  # noqa: ARG002
        """Return the object that is this value. Raises Unknown if it cannot be found."""
        raise Unknown

    def is_of(self, name: str) -> bool:  # noqa: ARG002
        """Return True if the value was loaded from this variable, or from an attribute or item of it."""
        return False


class Known(Value):
    """A value on the simulated stack that was loaded from a known place."""

    is_new = False


@dataclass(frozen=True)
class Constant(Known):
    value: Any

    def find(self, spot: Spot) -> Any:  # noqa: ARG002
        return self.value


@dataclass(frozen=True)
class Local(Known):
    """The value of a variable of the function, or of an enclosing one."""

    name: str
    loose: bool = False

    @property
    def written(self) -> str:
        return self.name

    def find(self, spot: Spot) -> Any:
        try:
            return look_at_locals(spot.frame)[self.name]
        except KeyError:
            raise Unknown from None

    def is_of(self, name: str) -> bool:
        return self.name == name


@dataclass(frozen=True)
class Global(Known):
    name: str
    loose: bool = False

    @property
    def written(self) -> str:
        return self.name

    def find(self, spot: Spot) -> Any:
        for names in (spot.frame.f_globals, spot.frame.f_builtins):
            if self.name in names:
                return names[self.name]
        raise Unknown

    def is_of(self, name: str) -> bool:
        return self.name == name


@dataclass(frozen=True)
class Attribute(Known):
    of: Value
    name: str
    loose: bool = False

    @property
    def written(self) -> str:
        return self.of.written and f"{self.of.written}.{self.name}"

    def find(self, spot: Spot) -> Any:
        return attribute(self.of.find(spot), self.name)

    def is_of(self, name: str) -> bool:
        return self.of.is_of(name)


@dataclass(frozen=True)
class Method(Attribute):
    """A method that is about to be called: its object, and its name."""


@dataclass(frozen=True)
class Item(Known):
    """The value that a container has under a constant key."""

    of: Value
    key: Any
    loose = True

    @property
    def written(self) -> str:
        return self.of.written and f"{self.of.written}[{self.key!r}]"

    def find(self, spot: Spot) -> Any:
        container = self.of.find(spot)
        if type(container) not in (tuple, list, dict):
            raise Unknown
        try:
            return container[self.key]
        except (LookupError, TypeError):
            raise Unknown from None

    def is_of(self, name: str) -> bool:
        return self.of.is_of(name)


@dataclass(frozen=True)
class Iterating(Known):
    """An iterator of a ``for`` loop; ``find`` returns the object that it iterates over."""

    of: Value

    @property
    def loose(self) -> bool:  # type: ignore[override]
        return self.of.loose

    @property
    def written(self) -> str:
        return self.of.written

    def find(self, spot: Spot) -> Any:
        return self.of.find(spot)

    def is_of(self, name: str) -> bool:
        return self.of.is_of(name)


@dataclass(frozen=True)
class Operands:
    """The operands of an instruction.

    ``subject`` is the object that the instruction works on. For a call, ``subject`` is the callee,
    and ``others`` are the arguments.
    """

    subject: Value
    others: Sequence[Value] = ()
    plain: bool = True
    """True if all arguments are positional."""


@dataclass(frozen=True, eq=False)
class Called(Value):
    """The return value of a call."""

    call: Operands


@dataclass(frozen=True, eq=False)
class Leaving(Value):
    """The ``__exit__`` of one of these context managers, called at the end of a ``with`` block."""

    managers: Sequence[Value]


def attribute(thing: Any, name: str) -> Any:
    """Return an attribute without running any code. Raises Unknown if that is impossible."""
    kind = type(thing)
    if kind is ModuleType:
        found = vars(thing).get(name, _NOTHING)
    elif is_plain(kind):
        found = _of_an_instance(thing, kind, name)
    else:
        found = _NOTHING
    if found is _NOTHING:
        raise Unknown
    return found


def is_plain(kind: type) -> bool:
    """Return True if the class looks up attributes as ``object`` does, without code of its own."""
    return _find_in_class(kind, "__getattribute__") is _AS_USUAL


def look_up(kind: type, name: str) -> Any:
    """Return what a class or one of its bases defines under this name; None if none does."""
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return None


def _of_an_instance(thing: Any, kind: type, name: str) -> Any:
    found = look_up(kind, name)
    if type(found) is MemberDescriptorType:
        return found.__get__(thing, kind)
    if hasattr(type(found), "__set__"):
        return _NOTHING
    own: Mapping[str, Any] = getattr(thing, "__dict__", {})
    if name in own:
        return own[name]
    return _NOTHING if found is None or hasattr(type(found), "__get__") else found


_NOTHING: Any = object()
_AS_USUAL = vars(object)["__getattribute__"]
_find_in_class = type.__getattribute__
"""Look a name up as ``look_up`` does, but in C; bind it if it is a descriptor. No metaclass is asked."""

_NULL = Constant(None)
"""The null that CPython keeps on the stack beside a callee that is not a method."""


def operands(
    steps: Sequence[dis.Instruction],
    constant: Collection[str],
    shared: Collection[str],
    points: Collection[int],
) -> Mapping[int, Operands]:
    """Return what is known of the operands of a code object's instructions, by offset.

    ``constant`` are attributes that are not assigned after their object's construction, ``shared``
    are variables and globals that other threads may assign, and ``points`` are the offsets before
    which another thread may run.
    """
    found: dict[int, Operands] = {}
    reader = _Reader(constant, shared)
    loops = _Loops(steps)
    for step in steps:
        if step.opname in _PASSED_OVER:
            continue
        if getattr(step, "is_jump_target", False):
            reader.joins(loops.stays(step, reader.top))
        worked_on = reader.read(step, alone=step.offset not in points)
        if worked_on is not None:
            found[step.offset] = worked_on
    return found


class _Loops:
    """The ``for`` loops of a code object: in which of them every round uses the same iterator.

    Those are the loops that give no new value to a name by which the iterator was found.
    """

    def __init__(self, steps: Iterable[dis.Instruction]) -> None:
        self._stores = [
            (step.offset, name)
            for step in steps
            if step.opname.startswith(("STORE_FAST", "DELETE_FAST", "STORE_DEREF", "LOAD_FAST_AND_CLEAR"))
            for name in _names(step)
        ]

    def stays(self, step: dis.Instruction, top: Value) -> Value | None:
        """Return ``top``, the iterator at a ``for`` instruction, if every round uses it; else None."""
        if step.opname != "FOR_ITER" or not isinstance(top, Iterating) or top.loose:
            return None
        within = [name for offset, name in self._stores if step.offset < offset < step.argval]
        return None if any(map(top.is_of, within)) else top


class _Reader:
    """Simulates the value stack through the instructions of a code object, to find operands."""

    def __init__(self, constant: Collection[str], shared: Collection[str]) -> None:
        self._constant = constant
        self._shared = shared
        self._stack: list[Value] = []
        """The known upper part of the stack, its top last; what lies below is not known."""
        self._pushed = 0
        """How many of these values the current instruction has pushed."""
        self._keywords = False
        """True if the next call has keyword arguments."""
        self._managers: list[Value] = []
        """The context managers of all ``with`` blocks entered so far."""

    @property
    def top(self) -> Value:
        return self._stack[-1] if self._stack else Value()

    def joins(self, top: Value | None) -> None:
        """Forget all values on the stack but ``top``, because another instruction may jump here."""
        self._stack = [top] if top is not None else []

    def read(self, step: dis.Instruction, *, alone: bool) -> Operands | None:
        """Simulate an instruction; return its operands, or None if it has none or is not supported.

        ``alone``: no other thread can run before the instruction.
        """
        self._pushed = 0
        name = "POP_JUMP" if step.opname.startswith("POP_JUMP") else step.opname
        if name not in _READERS:
            self._stack.clear()
            return None
        worked_on = _READERS[name](self, step)
        if not alone or not self._runs_no_code(step):
            below = len(self._stack) - self._pushed
            self._stack[:below] = [Value() if it.loose else it for it in self._stack[:below]]
        return worked_on

    def _runs_no_code(self, step: dis.Instruction) -> bool:
        """Return True if the instruction certainly runs no other code, such as that of a property."""
        if step.opname == "LOAD_ATTR" and not is_method(step):
            return str(step.argval) in self._constant
        return step.opname in _ALONE

    def _pop(self) -> Value:
        return self._stack.pop() if self._stack else Value()

    def _pop_all(self, count: int) -> list[Value]:
        return [self._pop() for _ in range(count)][::-1]

    def _push(self, *values: Value) -> None:
        self._stack.extend(values)
        self._pushed += len(values)

    def _forget(self, name: str) -> None:
        """Forget the values that were loaded from this variable, which is about to change."""
        self._stack = [Value() if it.is_of(name) else it for it in self._stack]

    # Variables.

    def load(self, step: dis.Instruction) -> None:
        for name in _names(step):
            self._push(Local(name, loose=name in self._shared))

    def load_global(self, step: dis.Instruction) -> None:
        value = Global(str(step.argval), loose=step.argval in self._shared)
        if not (step.arg or 0) & 1:
            self._push(value)
        elif NULL_IS_ON_TOP:
            self._push(value, _NULL)
        else:
            self._push(_NULL, value)

    def load_constant(self, step: dis.Instruction) -> None:
        self._push(Constant(step.argval))

    def push_null(self, step: dis.Instruction) -> None:  # noqa: ARG002
        self._push(_NULL)

    def store(self, step: dis.Instruction) -> None:
        for name in _names(step):
            value = self._pop()
            self._forget(name)
            if value.is_new:
                self._stack = [Local(name) if it is value else it for it in self._stack]

    def store_and_load(self, step: dis.Instruction) -> None:
        stored, loaded = _names(step)
        self._pop()
        self._forget(stored)
        self._push(Local(loaded))

    def store_for_others(self, step: dis.Instruction) -> None:
        self._pop()
        self._forget(str(step.argval))

    def forget(self, step: dis.Instruction) -> None:
        self._forget(str(step.argval))

    def load_and_forget(self, step: dis.Instruction) -> None:
        self._forget(str(step.argval))
        self._push(Value())

    # Attributes.

    def load_attribute(self, step: dis.Instruction) -> Operands:
        of, name = self._pop(), str(step.argval)
        if is_method(step):
            self._push(Method(of, name, of.loose), _NULL)
        elif of.loose:
            self._push(Value())
        else:
            self._push(Attribute(of, name, loose=name not in self._constant))
        return Operands(of)

    def store_attribute(self, step: dis.Instruction) -> Operands:  # noqa: ARG002
        return Operands(self._pop_all(2)[1])

    def delete_attribute(self, step: dis.Instruction) -> Operands:  # noqa: ARG002
        return Operands(self._pop())

    # Containers.

    def take_item(self, step: dis.Instruction) -> Operands:  # noqa: ARG002
        container, key = self._pop_all(2)
        if isinstance(key, Constant) and not container.loose and not container.is_new:
            self._push(Item(container, key.value))
        else:
            self._push(Value())
        return Operands(container)

    def take_two(self, step: dis.Instruction) -> Operands:
        if step.opname == "BINARY_OP" and step.argrepr == "[]":
            return self.take_item(step)
        return self._take(2)

    def take_three(self, step: dis.Instruction) -> Operands:  # noqa: ARG002
        return self._take(3)

    def _take(self, count: int) -> Operands:
        subject, *others = self._pop_all(count)
        self._push(Value())
        return Operands(subject, others)

    def look_into(self, step: dis.Instruction) -> Operands:  # noqa: ARG002
        subject = self._pop_all(2)[1]
        self._push(Value())
        return Operands(subject)

    def change_item(self, step: dis.Instruction) -> Operands:  # noqa: ARG002
        return Operands(self._pop_all(3)[1])

    def change_slice(self, step: dis.Instruction) -> Operands:  # noqa: ARG002
        return Operands(self._pop_all(4)[1])

    def delete_item(self, step: dis.Instruction) -> Operands:  # noqa: ARG002
        return Operands(self._pop_all(2)[0])

    def turn(self, step: dis.Instruction) -> Operands:  # noqa: ARG002
        return self._take(1)

    def go_over(self, step: dis.Instruction) -> Operands:  # noqa: ARG002
        subject = self.top
        self._push(Value())
        return Operands(subject)

    def iterate(self, step: dis.Instruction) -> Operands:  # noqa: ARG002
        subject = self._pop()
        self._push(Iterating(subject))
        return Operands(subject)

    def take_off(self, step: dis.Instruction) -> Operands:  # noqa: ARG002
        return Operands(self._pop())

    def unpack(self, step: dis.Instruction) -> Operands:
        subject = self._pop()
        self._push(*(Value() for _ in range(step.arg or 0)))
        return Operands(subject)

    def build(self, step: dis.Instruction) -> None:
        self._pop_all((step.arg or 0) * (2 if step.opname == "BUILD_MAP" else 1))
        self._push(Value())

    # The stack itself.

    def pop(self, step: dis.Instruction) -> None:  # noqa: ARG002
        self._pop()

    def copy(self, step: dis.Instruction) -> None:
        self._fill(step.arg or 0)
        self._push(self._stack[-(step.arg or 0)])

    def swap(self, step: dis.Instruction) -> None:
        count = step.arg or 0
        self._fill(count)
        self._stack[-1], self._stack[-count] = self._stack[-count], self._stack[-1]

    def _fill(self, count: int) -> None:
        """Extend the known part of the stack to ``count`` values, with unknown ones at the bottom."""
        self._stack[:0] = [Value() for _ in range(count - len(self._stack))]

    # Calls.

    def note_names(self, step: dis.Instruction) -> None:  # noqa: ARG002
        self._keywords = True

    def call(self, step: dis.Instruction) -> Operands:
        keywords, self._keywords = self._keywords, False
        arguments = self._pop_all(step.arg or 0)
        callee = self._called(arguments)
        call = Operands(callee, arguments, plain=not keywords)
        self._push(Value() if type(callee) is Value else Called(call))
        return call

    def call_with_names(self, step: dis.Instruction) -> Operands:
        self._pop()
        self._keywords = True
        return self.call(step)

    def _called(self, arguments: Sequence[Value]) -> Value:
        """Pop a call's callee and its companion (a null, or a method's object); return the callee."""
        one, other = self._pop_all(2)
        callee = other if one is _NULL else one
        nothing = [type(it) is Constant and it.find(_NOWHERE) is None for it in (other, *arguments)]
        # A ``with`` block ends with a call of ``__exit__`` with three times None. Before Python
        # 3.14, the first None lies where a null or an object would.
        leaves = nothing in ([True] * 3, [False, True, True, True])
        if leaves and type(callee) is Value and self._managers:
            return Leaving(tuple(self._managers))
        return callee

    def enter(self, step: dis.Instruction) -> None:  # noqa: ARG002
        self._managers.append(self._pop())
        self._push(Value(), Value())

    def load_special(self, step: dis.Instruction) -> None:
        """Push a special method and its object on the simulated stack.

        Python 3.14 does so for a context manager.
        """
        of = self._pop()
        if step.arg == 1:
            self._managers.append(of)
        self._push(Value(), Value())


_NOWHERE: Any = None

_PASSED_OVER = (
    "CACHE",
    "PRECALL",
    "NOP",
    "RESUME",
    "EXTENDED_ARG",
    "COPY_FREE_VARS",
    "MAKE_CELL",
    "NOT_TAKEN",
)

_READERS: Mapping[str, Callable[[_Reader, dis.Instruction], Operands | None]] = {
    "LOAD_FAST": _Reader.load,
    "LOAD_FAST_CHECK": _Reader.load,
    "LOAD_FAST_BORROW": _Reader.load,
    "LOAD_FAST_LOAD_FAST": _Reader.load,
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": _Reader.load,
    "LOAD_FAST_AND_CLEAR": _Reader.load_and_forget,
    "LOAD_DEREF": _Reader.load,
    "LOAD_GLOBAL": _Reader.load_global,
    "LOAD_CONST": _Reader.load_constant,
    "LOAD_SMALL_INT": _Reader.load_constant,
    "PUSH_NULL": _Reader.push_null,
    "STORE_FAST": _Reader.store,
    "STORE_FAST_STORE_FAST": _Reader.store,
    "STORE_FAST_LOAD_FAST": _Reader.store_and_load,
    "STORE_GLOBAL": _Reader.store_for_others,
    "STORE_DEREF": _Reader.store_for_others,
    "DELETE_FAST": _Reader.forget,
    "DELETE_DEREF": _Reader.forget,
    "LOAD_ATTR": _Reader.load_attribute,
    "LOAD_METHOD": _Reader.load_attribute,
    "STORE_ATTR": _Reader.store_attribute,
    "DELETE_ATTR": _Reader.delete_attribute,
    "BINARY_SUBSCR": _Reader.take_item,
    "BINARY_SLICE": _Reader.take_three,
    "STORE_SUBSCR": _Reader.change_item,
    "STORE_SLICE": _Reader.change_slice,
    "DELETE_SUBSCR": _Reader.delete_item,
    "CONTAINS_OP": _Reader.look_into,
    "BINARY_OP": _Reader.take_two,
    "COMPARE_OP": _Reader.take_two,
    "IS_OP": _Reader.take_two,
    "UNARY_NOT": _Reader.turn,
    "UNARY_NEGATIVE": _Reader.turn,
    "UNARY_INVERT": _Reader.turn,
    "TO_BOOL": _Reader.turn,
    "POP_JUMP": _Reader.take_off,
    "JUMP_IF_TRUE_OR_POP": _Reader.take_off,
    "JUMP_IF_FALSE_OR_POP": _Reader.take_off,
    "GET_ITER": _Reader.iterate,
    "FOR_ITER": _Reader.go_over,
    "GET_LEN": _Reader.go_over,
    "UNPACK_SEQUENCE": _Reader.unpack,
    "LIST_APPEND": _Reader.take_off,
    "SET_ADD": _Reader.take_off,
    "LIST_EXTEND": _Reader.take_off,
    "SET_UPDATE": _Reader.take_off,
    "DICT_UPDATE": _Reader.take_off,
    "BUILD_LIST": _Reader.build,
    "BUILD_TUPLE": _Reader.build,
    "BUILD_SET": _Reader.build,
    "BUILD_MAP": _Reader.build,
    "POP_TOP": _Reader.pop,
    "COPY": _Reader.copy,
    "SWAP": _Reader.swap,
    "KW_NAMES": _Reader.note_names,
    "CALL": _Reader.call,
    "CALL_KW": _Reader.call_with_names,
    "BEFORE_WITH": _Reader.enter,
    "LOAD_SPECIAL": _Reader.load_special,
}
"""How to simulate each instruction. Any other instruction makes the whole stack unknown."""

_ALONE = frozenset(
    (
        *("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW", "LOAD_FAST_LOAD_FAST", "LOAD_FAST_AND_CLEAR"),
        *("LOAD_FAST_BORROW_LOAD_FAST_BORROW", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_CONST", "LOAD_SMALL_INT"),
        *("PUSH_NULL", "STORE_FAST", "STORE_FAST_STORE_FAST", "STORE_FAST_LOAD_FAST", "KW_NAMES", "IS_OP"),
        *("LOAD_METHOD", "LOAD_ATTR", "BUILD_LIST", "BUILD_TUPLE", "LIST_APPEND", "COPY", "SWAP"),
    )
)
"""Instructions that run no other code.

LOAD_METHOD runs none either, unless the class replaces ``__getattribute__``, which is rare.
"""


def is_method(step: dis.Instruction) -> bool:
    """Return True if this instruction loads an attribute that is called next."""
    return step.opname == "LOAD_METHOD" or (ATTRIBUTES_TELL_METHODS and bool((step.arg or 0) & 1))


def _names(step: dis.Instruction) -> Iterator[str]:
    """Yield the variables that an instruction loads or stores: one, or two since Python 3.13."""
    yield from step.argval if isinstance(step.argval, tuple) else (str(step.argval),)
