"""A block of ``with`` that is left is told from one that is entered."""

import sys
from contextlib import suppress

from stingy.engine.blocks import leaves_a_block


class Asks:
    """A context manager that asks, whenever it is entered or left, what its caller is about to do."""

    def __init__(self):
        self.told = []

    def __enter__(self):
        self.told.append(leaves_a_block(sys._getframe(1)))

    def __exit__(self, *_):
        self.told.append(leaves_a_block(sys._getframe(1)))


def test_a_block_is_left_after_it_was_entered():
    asks = Asks()
    for _ in range(2):
        with asks:
            pass
    assert asks.told == [False, True, False, True]


def test_a_block_is_left_by_a_return_and_by_an_exception():
    def fail(asks):
        with asks:
            raise KeyError

    def return_(asks):
        with asks:
            return

    for call in (return_, fail):
        asks = Asks()
        with suppress(KeyError):
            call(asks)
        assert asks.told == [False, True]


def test_of_two_on_a_line_the_second_is_entered_before_any_is_left():
    asks = Asks()
    with asks, asks:
        pass
    assert asks.told == [False, False, True, True]


def test_a_line_without_a_block_leaves_none():
    assert not leaves_a_block(sys._getframe())
