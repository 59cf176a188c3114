"""What an index of packages shows, and what is installed, is so."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
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


WORKFLOW = (ROOT / ".github/workflows/ci.yml").read_text()
GATE = (ROOT / ".ci/run").read_text()


def in_the_matrix(name):
    return re.findall(r"[\w.-]+", re.search(rf"^ +{name}: \[(.*)\]$", WORKFLOW, re.MULTILINE)[1])


def test_it_is_tried_on_three_systems_and_all_of_it_every_night():
    assert in_the_matrix("os") == ["ubuntu-latest", "macos-latest", "windows-latest"]
    _, nightly = WORKFLOW.split("\n  nightly:\n")
    assert "github.event_name == 'schedule'" in nightly
    assert 'STINGY_NIGHTLY: "1"' in nightly
    assert "bash .ci/run" in nightly


def test_the_gate_tries_the_other_pythons_and_what_an_index_would_say():
    assert set(re.search(r"for version in (.*); do", GATE)[1].split()) == PYTHONS
    assert "twine check --strict" in GATE


def test_the_pythons_that_are_told_are_those_that_it_is_tried_with():
    assert set(in_the_matrix("python")) == PYTHONS
    assert PROJECT["requires-python"] == f">={min(PYTHONS, key=lambda it: int(it.partition('.')[2]))}"


@pytest.mark.parametrize("requirement", PROJECT["dependencies"])
def test_what_it_needs_has_a_lower_and_an_upper_bound(requirement):
    assert {it.operator for it in Requirement(requirement).specifier} == {">=", "<"}
