"""A seed draws the same walks in each process, though the order of a set is another one in each."""

import os
import subprocess
import sys

DRAWN = """
from random import Random
from stingy.guarantees import all_rules
from stingy.language.choices import drawn_from

for rule in all_rules().values():
    for range_ in rule.for_all.values():
        if range_.walks:
            chance = drawn_from(Random(1))
            print([range_.draw(chance) for _ in range(5)])
"""


def test_a_seed_draws_the_same_walks_in_each_process():
    drawn = {
        subprocess.run(
            [sys.executable, "-c", DRAWN],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in "1234"
    }
    assert len(drawn) == 1
    assert len(drawn.pop().splitlines()) > 20
