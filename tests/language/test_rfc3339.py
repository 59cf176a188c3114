"""What the rules take a text to mean."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stingy.language.rfc3339 import meant, write_rfc3339

SECOND = 1_000_000_000
YEARS_2_TO_9998 = st.integers(-62_104_060_800 * SECOND, 253_370_764_799 * SECOND)
MINUTES = st.integers(-1439, 1439)


@given(YEARS_2_TO_9998, MINUTES)
def test_what_is_written_means_the_same_with_any_offset(instant, minutes):
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
def test_what_is_no_time_means_none(text):
    assert meant(text) is None


def test_zeros_at_the_end_mean_nothing():
    assert meant("2024-01-01T00:00:00.500000000000Z") == meant("2024-01-01T00:00:00.5Z")
