"""Examples of a property depend on the seed alone."""

import sys
from types import ModuleType

from hypothesis.internal.conjecture.providers import HypothesisProvider

from stingy.contract import SECOND
from stingy.language.examples import try_examples
from stingy.language.values import between

FULL_OF_NUMBERS = f"NUMBERS = [{', '.join(str(7_000 + 13 * n) for n in range(500))}]"


def drawn(number):
    seen = []
    try_examples({"span": between(0, 3600 * SECOND)}, seen.append, number, exact=True)
    return [example["span"] for example in seen]


def test_loaded_modules_do_not_change_the_examples(tmp_path, monkeypatch):
    before = [drawn(seed) for seed in range(8)]
    for n in range(3):
        file = tmp_path / f"of_this_project_{n}.py"
        file.write_text(FULL_OF_NUMBERS)
        module = ModuleType(file.stem)
        module.__file__ = str(file)
        monkeypatch.setitem(sys.modules, file.stem, module)

    assert [drawn(seed) for seed in range(8)] == before


def test_hypothesis_is_restored():
    before = HypothesisProvider._maybe_draw_constant
    drawn(1)

    assert HypothesisProvider._maybe_draw_constant is before


def test_spans_of_every_size_are_drawn():
    spans = sorted({span for seed in range(20) for span in drawn(seed)})
    for size in (1_000_000, SECOND, 60 * SECOND, 1000 * SECOND):
        assert sum(span < size for span in spans) > 40
        assert sum(span >= size for span in spans) > 40
