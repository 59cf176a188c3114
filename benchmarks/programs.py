"""Count the small programs, and the faults that each size of them finds: ``python benchmarks/programs.py``.

``--most N``: try N random programs of each size; ``--seeds N``: judge each fault as a run does, with N seeds; ``--every N``: judge
only every N-th fault.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from math import inf
from random import Random
from statistics import median

from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Finding, Verdict
from stingy.language.rule import Level, Rule
from stingy.language.small_programs import LARGER, SMALL, Programs, Size
from stingy.reports.faults import Fault, record
from stingy.transport.inprocess import InProcess

SIZES = (SMALL, *LARGER)
USUAL = "as it is run by default"


@dataclass(frozen=True)
class Asked:
    """A fault to find with all programs of one size, in up to ``most`` orders.

    If the size is None, the programs are those of a default run with this seed.
    """

    fault: str
    size: Size | None
    seed: int
    most: int


@dataclass(frozen=True)
class Told:
    asked: Asked
    found: bool
    orders: int


def main() -> None:
    options = ArgumentParser()
    options.add_argument("--most", type=int, default=60)
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--every", type=int, default=1)
    options.add_argument("--processes", type=int, default=2)
    given = options.parse_args()
    print_counts()
    asked = [
        Asked(fault, size, seed, given.most)
        for fault in race_faults()[:: given.every]
        for size in (*SIZES, None)
        for seed in (range(1, given.seeds + 1) if size is None else (1,))
    ]
    with ProcessPoolExecutor(given.processes) as pool:
        print_shares(list(pool.map(tell, asked)))


def print_counts() -> None:
    print(f"| programs of | {' | '.join(map(str, SIZES))} |\n|---|{'--:|' * len(SIZES)}")
    for id_, programs in of_programs().items():
        counts = (sum(1 for _ in programs.calls.programs(size)) for size in SIZES)
        print(f"| `{id_}` | {' | '.join(f'{count:,}' for count in counts)} |", flush=True)


def print_shares(told: Sequence[Told]) -> None:
    print("\n| programs | faults found | of | orders until then, median | most |\n|---|--:|--:|--:|--:|")
    for size in (*SIZES, None):
        of_size = [one for one in told if one.asked.size == size]
        orders = [one.orders for one in of_size if one.found]
        name = USUAL if size is None else str(size)
        print(
            f"| {name} | {len(orders)} | {len(of_size)} | {median(orders or [0]):.0f} | {max(orders, default=0)} |"
        )
    never = {one.asked.fault for one in told} - {one.asked.fault for one in told if one.found}
    missed = sorted(
        f"{one.asked.fault} {one.asked.seed}" for one in told if not (one.asked.size or one.found)
    )
    print(
        f"\nnever found: {', '.join(sorted(never)) or 'none'}\n\nnot by default: {', '.join(missed) or 'none'}"
    )


def of_programs() -> Mapping[str, Programs]:
    """Return the programs of each rule about all small programs, by the rule's id."""
    return {
        rule.id: programs
        for rule in all_rules().values()
        for programs in rule.for_all.values()
        if isinstance(programs, Programs)
    }


def race_faults() -> list[str]:
    """Return the targets of broken candidates in the profiles that have rules about all small programs.

    Only faults that races alone find are included.
    """
    ours = {all_rules()[id_].profile.name for id_ in of_programs()}
    return [f"stingy_broken.{it.family}:{it.name}" for it in record().faults if set(_profiles(it)) & ours]


def _profiles(fault: Fault) -> Iterator[str]:
    rules = [all_rules()[id_] for id_ in fault.failures]
    if all(rule.races for rule in rules):
        yield from (rule.profile.name for rule in rules if rule.level is Level.MUST)


def tell(asked: Asked) -> Told:
    candidate = InProcess(asked.fault, asked.seed)
    candidate.shrinks = False
    orders = 0
    try:
        for id_ in of_programs():
            verdict = _judged(candidate, all_rules()[id_], asked)
            orders += verdict.runs
            if verdict.verdict is Finding.FAIL:
                return Told(asked, found=True, orders=orders)
    finally:
        candidate.close()
    return Told(asked, found=False, orders=orders)


def _judged(candidate: InProcess, rule: Rule, asked: Asked) -> Verdict:
    if asked.size is None:
        return Trial(candidate, asked.seed).judge(rule, None)
    ((name, programs),) = of_programs_in(rule).items()
    size, most = asked.size, asked.most

    def list_all(seed: str) -> Iterator[object]:
        return islice(programs.calls.shuffle(size, Random(seed)), most)

    candidate.share = inf
    only = replace(rule, for_all={name: replace(programs, list_all=list_all)})
    return Trial(candidate, asked.seed).judge(only, None)


def of_programs_in(rule: Rule) -> Mapping[str, Programs]:
    return {name: values for name, values in rule.for_all.items() if isinstance(values, Programs)}


if __name__ == "__main__":
    main()
