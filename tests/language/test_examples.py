"""Examples of a property: which are tried, and how a failing one is simplified."""

import random
from zlib import crc32

import pytest

from stingy.contract import SECOND
from stingy.language import examples
from stingy.language.examples import EXAMPLES, EXAMPLES_TIMED, try_examples
from stingy.language.paths import walks
from stingy.language.session import Unsteady
from stingy.language.values import between, instants, numbers, orders, scripts, sequences, steps

HOUR = 3600 * SECOND


def drawn(range_, seed=1):
    seen = []
    try_examples({"it": range_}, seen.append, seed, exact=True)
    return [example["it"] for example in seen]


def shortest(range_, holds, seed, **options):
    """Return the values that are tried until one is reported for which ``holds`` returns False."""
    seen = []

    def once(example):
        seen.append(example["it"])
        assert holds(example["it"])

    with pytest.raises(AssertionError):
        try_examples({"it": range_}, once, seed, **{"exact": True} | options)
    return seen


def test_the_same_seed_gives_the_same_examples():
    before = [drawn(between(0, HOUR), seed) for seed in range(8)]
    random.seed(5)

    assert [drawn(between(0, HOUR), seed) for seed in range(8)] == before
    assert len({str(examples) for examples in before}) == 8


@pytest.mark.parametrize(
    ("range_", "simplest"),
    [
        (numbers(2, 6), 2),
        (numbers(-1000, 1000), 0),
        (between(1, HOUR), 60 * SECOND),
        (between(-HOUR, HOUR), 0),
        (between(10 * SECOND, 60 * SECOND), 10 * SECOND),
        (sequences("abc", 2, 12), ["a", "a"]),
        (steps("add", "get", least=8, most=30), []),
        (scripts(("add", "get"), HOUR, 40), []),
        (orders("abc"), ["a", "b", "c"]),
        (instants(1971, 2261), 365 * 86_400 * SECOND),
    ],
)
def test_the_simplest_example_comes_first(range_, simplest):
    assert drawn(range_)[0] == simplest


@pytest.mark.parametrize(
    ("range_", "all_values"),
    [(numbers(1, 3), 3), (numbers(-1, 1), 3), (numbers(0, 0), 1), (numbers(1, 20), 20), (orders("abcd"), 24)],
)
def test_few_values_are_all_tried_and_each_one_once(range_, all_values):
    for seed in range(20):
        examples = [str(value) for value in drawn(range_, seed)]
        assert len(set(examples)) == len(examples) == all_values


def test_many_values_are_tried_from_end_to_end():
    values = {value for seed in range(40) for value in drawn(numbers(-1000, 1000), seed)}
    assert {-1000, -999, -1, 0, 1, 999, 1000} <= values <= {*range(-1000, 1001)}


def test_spans_of_every_size_are_drawn():
    spans = sorted({span for seed in range(20) for span in drawn(between(0, HOUR), seed)})
    for size in (1_000_000, SECOND, 60 * SECOND, 1000 * SECOND):
        assert sum(span < size for span in spans) > 40
        assert sum(span >= size for span in spans) > 40


def test_sequences_of_all_lengths_are_drawn():
    lengths = {
        len(value) for seed in range(40) for value in drawn(steps("add", "get", least=8, most=30), seed)
    }
    assert lengths == {0, *range(8, 31)}
    lengths = {len(value) for seed in range(40) for value in drawn(sequences("abc", 2, 12), seed)}
    assert lengths == {*range(2, 13)}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("range_", "holds", "simplest"),
    [
        (numbers(0, 1000), lambda number: number < 17, 17),
        (numbers(-1000, 1000), lambda number: number > -17, -17),
        (between(10 * SECOND, 60 * SECOND), lambda span: span <= 11.5 * SECOND, 12 * SECOND),
        (steps(*"abcd", least=8, most=30), lambda does: does.count("b") < 2, ["b", "b"]),
        (sequences("abc", 2, 12), lambda items: items[-1] != "c", ["a", "c"]),
        (orders("abcd"), lambda order: order.index("a") < order.index("b"), ["b", "a", "c", "d"]),
        (
            scripts(("add", "get"), HOUR, 40),
            lambda script: sum(after for _, after in script) < 7,
            [("add", 7)],
        ),
    ],
)
def test_a_failing_example_is_simplified(range_, holds, simplest, seed):
    assert shortest(range_, holds, seed)[-1] == simplest


@pytest.mark.parametrize("seed", range(8))
def test_a_failing_walk_has_no_step_that_can_be_left_out(seed):
    def holds(does):
        return "get" not in does or does.count("add a") < 2 or does[-1] == "get"

    range_ = walks("get", "done ITEM", "add ITEM", "len", most=40)
    last = shortest(range_, holds, seed)[-1]
    assert not holds(last)
    assert all(holds(last[:n] + last[n + 1 :]) for n in range(len(last)))


def test_a_simpler_example_is_sought_for_a_limited_time(monkeypatch):
    """The limit is set so low that the search, which ends by itself otherwise, reaches it."""

    def tried():
        seen = shortest(sequences("abcdefghij", 12, 30), holds_for_two_of_three, 1)
        return len({str(items) for items in seen})

    without_reaching_it = tried()
    monkeypatch.setattr(examples, "SIMPLER", 5)
    assert tried() == EXAMPLES + 5 < without_reaching_it


def holds_for_two_of_three(items):
    """Return True for the sorted ones, and for two thirds of the others: simplifying these is hard."""
    return items == sorted(items) or crc32("".join(items).encode()) % 3 > 0


@pytest.mark.parametrize("options", [{"exact": False}, {"shrinks": False}])
def test_a_failing_example_is_only_tried_again_where_none_is_simplified(options):
    *before, last, again = shortest(numbers(0, 1000), lambda number: number == 0, 1, **options)
    assert (before, last) == ([0], again)


def test_few_examples_are_tried_if_each_costs_waiting():
    assert try_examples({"it": numbers(0, 1000)}, str, 1, exact=False) == EXAMPLES_TIMED


def test_an_example_that_fails_once_and_passes_then_is_unsteady():
    failures = [AssertionError()]

    def once(example):
        if example["it"] == 3 and failures:
            raise failures.pop()

    with pytest.raises(Unsteady):
        try_examples({"it": numbers(0, 5)}, once, 1, exact=True)


def test_what_a_candidate_draws_itself_is_the_same_in_each_example():
    state, seen = random.getstate(), []
    try_examples({"it": numbers(0, 1000)}, lambda _: seen.append(random.random()), 1, exact=True)

    assert len(seen) == 25
    assert len(set(seen)) == 1
    assert random.getstate() == state
