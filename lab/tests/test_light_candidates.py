"""Real implementations in Python and JavaScript, judged by a few rules, get their recorded verdicts.

Each of them breaks or keeps some of these rules. All rules take many minutes for dragonk8s, which
spins while an item is moved forward; ``python -m lab.records candidates`` judges it by all.
"""

import shutil
import sys
from pathlib import Path

import pytest

from lab.building import BuildError, Site
from lab.implementations import implementations
from stingy.reports.json import read

CANDIDATES = Path(__file__).parents[2] / "candidates"
LIGHT = [it for it in implementations(CANDIDATES) if {"npm", "python", "python3.13"} & {*it.card.needs}]
FEW = (
    *("handing_out/*", "drain/whether-*", "cancellation/*", "abandonment/*-shutdown-*"),
    *("backoff/the-longest-*", "defaults/*", "controller/*", "outcomes/however-*"),
)
MENDED_IN_3_13 = "cancellation/a-cancelled-get-takes-no-wake-up-with-it"
"""Rule that asyncio's own Condition breaks before Python 3.13."""


@pytest.fixture(params=LIGHT, ids=lambda it: it.name)
def built(request, tmp_path):
    """Return an implementation, and the copy of its folder in which it has been built."""
    it = request.param
    if it.card.missing:
        pytest.skip(f"{it.name} needs {' and '.join(it.card.missing)}")
    (tmp_path / "spec").symlink_to(CANDIDATES.parent / "spec")  # drivers are built from files in this folder
    place = tmp_path / CANDIDATES.name / it.name
    shutil.copytree(it.folder, place, ignore=shutil.ignore_patterns("node_modules", "dist", "packages"))
    site = Site(it.name, place, it.card.environment)
    install, *build = it.card.build
    try:
        site.build([install])
    except BuildError as error:
        pytest.skip(f"what it needs cannot be installed here: {error}")
    site.build(build)
    return it, site


@pytest.mark.budget(40)
def test_a_real_implementation_gets_the_verdicts_that_were_recorded(built):
    """Rules and verdicts are compared; evidence, outcomes and stories may change with the engine."""
    it, site = built
    few = [word for rules in FEW for word in ("--rule", rules)]
    found = verdicts(site.judge(it.card.target, few, site.folder / "found.json"))
    recorded = verdicts(it.result)
    both = found.keys() & recorded.keys()
    assert both
    assert {id_: found[id_] for id_ in both} == {id_: recorded[id_] for id_ in both}


def verdicts(report):
    """Return the verdict of each row, without rows that differ between versions of Python."""
    mended = {MENDED_IN_3_13} if sys.version_info >= (3, 13) else set()
    return {it.id: it.verdict for it in read(report).results if it.rule not in mended}
