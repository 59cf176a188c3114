"""Whatever a slip of the pen makes of the reference is found by the rules alone, unless nobody could tell."""

from importlib import import_module

import pytest

from slips import slips
from stingy.guarantees import all_rules
from stingy.verdict import Finding

SEED = 1

JUDGES = {
    "limiters": ("backoff", "bucket", "combination", "defaults"),
    "controller": ("controller",),
}
"""Which guarantees' rules find the slips of which module of the reference."""

SLIPS = {
    (module, name): source
    for module in JUDGES
    for name, source in slips(import_module(f"stingy_reference.{module}")).items()
}
NUMBERS = {slip: number for number, slip in enumerate(SLIPS)}

ONE_MORE = "a doubling too many is cut to the longest wait"
NAMES = "it is the name of a thread"

EQUIVALENT = {
    ("limiters", "ExponentialRateLimiter.__init__: `0` and one"): ONE_MORE,
    ("limiters", "ExponentialRateLimiter.__init__: `1` and one"): ONE_MORE,
    ("controller", "Controller.__init__: `1` and one"): "the number of workers is always given",
    ("controller", "Controller.__init__: `number + 1` with another sign"): NAMES,
    ("controller", "Controller.__init__: `1` and one "): NAMES,
    ("controller", "Controller.__init__: `True` is the other one"): "what is stopped leaves no thread",
}
"""Why nobody could tell it from the reference."""

UNASKED = {
    (
        "limiters",
        "MaxOfRateLimiter.num_requeues: `0` and one",
    ): "how often an item has failed that no limiter counts",
    (
        "limiters",
        "default_controller_rate_limiter: `100` and one",
    ): "a place more or less in a bucket of a hundred",
    ("controller", "Controller._succeeded: `0` and one"): "to be called again within a second",
}
"""What no rule asks for."""

EXCUSED = EQUIVALENT | UNASKED


def rules_of(module):
    """What takes one run comes first."""
    rules = (rule for rule in all_rules().values() if rule.guarantee in JUDGES[module])
    return sorted(rules, key=lambda rule: bool(rule.for_all))


@pytest.fixture
def found(first_objection):
    """Which rule finds a slip first, if any does."""
    return lambda slip: first_objection(
        f"slip_{NUMBERS[slip]}", SLIPS[slip], rules_of(slip[0]), _objects, SEED
    )


def _objects(verdict):
    """The reference offers all of these profiles: what cannot be made any more is a slip, too."""
    return verdict.verdict in (Finding.FAIL, Finding.ERROR, Finding.NOT_OFFERED)


@pytest.mark.thorough
@pytest.mark.parametrize("slip", [slip for slip in SLIPS if slip not in EXCUSED], ids=": ".join)
def test_a_slip_is_found(slip, found):
    assert found(slip)


@pytest.mark.thorough
@pytest.mark.parametrize("slip", EXCUSED, ids=": ".join)
def test_what_nobody_could_tell_from_the_reference_is_not_accused(slip, found):
    assert found(slip) is None


def test_whatever_is_excused_is_still_made():
    assert EXCUSED.keys() <= SLIPS.keys()
