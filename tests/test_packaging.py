"""Data of stingy that a package index shows, and the input of its action."""

import os
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import stingy
from blocks import blocks
from lab import lock, pins
from stingy.cli import COMMANDS
from stingy.engine import cpython
from stingy.starters import LANGUAGES, write

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT, BUILT_WITH = PYPROJECT["project"], PYPROJECT["build-system"]["requires"]
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
    assert (3, max(PYTHONS)) == cpython.NEWEST
    assert sys.version_info.minor in PYTHONS, "a Python that nobody is promised"


def test_each_dependency_has_a_lower_and_an_upper_bound():
    bounds = {it: {each.operator for each in Requirement(it).specifier} for it in PROJECT["dependencies"]}
    assert {it: found for it, found in bounds.items() if found != {">=", "<"}} == {}


ACTION_LOCK = lock.CI / "action.lock"


def test_the_action_installs_what_the_gate_has_tested():
    assert lock.pinned(ACTION_LOCK).items() <= lock.pinned(lock.CI / "gate.lock").items()


def test_the_lock_of_the_action_has_all_that_stingy_needs_on_each_system_and_python():
    of_project = [*PROJECT["dependencies"], *BUILT_WITH]
    locked = {name: requirements(name) for name in lock.pinned(ACTION_LOCK)}
    assert lock.missing(locked | {"stingy": of_project}) == set()
    versions = lock.pinned(ACTION_LOCK)
    for it in map(Requirement, of_project):
        assert it.specifier.contains(versions[it.name]), f"{it} is not met by {ACTION_LOCK.name}"


def requirements(package):
    """Return what this package requires; nothing if it is not installed here."""
    try:
        return requires(package) or ()
    except PackageNotFoundError:
        return ()


def test_a_lock_lacks_what_only_another_system_or_python_needs():
    needs = [
        'needed-on-windows; sys_platform == "win32"',
        'needed_on_macos; platform_system == "Darwin"',
        'needed-since-3-14; python_version >= "3.14"',
        'needed-before-3-11; python_full_version < "3.11"',
        'needed-by-an-extra; extra == "docs"',
        "needed.everywhere>=2",
    ]
    found = lock.missing({"a": needs, "b": ["c"], "c": ()})
    assert found == {"needed-on-windows", "needed-on-macos", "needed-since-3-14", "needed-everywhere"}


@pytest.mark.parametrize("name", [it.name for it in lock.CI.glob("*.lock")])
def test_each_locked_package_has_hashes(name):
    packages = re.findall(
        r"^(\S+)==\S+((?: \\\n    --hash=sha256:[0-9a-f]{64})*)\n", (lock.CI / name).read_text(), re.MULTILINE
    )
    assert len(packages) == len(lock.pinned(lock.CI / name))
    assert [package for package, hashes in packages if not hashes] == []


def test_no_input_of_the_action_is_pasted_into_a_script():
    """An input in the text of a script would be run as shell code."""
    action = (ROOT / "action.yml").read_text()
    scripts = re.findall(r"\n      run: \|\n((?:        .*\n|\n)+)", action)
    assert len(scripts) == action.count("run:")
    assert [script for script in scripts if "${{" in script] == []


NOT_OURS = {".git", ".venv", "build", "site", "provisions", "node_modules", "packages", "target"}
"""Names of folders that may have files of other projects."""
SHOWS = {".jinja", ".md", ".py", ".toml", ".txt", ".yaml", ".yml"}
"""Endings of the names of files that may show a workflow."""


@pytest.fixture(scope="module")
def uses():
    """Return the action of each ``uses:`` in a file of the project, but no path in the project."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        if "pyvenv.cfg" in names:  # an environment, whatever it is called
            folders.clear()
            continue
        folders[:] = [it for it in folders if it not in NOT_OURS]
        texts = [Path(folder, it).read_text(encoding="utf-8") for it in names if Path(it).suffix in SHOWS]
        found += [
            use
            for text in texts
            for use in re.findall(r"uses: (\w[\w.-]*/.*?)(?:\\n.*)?$", text, re.MULTILINE)
        ]
    return {use for use in found if not re.fullmatch(r"your-org/stingy@COMMIT  # v[\d.]+", use)}


def test_each_action_is_named_by_its_commit_with_the_tag_beside_it(uses):
    """The owner of an action can move a tag to another commit."""
    assert [use for use in uses if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}  # v[\d.]+", use)] == []


def test_each_action_has_one_commit_and_a_workflow_of_ours_holds_it(uses):
    """If only another file has an old one, ``python -m lab derive`` writes it anew."""
    assert {tuple(use.split("@")) for use in uses} == set(pins.pins().items())


WORKFLOWS = {file.name: yaml.safe_load(file.read_text()) for file in ROOT.glob(".github/workflows/*.yml")}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_has_jobs_whose_steps_run_or_use_something(name):
    jobs = [job for job in WORKFLOWS[name]["jobs"].values() if "uses" not in job]
    assert all(job["runs-on"] and job["timeout-minutes"] for job in jobs)
    assert [step for step in steps_of(WORKFLOWS[name]) if len({"uses", "run"} & step.keys()) != 1] == []


def steps_of(workflow):
    return [step for job in workflow["jobs"].values() for step in job.get("steps", ())]


def test_only_the_job_that_publishes_may_do_more_than_read_and_it_runs_no_script():
    allowed = {
        (name, job): given["permissions"]
        for name, workflow in WORKFLOWS.items()
        for job, given in workflow["jobs"].items()
        if "permissions" in given
    }
    assert [name for name, it in WORKFLOWS.items() if it["permissions"] != {"contents": "read"}] == []
    assert allowed == {("release.yml", "publish"): {"id-token": "write"}}
    publish = WORKFLOWS["release.yml"]["jobs"]["publish"]
    assert publish["needs"] == ["gate", "build"]
    assert publish["environment"]["name"] == "pypi"
    assert [step["uses"].partition("@")[0] for step in publish["steps"]] == [
        "actions/download-artifact",
        "pypa/gh-action-pypi-publish",
    ]


def test_nothing_is_published_before_the_gate_of_its_commit_has_passed():
    assert WORKFLOWS["release.yml"]["jobs"]["gate"] == {"uses": "./.github/workflows/ci.yml"}
    on = WORKFLOWS["ci.yml"][True]  # YAML 1.1 reads the word "on" as true
    assert "workflow_call" in on
    assert on["push"].keys() == {"branches"}, "a tag of a release starts the gate twice"
    assert not any("if" in job or "continue-on-error" in job for job in WORKFLOWS["ci.yml"]["jobs"].values())


def shown(page):
    return [yaml.safe_load(text) for _, text in blocks(page, "yaml")]


@pytest.fixture
def started(tmp_path):
    """Return the steps that the README of each starter shows."""
    for language in LANGUAGES:
        write(tmp_path / language, language)
    readmes = [(tmp_path / language / "README.md").read_text(encoding="utf-8") for language in LANGUAGES]
    return [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", "\n".join(readmes), re.DOTALL)]


def test_each_checkout_leaves_no_token_behind(started):
    """Code of a pull request could read a token in ``.git/config``."""
    checkouts = [it for it in within([WORKFLOWS, shown("docs/ci.md"), started]) if is_checkout(it)]
    assert len(checkouts) > len(LANGUAGES) + 2
    assert [it for it in checkouts if it.get("with", {}).get("persist-credentials") is not False] == []


def within(value):
    """Yield all mappings in a value of YAML."""
    if isinstance(value, dict):
        yield value
    for it in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from within(it)


def is_checkout(step):
    return str(step.get("uses")).startswith("actions/checkout@")


def test_pip_installs_only_what_has_hashes_or_is_on_the_disk():
    """The only other words are those of a user of the action."""
    files = [ROOT / ".ci" / "run", ROOT / "action.yml", *ROOT.glob(".github/workflows/*.yml")]
    lines = [line.strip() for file in files for line in file.read_text().splitlines()]
    installs = [line for line in lines if re.search(r"\bpip\S* (install|wheel|download) ", line)]
    assert len(installs) > 8
    safe = {"--require-hashes", "--no-index"}
    others = [line for line in installs if not safe & set(line.split())]
    assert others == ['python3 -m pip install --quiet "$wheel"/*.whl "${words[@]}"']


def test_dependabot_renews_actions_and_ranges():
    renewed = yaml.safe_load((ROOT / ".github" / "dependabot.yml").read_text())["updates"]
    assert [(it["package-ecosystem"], it["directory"]) for it in renewed] == [
        ("github-actions", "/"),
        ("pip", "/"),
    ]


def test_the_hook_of_pre_commit_is_a_command_of_ours_without_a_target():
    """So the target comes from ``[tool.stingy]``, and without one the run is refused."""
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    program, command = hook["entry"].split()
    assert program in PROJECT["scripts"]
    assert command in COMMANDS
    assert (hook["language"], hook["pass_filenames"]) == ("python", False)


def test_the_package_knows_its_version():
    assert stingy.__version__ == version("stingy")
    assert "__version__" in dir(stingy)
