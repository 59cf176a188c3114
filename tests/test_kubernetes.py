"""Ways of kube-proxy: a candidate is judged by the ways of the version of Kubernetes that it follows."""

from pathlib import Path

import pytest

from stingy.contract.kubernetes import CHANGES, WAYS, WaysError, versions, ways
from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Finding
from stingy.language.rule import Rule
from stingy.transport import locate

DOCS = Path(__file__).parent.parent / "docs"
FILTERED = all_rules()["restart/what-was-before-the-start-is-not-measured"]


def test_without_a_version_the_newest_counts():
    assert ways("") == ways("1.33") == ways("v1.36.2") == {change.way: change.after for change in CHANGES}


def test_a_version_has_the_ways_of_its_time():
    assert ways("1.21") == {change.way: change.before for change in CHANGES}
    assert ways("1.30.5") == ways("1.27")
    assert ways("1.26")["removal"] == "keep"
    assert ways("1.27")["removal"] == "drop-service"


def test_single_ways_may_differ():
    assert ways("1.21,removal=drop-service") == ways("1.21") | {"removal": "drop-service"}
    assert ways("removal=keep") == ways("") | {"removal": "keep"}


@pytest.mark.parametrize(
    "claimed", ["1", "latest", "2.0", "removal=perhaps", "colour=red", "1.30;removal=keep"]
)
def test_an_unknown_version_or_way_is_refused(claimed):
    with pytest.raises(WaysError, match=r"1\.30|drop-service|restart_filter"):
        ways(claimed)


def test_each_listed_version_has_different_ways():
    assert list(versions()) == ["1.21", "1.26", "1.30", "1.32", "1.33"]
    assert len({tuple(found.items()) for found in versions().values()}) == len(versions())


def test_the_page_candidates_lists_every_way():
    page = (DOCS / "candidates.md").read_text()
    for change in CHANGES:
        (line,) = (line for line in page.splitlines() if line.startswith(f"| `{change.way}`"))
        assert f"`{change.before}`" in line
        assert f"`{change.after}`" in line
        assert f"| 1.{change.since - 1} |" in line


class _Asked(Rule):
    """A rule about one way of Kubernetes, which fails the test if it is run."""

    def perform(self, *given, **options):
        raise AssertionError("it was not to be asked")


@pytest.mark.parametrize("way", WAYS)
def test_a_rule_about_another_way_is_not_asked(way):
    candidate = locate("stingy_reference")
    candidate.kubernetes = f"{way}={WAYS[way][1]}"
    rule = _Asked(FILTERED.check, FILTERED.cites, for_all=FILTERED.for_all, where={way: WAYS[way][0]})
    verdict = Judge(candidate, rules={rule.id: rule}).verdict(rule)
    assert verdict.verdict is Finding.NOT_OFFERED
    assert way in verdict.because


class Claims:
    kubernetes = "1.26"


def test_a_class_or_module_names_its_version():
    assert locate(f"{__name__}:Claims").kubernetes == "1.26"
    assert locate("stingy_reference").kubernetes == ""
