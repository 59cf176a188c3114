"""What a command takes, beside what it took in another checkout: ``python costs.py CHECKOUT``, which has a .venv of its own.

Both are run in turn, so that whatever else the machine does falls on both; what is told is the median of the rounds.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import click
from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent.parent
COMMANDS = {
    "the reference, by all rules": "run --seed 1",
    "a broken queue, by all rules": "run stingy_broken.queues:DropsWhatIsHeld --seed 1",
    "a codec, by all rules": "run stingy_broken.codecs:WritesAnOffset --seed 1",
    "one rule": "run --seed 1 --rule handing_out/an-added-item-is-handed-out",
    "a rule of races": "run --seed 1 --rule interleavings/work-is-done-in-every-order",
}


@dataclass(frozen=True)
class Cost:
    """Seconds, of all processes together and on the clock."""

    processor: float
    clock: float


@click.command()
@click.argument("checkout", type=click.Path(path_type=Path, exists=True))
@click.option("--rounds", default=3, show_default=True)
def main(checkout: Path, rounds: int) -> None:
    """Compare what this checkout's commands take with another one's."""
    table = Table("", "CPU seconds before", "now", "times", "on the clock before", "now", box=MARKDOWN)
    for what, words in COMMANDS.items():
        before, now = alternate((checkout, HERE), words.split(), rounds)
        times = before.processor / now.processor
        seconds = (before.processor, now.processor, times, before.clock, now.clock)
        table.add_row(what, *(f"{it:.1f}" if it >= 10 else f"{it:.2f}" for it in seconds))
    Console(width=140).print(table)


def alternate(checkouts: Sequence[Path], words: Sequence[str], rounds: int) -> list[Cost]:
    """What each takes, in the median; the first round fills caches, and is not counted."""
    found: list[list[Cost]] = [[] for _ in checkouts]
    for _ in range(rounds + 1):
        for checkout, costs in zip(checkouts, found, strict=True):
            costs.append(take(checkout, words))
    return [
        Cost(median(it.processor for it in costs[1:]), median(it.clock for it in costs[1:]))
        for costs in found
    ]


def take(checkout: Path, words: Sequence[str]) -> Cost:
    """Run a command, and say what it took with all processes that it has waited for."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    began, before = time.monotonic(), os.times()
    subprocess.run(
        [checkout.absolute() / ".venv" / "bin" / "stingy", *words],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return Cost(spent, time.monotonic() - began)


if __name__ == "__main__":
    main()
