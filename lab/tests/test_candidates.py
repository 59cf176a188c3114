"""Real implementations, built and judged by all rules, get their recorded verdicts.

Only implementations that are built from nothing in a minute are judged here. controller-runtime,
knative, kube and the kube-proxies take three to six minutes of a processor each to build; ``python
-m lab.records candidates`` judges them, and client-go 0.20, which takes as long as client-go.
test_light_candidates.py has the light ones.
"""

from pathlib import Path

import pytest

from lab.implementations import implementations
from lab.matrix import differences, judge_implementation
from lab.recorded import read
from stingy.guarantees import all_rules

CANDIDATES = Path(__file__).parents[2] / "candidates"
BUILT_IN_A_MINUTE = ("client-go", "client-java", "echoryn", "endpointslice")


@pytest.mark.budget(120)
@pytest.mark.parametrize("name", BUILT_IN_A_MINUTE)
def test_a_real_implementation_gets_the_verdicts_that_were_recorded(name, tmp_path):
    """Rules and verdicts are compared; evidence, outcomes and stories may change with the engine."""
    (it,) = [it for it in implementations(CANDIDATES) if it.name == name]
    if it.card.missing:
        pytest.skip(f"needs {' and '.join(it.card.missing)} to build the driver")
    found = judge_implementation(it, tmp_path)
    assert list(differences(read(it.result), read(found))) == []


def test_kube_proxies_of_several_versions_differ_in_their_ways_only():
    """Kube-proxies of several versions differ only in the ways that a version may change.

    Proxies for nftables and IPVS offer no tracker, and are left out; so are rules that are newer
    than one of the records.
    """
    results = [read(path).results for path in CANDIDATES.glob("kube-proxy*/result.json")]
    found = [{(row.rule, row.case): row.verdict for row in rows} for rows in results]
    found = [each for each in found if any(all_rules()[id_].profile.name == "tracker" for id_, _ in each)]
    assert len(found) > 2
    known = [
        key for key in set().union(*found) if all_rules()[key[0]].where or all(key in each for each in found)
    ]
    differ = {key[0] for key in known if len({verdicts.get(key) for verdicts in found}) > 1}
    assert differ
    assert {id_ for id_ in differ if not all_rules()[id_].where} == set()
