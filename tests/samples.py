"""A few of many, for who runs the tests without CI."""

import pytest


def some(values, every):
    """Parameters: the first of so many is always tried, the others where CI is set."""
    return [
        value if n % every == 0 else pytest.param(value, marks=pytest.mark.thorough)
        for n, value in enumerate(values)
    ]
