"""Measure the cost of a run as its parts grow: ``python benchmarks/growth.py [FILE.svg]``.

The parts are rules, lanes, operations of a lane, orders of a race, and items, on the reference. Each time except that of the
rules is the least of three measurements. Prints tables, and draws them into the file.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

import matplotlib.pyplot as plt

from counters import counting
from stingy.engine.exploration import explore
from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.language import Queue, Race
from stingy.language.order import Budget, Explored, Failure, Order
from stingy.language.stage import stage
from stingy.language.story import Story
from stingy.language.words import read
from stingy.transport import locate
from stingy.transport.inprocess import InProcess

TIMES = 3
TARGET = "stingy_reference:WorkQueue"
LANES = range(2, 9)
SAMPLE = 300
"""Number of orders from which the cost of one is computed."""
GREY = "#808080"
"""Readable on black and on white."""


@dataclass(frozen=True)
class Growth:
    """How a cost grows: ``points`` has the cost for each of several numbers."""

    of: str
    cost: str
    points: Sequence[tuple[int, float]]


def main() -> None:
    growths = [
        Growth("rules judged", "seconds in all", list(rules())),
        Growth("lanes, of 3 operations each", "ms an order", list(lanes())),
        Growth("lanes, of 3 operations each", "scheduling points an order", list(points())),
        Growth("operations of each of 2 lanes", "ms an order", list(operations())),
        Growth("orders tried, of 3 lanes", "seconds in all", list(orders())),
        Growth("items added, then worked off", "µs an item", list(items())),
    ]
    for growth in growths:
        print(f"| {growth.of} | {' | '.join(str(n) for n, _ in growth.points)} |")
        print(f"|---|{'--:|' * len(growth.points)}")
        print(f"| {growth.cost} | {' | '.join(f'{cost:.3g}' for _, cost in growth.points)} |\n")
    if sys.argv[1:]:
        draw(growths, sys.argv[1])


def rules() -> Iterator[tuple[int, float]]:
    """Judge the reference by all rules; after every 50 rules yield their number and the total seconds."""
    candidate = locate("stingy_reference", 1)
    judge, began = Judge(candidate, 1), perf_counter()
    for n, rule in enumerate(all_rules().values(), 1):
        list(judge.verdicts(rule))
        if n % 50 == 0 or n == len(all_rules()):
            yield n, perf_counter() - began
    candidate.close()


def lanes() -> Iterator[tuple[int, float]]:
    for n in LANES:
        yield n, an_order(of_lanes(n))


def points() -> Iterator[tuple[int, float]]:
    for n in LANES:
        with counting() as counts:
            runs = tried(of_lanes(n), SAMPLE).runs
        yield n, counts["scheduling points"] / runs


def of_lanes(n: int) -> str:
    return " | ".join(["add a, get, done"] * n)


def operations() -> Iterator[tuple[int, float]]:
    for n in (2, 3, 6, 9, 12, 15):
        program = ", ".join((["add a", "get", "done"] * n)[:n])
        yield n, an_order(f"{program} | {program}")


def orders() -> Iterator[tuple[int, float]]:
    program = of_lanes(3)
    for n in (100, 200, 400, 800, 1600):
        yield n, least(lambda n=n: seconds(program, n))


def items() -> Iterator[tuple[int, float]]:
    for n in (100, 500, 1000, 2000, 5000):
        yield n, least(lambda n=n: worked_off(n)) * 1e6 / n


def worked_off(n: int) -> float:
    """Return the seconds in which so many items are added, and then taken and finished one by one."""
    candidate, began = InProcess(TARGET), perf_counter()
    with stage(candidate.open, read(Queue), Story(""), Order(0)) as queue:
        queue.add_each([f"item-{number}" for number in range(n)])
        queue.work_off(n)
    spent = perf_counter() - began
    candidate.close()
    return spent


def an_order(program: str) -> float:
    """Return the milliseconds that it takes to run the program in one order."""
    runs = tried(program, SAMPLE).runs
    return least(lambda: seconds(program, SAMPLE)) * 1000 / runs


def seconds(program: str, most: int) -> float:
    began = perf_counter()
    tried(program, most)
    return perf_counter() - began


def tried(program: str, most: int) -> Explored:
    """Run a program in up to ``most`` orders, each on a new queue, and return how many were run."""
    candidate = InProcess(TARGET)

    def attempt(order: Order) -> Failure | None:
        with stage(candidate.open, read(Race), Story(str(order.number)), order) as race:
            history = race.play("", program)
            assert not history.unexplained()
        return None

    explored = explore(attempt, "1", Budget(most))
    candidate.close()
    return explored


def least(measured: Callable[[], float]) -> float:
    return min(measured() for _ in range(TIMES))


def draw(growths: Sequence[Growth], path: str) -> None:
    plt.rcParams |= dict.fromkeys(
        ("text.color", "axes.labelcolor", "xtick.color", "ytick.color", "axes.edgecolor"), GREY
    )
    figure, axes = plt.subplots(2, 3, figsize=(10, 5.6))
    for axis, growth in zip(axes.flat, growths, strict=True):
        axis.plot(*zip(*growth.points, strict=True), "o-", color="#3f7fbf", markersize=4)
        axis.set(xlabel=growth.of, ylabel=growth.cost, ylim=(0, None), xlim=(0, None))
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, transparent=True, metadata={"Date": None})


if __name__ == "__main__":
    main()
