"""What an index of packages shows, and what is installed, is so."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PYTHONS = {
    version
    for it in PROJECT["classifiers"]
    if (version := it.removeprefix("Programming Language :: Python :: ")) != it
    and re.fullmatch(r"3\.\d+", version)
}


def test_an_index_shows_the_readme_which_leads_nowhere_that_is_only_in_a_checkout():
    links = re.findall(r"\]\(([^)]*)\)", (ROOT / PROJECT["readme"]).read_text())
    assert links
    assert [link for link in links if not link.startswith("https://")] == []


def test_whose_it_is_and_what_it_is_about_is_told():
    assert PROJECT["authors"]
    assert all(url.startswith("https://") for url in PROJECT["urls"].values())


def test_the_pythons_that_are_told_are_those_that_it_is_tried_with():
    tried = re.search(r"python: \[(.*)\]", (ROOT / ".github/workflows/ci.yml").read_text())
    assert {it.strip('" ') for it in tried[1].split(",")} == PYTHONS
    assert PROJECT["requires-python"] == f">={min(PYTHONS, key=lambda it: int(it.partition('.')[2]))}"


@pytest.mark.parametrize("requirement", PROJECT["dependencies"])
def test_what_it_needs_has_a_lower_and_an_upper_bound(requirement):
    assert {it.operator for it in Requirement(requirement).specifier} == {">=", "<"}
