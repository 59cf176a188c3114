"""The reference keeps every rule, judged live in this process."""

import pytest

from stingy.guarantees import GUARANTEES, all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Evidence, Finding
from stingy.transport import locate

SEED = 1


@pytest.fixture(scope="session")
def judge():
    """Return one judge for all guarantees, so that a rule on which others build is judged only once."""
    candidate = locate("stingy_reference", SEED)
    yield Judge(candidate, SEED)
    candidate.close()


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_the_reference_keeps_a_guarantee(guarantee, judge):
    rules = {id_: rule for id_, rule in all_rules().items() if rule.guarantee == guarantee}
    verdicts = [verdict for rule in rules.values() for verdict in judge.verdicts(rule)]
    wrong = [
        it for it in verdicts if it.verdict is not Finding.PASS and not is_for_others(rules[it.rule], it)
    ]
    assert [f"{it.id}: {it.verdict} {it.because}" for it in wrong] == []
    assert Evidence.TIMED not in {it.evidence for it in verdicts}


def is_for_others(rule, verdict):
    """Return True if the rule is not offered, being about another Kubernetes release or coroutines."""
    return verdict.verdict is Finding.NOT_OFFERED and bool(rule.where or rule.profile.cancels)
