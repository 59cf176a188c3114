"""A few of many, for who has not got all night."""

from zlib import crc32

import pytest


def some(values, every, mark=pytest.mark.thorough):
    """Parameters: the first of so many is always tried, the others where CI is set."""
    return [value if n % every == 0 else pytest.param(value, marks=mark) for n, value in enumerate(values)]


def by_day(values, every):
    """Parameters: the first of so many is tried by day, the others where STINGY_NIGHTLY is set."""
    return some(values, every, pytest.mark.nightly)


def by_hash(names, every):
    """Parameters: one of so many is tried by day, whichever others there are; all where STINGY_NIGHTLY is set."""
    return [
        name if crc32(name.encode()) % every == 0 else pytest.param(name, marks=pytest.mark.nightly)
        for name in names
    ]
