"""How the suite's own reconcile ends, as a rule says."""

import asyncio
from typing import get_args

import pytest

from stingy.contract.ops import Cancelled, End, Raised
from stingy.transport.surroundings import Ending


def ends(terminal: type[Exception] | None = None, *, awaited: bool = False) -> Ending:
    return Ending(lambda name: terminal if name == "TerminalError" else None, limited=True, awaited=awaited)


@pytest.mark.parametrize("name", get_args(Raised))
def test_it_raises_an_exception_of_each_name(name):
    made = ends()(name, 0)
    assert isinstance(made, Exception)
    assert name.rpartition(".")[2] == type(made).__name__ or name.startswith("an ")


def test_each_exception_is_made_anew():
    """An exception that was raised once has a traceback, and may have notes."""
    make = ends()
    assert make("IndexError", 0) is not make("IndexError", 0)


def test_it_does_not_raise_what_the_candidate_takes_for_a_terminal_error():
    with pytest.raises(LookupError, match="does not retry"):
        ends(terminal=LookupError)("IndexError", 0)
    assert isinstance(ends(terminal=LookupError)("OSError", 0), OSError)


def test_a_cancelled_coroutine_raises_what_asyncio_raises():
    (cancelled,) = get_args(Cancelled)
    assert cancelled in get_args(End)
    assert isinstance(ends(awaited=True)(cancelled, 0), asyncio.CancelledError)
    assert isinstance(ends()(cancelled, 0), Exception)
