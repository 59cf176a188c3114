"""The code of all functions that exist, also of those that the collector of garbage leaves out."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from itertools import compress, repeat
from operator import attrgetter, is_
from types import CodeType, FunctionType

from stingy.engine.access import codes_within

_freeze = gc.freeze
_code = attrgetter("__code__")

_frozen: list[CodeType] = []
"""The code of the functions that existed at the last call of ``freeze``."""
_by_file: dict[str, list[CodeType]] = {}
"""The same by file; empty until it is needed."""


def freeze() -> None:
    """Freeze all objects that exist, as ``gc.freeze`` does: the collector then leaves them out.

    ``gc.get_objects`` leaves them out as well, so the code of functions is noted.
    """
    gc.unfreeze()
    _by_file.clear()
    _frozen[:] = map(_code, _list_functions())
    _freeze()


def codes_in(files: frozenset[str]) -> Iterator[CodeType]:
    """Yield the code of all functions from these files that exist now, each code object once."""
    seen: set[int] = set()
    for outer in _list_codes(files):
        if id(outer) not in seen:
            for code in codes_within(outer):
                if id(code) not in seen:
                    seen.add(id(code))
                    yield code


def _list_codes(files: frozenset[str]) -> Iterator[CodeType]:
    if not _frozen and gc.get_freeze_count():
        gc.unfreeze()  # other code has frozen them, as a conftest.py may do
    if not _by_file:
        for code in _frozen:
            _by_file.setdefault(code.co_filename, []).append(code)
    for file in files:
        yield from _by_file.get(file, ())
    for code in map(_code, _list_functions()):
        if code.co_filename in files:
            yield code


def _list_functions() -> Iterator[FunctionType]:
    objects = gc.get_objects()  # about a hundred thousand, so they are filtered in C
    return compress(objects, map(is_, map(type, objects), repeat(FunctionType)))
