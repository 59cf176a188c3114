"""The kind of a value that comes from a candidate: its type, and not the type that it claims."""

from __future__ import annotations

from typing import TypeGuard, TypeVar

Kind = TypeVar("Kind")


def is_a(value: object, *kinds: type[Kind]) -> TypeGuard[Kind]:
    """Return True if the value's type is one of these, or a subclass.

    ``isinstance`` also believes the value's ``__class__``. A candidate may override that, as proxies
    and ``unittest.mock`` do, and then the value need not have the methods of the type. Reading
    ``__class__`` may also run the candidate's code.
    """
    return issubclass(type(value), kinds)


def as_it_claims(value: object) -> object:
    """Return a value whose ``__class__`` claims a builtin type as an object of that type.

    So a proxy is taken for what it stands for. Unchanged if it claims nothing, or cannot be
    converted. May run the candidate's code.
    """
    if type(value) in BUILTIN:
        return value
    try:
        claimed = value.__class__
        made = claimed(value) if claimed in BUILTIN else value  # type: ignore[call-arg]
    except Exception:  # noqa: BLE001 - a candidate may raise anything
        return value
    return made if type(made) is claimed else value


BUILTIN = frozenset((bool, int, float, str, bytes, tuple, list, dict, type(None)))
