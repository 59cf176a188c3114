"""A few of many, for who has not got all night."""

import pytest


def some(values, every, mark=pytest.mark.thorough):
    """Parameters: the first of so many is always tried, the others where CI is set."""
    return [value if n % every == 0 else pytest.param(value, marks=mark) for n, value in enumerate(values)]


def by_day(values, every):
    """Parameters: the first of so many is tried by day, the others where STINGY_NIGHTLY is set."""
    return some(values, every, pytest.mark.nightly)
