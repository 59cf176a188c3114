"""Times in RFC 3339 as the rules read them."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stingy.language.rfc3339 import meant, write_rfc3339

SECOND = 1_000_000_000
YEARS_2_TO_9998 = st.integers(-62_104_060_800 * SECOND, 253_370_764_799 * SECOND)
MINUTES = st.integers(-1439, 1439)


@given(YEARS_2_TO_9998, MINUTES)
def test_a_time_means_the_same_with_any_offset(instant, minutes):
    assert meant(write_rfc3339(instant, timedelta(minutes=minutes))) == instant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2024-01-01",
        "2024-01-01 00:00:00Z",
        "2024-02-30T00:00:00Z",
        "2024-01-01T00:00:00",
        "2024-01-01T00:00:00Z\n",
    ],
)
def test_a_malformed_time_means_none(text):
    assert meant(text) is None


def test_trailing_zeros_do_not_count():
    assert meant("2024-01-01T00:00:00.500000000000Z") == meant("2024-01-01T00:00:00.5Z")
