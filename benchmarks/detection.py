"""Count with how many of ten seeds each broken candidate is found, and how soon: ``python benchmarks/detection.py [NAME]…``.

Only candidates are judged whose own rule leaves something to chance: the order of threads, a choice of programs, or examples. The
own rule comes first; if it finds nothing, the other rules that are known to find the candidate follow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from statistics import median

import click

from lab.kills import Specimen, broken_in
from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Finding
from stingy.language.rule import ORDERS_OF_PROGRAMS, Rule
from stingy.reports.faults import record
from stingy.transport.inprocess import InProcess

THIRD = 1 / 3


@dataclass(frozen=True)
class Sought:
    """How often and how soon a broken candidate was found, over all seeds.

    Its own rule is the one that it is made to break. A try is one order of a race, or one example.
    """

    specimen: Specimen
    own: tuple[int, ...]
    """Number of tries until its own rule found it, for each seed with which it did."""
    others: int
    """Number of seeds with which only another rule found it."""
    seeds: int

    @property
    def rule(self) -> Rule:
        return all_rules()[self.specimen.about]

    @property
    def is_found(self) -> bool:
        return len(self.own) + self.others == self.seeds

    @property
    def is_late(self) -> bool:
        """True if its own rule is about races, and needs over a third of its orders to find it."""
        return self.rule.races and self.share > THIRD

    @property
    def share(self) -> float:
        """Median share of the possible tries that its own rule needs; 1 where it finds nothing."""
        never = [1.0] * (self.seeds - len(self.own))
        return median([*(runs / tries(self.rule) for runs in self.own), *never])


@click.command(help=__doc__)
@click.argument("names", nargs=-1)
@click.option("--seeds", default=10, show_default=True)
@click.option("--processes", default=2, show_default=True)
@click.option("--every", default=1, help="Judge only every N-th candidate.")
@click.option(
    "--uncontrolled", is_flag=True, help="Leave the order of threads to the machine, for comparison."
)
def main(names: tuple[str, ...], seeds: int, processes: int, every: int, *, uncontrolled: bool) -> None:
    asked = [
        it for it in broken_in("stingy_broken") if leaves_to_chance(it) and (not names or it.name in names)
    ]
    with ProcessPoolExecutor(processes) as pool:
        found = list(pool.map(partial(seek, seeds=seeds, controlled=not uncontrolled), asked[::every]))
    print_table(found)


def leaves_to_chance(specimen: Specimen) -> bool:
    rule = all_rules()[specimen.about]
    return rule.races or bool(rule.for_all)


def tries(rule: Rule) -> int:
    """Return the largest number of orders in which the rule's races, or small programs, are run."""
    return ORDERS_OF_PROGRAMS if rule.for_all else rule.orders


def seek(specimen: Specimen, *, seeds: int, controlled: bool = True) -> Sought:
    at = [_find(specimen, seed, controlled=controlled) for seed in range(1, seeds + 1)]
    own = tuple(runs for rule, runs in filter(None, at) if rule == specimen.about)
    return Sought(specimen, own, sum(1 for it in at if it) - len(own), seeds)


def _find(specimen: Specimen, seed: int, *, controlled: bool) -> tuple[str, int] | None:
    """Return the rule that finds the candidate with this seed, and the number of tries until then.

    Return None if no rule finds it. ``controlled`` is False to leave the order of threads to the
    machine.
    """
    candidate = InProcess(specimen.target, seed)
    candidate.controlled = controlled
    candidate.shrinks = False
    trial = Trial(candidate, seed)
    try:
        for id_ in _known_to_find(specimen):
            if (runs := _runs_until(trial, all_rules()[id_])) is not None:
                return id_, runs
    finally:
        candidate.close()
    return None


def _known_to_find(specimen: Specimen) -> Iterator[str]:
    yield specimen.about
    yield from (rule.id for rule in all_rules().values() if specimen.about in rule.after)
    if fault := record().of(specimen.family, specimen.name):
        yield from (id_ for id_ in fault.failures if id_ != specimen.about)


def _runs_until(trial: Trial, rule: Rule) -> int | None:
    for row in rule.cases:
        verdict = trial.judge(rule, row)
        if verdict.verdict is Finding.FAIL:
            return verdict.runs
    return None


def print_table(found: Sequence[Sought]) -> None:
    print(
        "| left to chance | broken candidates | found with every seed | by their own rule | after a third of its tries at most |"
    )
    print("|---|--:|--:|--:|--:|")
    for kind, of_kind in _by_kind(found):
        every = [it for it in of_kind if it.is_found]
        own = [it for it in every if not it.others]
        soon = sum(1 for it in of_kind if it.rule.races and not it.is_late) or "–"
        print(f"| {kind} | {len(of_kind)} | {len(every)} | {len(own)} | {soon} |")
    print(f"\nnot with every seed: {_names(it for it in found if not it.is_found)}")
    print(f"\nlate: {_names(it for it in found if it.is_late)}")


def _by_kind(found: Iterable[Sought]) -> Iterable[tuple[str, list[Sought]]]:
    kinds = defaultdict(list)
    for it in found:
        races, drawn = it.rule.races, bool(it.rule.for_all)
        kinds["programs and orders" if races and drawn else "orders" if races else "examples"].append(it)
    return kinds.items()


def _names(found: Iterable[Sought]) -> str:
    return ", ".join(sorted(it.specimen.name for it in found)) or "none"


if __name__ == "__main__":
    main()
