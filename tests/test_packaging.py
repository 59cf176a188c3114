"""Data of stingy that a package index shows, and the input of its action."""

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


def test_links_of_the_readme_and_of_the_project_work_on_an_index():
    links = re.findall(r"\]\(([^)]*)\)", (ROOT / PROJECT["readme"]).read_text())
    assert PROJECT["authors"]
    assert links
    assert [it for it in (*links, *PROJECT["urls"].values()) if not it.startswith("https://")] == []


def test_classifiers_name_the_pythons_that_pip_accepts():
    assert sorted(PYTHONS) == list(range(min(PYTHONS), max(PYTHONS) + 1))
    assert PROJECT["requires-python"] == f">=3.{min(PYTHONS)}"
    assert sys.version_info.minor in PYTHONS, "a Python that nobody is promised"


def test_each_dependency_has_a_lower_and_an_upper_bound():
    bounds = {it: {each.operator for each in Requirement(it).specifier} for it in PROJECT["dependencies"]}
    assert {it: found for it, found in bounds.items() if found != {">=", "<"}} == {}


def test_no_input_of_the_action_is_pasted_into_a_script():
    """An input in the text of a script would be run as shell code."""
    action = (ROOT / "action.yml").read_text()
    scripts = re.findall(r"\n      run: \|\n((?:        .*\n|\n)+)", action)
    assert len(scripts) == action.count("run:")
    assert [script for script in scripts if "${{" in script] == []


def test_each_action_is_named_by_its_commit_with_the_tag_beside_it():
    """The owner of an action can move a tag to another commit."""
    files = [ROOT / "action.yml", *ROOT.glob(".github/workflows/*.yml")]
    used = [line for file in files for line in re.findall(r"uses: (.+)", file.read_text())]
    assert [line for line in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}  # v[\d.]+", line)] == []
