"""What an index of packages shows of stingy, and what its action does with input."""

import re
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PYTHONS = {
    int(found[1])
    for it in PROJECT["classifiers"]
    if (found := re.fullmatch(r"Programming Language :: Python :: 3\.(\d+)", it))
}
"""The minor versions of Python 3 that the classifiers name."""


def test_no_link_of_the_readme_leads_to_a_file_that_an_index_does_not_have():
    links = re.findall(r"\]\(([^)]*)\)", (ROOT / PROJECT["readme"]).read_text())
    assert links
    assert [link for link in links if not link.startswith("https://")] == []


def test_authors_and_urls_are_named():
    assert PROJECT["authors"]
    assert all(url.startswith("https://") for url in PROJECT["urls"].values())


def test_the_pythons_that_the_classifiers_name_are_those_that_pip_accepts_and_the_gate_tries():
    assert sorted(PYTHONS) == list(range(min(PYTHONS), max(PYTHONS) + 1))
    assert PROJECT["requires-python"] == f">=3.{min(PYTHONS)}"
    assert sys.version_info.minor in PYTHONS, "a Python that nobody is promised"
    gate = (ROOT / ".ci/run").read_text()
    assert set(map(int, re.findall(r"\b3\.(\d+)", gate))) >= PYTHONS, "the gate does not try it"


def test_each_dependency_has_a_lower_and_an_upper_bound():
    bounds = {it: {each.operator for each in Requirement(it).specifier} for it in PROJECT["dependencies"]}
    assert {it: found for it, found in bounds.items() if found != {">=", "<"}} == {}


def test_no_input_of_the_action_is_pasted_into_a_script():
    """Else it would be run as shell code."""
    action = (ROOT / "action.yml").read_text()
    scripts = re.findall(r"\n      run: \|\n((?:        .*\n|\n)+)", action)
    assert len(scripts) == action.count("run:")
    assert [script for script in scripts if "${{" in script] == []


def test_each_action_is_named_by_its_commit_with_the_tag_beside_it():
    """The owner of an action can move a tag."""
    files = [ROOT / "action.yml", *ROOT.glob(".github/workflows/*.yml")]
    used = [line for file in files for line in re.findall(r"uses: (.+)", file.read_text())]
    assert [line for line in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}  # v[\d.]+", line)] == []


def test_the_gate_installs_nothing_without_a_hash():
    for lock in ROOT.glob(".ci/*.lock"):
        packages = re.split(r"\n(?=\w)", lock.read_text())[1:]
        assert packages
        assert [package for package in packages if "--hash=sha256:" not in package] == []
