"""Every guarantee is in the menu.

A guarantee without a place, or a section without a guarantee, is a build error.
"""

import pytest

from pages import Unsaid, navigation
from stingy.guarantees import guarantees


def test_each_guarantee_stands_in_one_section():
    placed = [it.__name__ for there in navigation.sections().values() for it in there]
    assert sorted(placed) == sorted(it.__name__ for it in guarantees())


def test_a_profile_without_a_section_is_refused(monkeypatch):
    monkeypatch.setitem(navigation.SECTIONS, "Metrics", ("tracker",))
    with pytest.raises(
        Unsaid, match=r"guarantees/metrics.md has no place in the site: name the profile metrics"
    ):
        navigation.sections()


def test_a_section_without_a_guarantee_is_refused(monkeypatch):
    monkeypatch.setitem(navigation.SECTIONS, "Teapots", ("teapot",))
    with pytest.raises(Unsaid, match="no guarantee belongs to Teapots"):
        navigation.sections()
