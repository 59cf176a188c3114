"""A block of ``with`` that is left is told from one that is entered."""

import sys
from contextlib import suppress

import pytest

from stingy.engine.blocks import leaves_a_block


class Asks:
    """A context manager that records, on entry and on exit, if its caller is about to leave a with block."""

    def __init__(self):
        self.told = []

    def __enter__(self):
        self.told.append(leaves_a_block(sys._getframe(1)))

    def __exit__(self, *_):
        self.told.append(leaves_a_block(sys._getframe(1)))


def one_after_the_other(asks):
    for _ in range(2):
        with asks:
            pass


def ends_with_return(asks):
    with asks:
        return


def ends_with_an_exception(asks):
    with suppress(KeyError), asks:
        raise KeyError


def two_on_a_line(asks):
    with asks, asks:
        pass


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (one_after_the_other, [False, True, False, True]),
        (ends_with_return, [False, True]),
        (ends_with_an_exception, [False, True]),
        (two_on_a_line, [False, False, True, True]),
    ],
)
def test_leaving_a_block_is_told_from_entering_it(call, told):
    asks = Asks()
    call(asks)
    assert asks.told == told


def test_a_line_without_a_block_leaves_none():
    assert not leaves_a_block(sys._getframe())
