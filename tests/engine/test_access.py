"""Accesses are read from bytecode, also of a Python that is not installed here."""

import dis
from inspect import CO_OPTIMIZED
from pathlib import Path
from typing import NamedTuple

from stingy.engine import operands
from stingy.engine.access import Names, accesses, codes_within
from stingy.engine.places import HEAP, SURROUNDINGS

MARKED = Path(__file__).with_name("marked.py")
NAMES = Names(frozenset(), frozenset({"_lock", "_items"}), frozenset(), frozenset())


class Step(NamedTuple):
    opname: str
    arg: object
    argval: object
    argrepr: str
    offset: int


IN_3_14 = [
    Step("RESUME", 0, 0, "", 0),
    Step("LOAD_FAST_BORROW", 0, "self", "self", 2),
    Step("LOAD_ATTR", 0, "_lock", "_lock", 4),
    Step("COPY", 1, 1, "", 24),
    Step("LOAD_SPECIAL", 1, 1, "__exit__", 26),
    Step("SWAP", 2, 2, "", 28),
    Step("SWAP", 3, 3, "", 30),
    Step("LOAD_SPECIAL", 0, 0, "__enter__", 32),
    Step("CALL", 0, 0, "", 34),
    Step("POP_TOP", None, None, "", 42),
    Step("LOAD_FAST_BORROW", 0, "self", "self", 44),
    Step("LOAD_ATTR", 2, "_items", "_items", 46),
    Step("LOAD_SMALL_INT", 0, 0, "", 66),
    Step("BINARY_OP", 26, 26, "[]", 68),
    Step("SWAP", 3, 3, "", 80),
    Step("SWAP", 2, 2, "", 82),
    Step("LOAD_CONST", 1, None, "None", 84),
    Step("LOAD_CONST", 1, None, "None", 86),
    Step("LOAD_CONST", 1, None, "None", 88),
    Step("CALL", 3, 3, "", 90),
    Step("POP_TOP", None, None, "", 98),
    Step("RETURN_VALUE", None, None, "", 100),
]
"""``with self._lock: return self._items[0]``, as CPython 3.14.2 disassembles it, without what follows an exception."""


def test_accesses_are_read_from_the_bytecode_of_3_14(monkeypatch):
    """Taking a lock is no access but a scheduling point of its own, and looking up an index only reads."""
    monkeypatch.setattr(dis, "get_instructions", lambda _: IN_3_14)
    monkeypatch.setattr(operands, "NULL_IS_ON_TOP", True)
    monkeypatch.setattr(operands, "ATTRIBUTES_TELL_METHODS", True)
    found = accesses((lambda: None).__code__, NAMES)
    assert {offset: it.changes for offset, it in found.items()} == {68: (), 90: (HEAP, SURROUNDINGS)}
    assert found[68].reads == (HEAP,)


def test_every_python_has_its_points_in_the_same_lines():
    text = MARKED.read_text(encoding="utf-8")
    whole = codes_within(compile(text, str(MARKED), "exec"))
    # Without the bodies of modules and classes; and 3.14 has an __annotate__ of each function, which nobody calls.
    codes = [it for it in whole if it.co_flags & CO_OPTIMIZED and it.co_name != "__annotate__"]
    names = Names.of(codes)
    found = {[*it.co_positions()][offset // 2][0] for it in codes for offset in accesses(it, names)}
    assert found == {n for n, line in enumerate(text.splitlines(), 1) if line.endswith("# point")}
