"""Look for false positives in far more orders than a run tries: ``python benchmarks/accused.py "cmd:…/driver"``.

A run ends a race once every order has been tried, or 400 have. Here the driver draws orders without end, by PCT and at random, of
each race in the rules and of new small programs for each seed; with ``--large``, of programs with 20 lanes of 10 calls each. The
rule judges each history that differs from the others. Exit status: 1 if a rule is broken or cannot be decided.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, islice
from pathlib import Path
from random import Random
from typing import Annotated

import click

from lab.recorded import read
from stingy.contract import Profile
from stingy.guarantees import like
from stingy.guarantees.backoff import Exponential, doubling
from stingy.judging.trial import Trial
from stingy.judging.verdict import Finding
from stingy.language import AtOnce
from stingy.language.notation import parse_lanes
from stingy.language.order import Attempt, Explored, Explorer
from stingy.language.rule import Row, Rule
from stingy.language.small_programs import AGAIN, DONE, GET, LARGER, Calls, Programs, Size, Small
from stingy.transport import scheduled
from stingy.transport.driver import DriverCandidate

LARGE = Size(20, 10)
BATCH = 200
BATCH_OF_LARGE = 20
"""Hardly two orders of a large program have the same history, and one line of the protocol holds all of them."""
PROGRAMS = 25
"""Number of programs for each seed, of each rule about all small programs."""
ITEMS = "abcdef"
BEGINS = 30
"""Seconds that a driver may take to start, on a machine that is busy for hours."""


@dataclass
class Tally:
    """Counts of the orders that were run, and of the results of judging them."""

    orders: int = 0
    histories: int = 0
    """Histories that differ, each judged once."""
    accused: int = 0
    undecided: int = 0

    def __str__(self) -> str:
        return (
            f"{self.orders:,} orders, {self.histories:,} histories judged, "
            f"{self.accused} accused, {self.undecided} undecided"
        )


class Sampled(DriverCandidate):
    """A driver whose races run in random orders, even if a race has so few that all could be run."""

    def __init__(self, target: str, batch: int) -> None:
        super().__init__(target, start=BEGINS)
        self.tally = Tally()
        self._batch = batch
        if not self._scheduled:
            self.close()
            raise click.ClickException(
                f"the order of its lanes cannot be chosen; ask: stingy doctor {target!r}"
            )

    def explorer(self, profile: Profile, seed: int, order: str = "") -> Explorer:  # noqa: ARG002 - all profiles are run alike
        def explore(attempt: Attempt, runs: int, *, small: bool = False) -> Explored:  # noqa: ARG001
            for number, strategy in enumerate(scheduled.STRATEGIES, seed * len(scheduled.STRATEGIES)):
                batch = scheduled.Batch(strategy, number * self._batch, self._batch, most=self._batch)
                for each in scheduled.orders_of(batch):
                    failure = attempt(each)
                    self.tally.histories += 1
                    if failure is not None:
                        return Explored(batch.runs, failure=failure, token=each.token)
                self.tally.orders += batch.runs
            return Explored(runs)

        return explore

    def release_control(self) -> bool:
        """Return False, to keep control: the machine's own orders would be counted as random ones."""
        return False


@dataclass(frozen=True)
class Asked:
    """A rule with one row of its table, or with one program, by which a driver is judged."""

    rule: Rule
    row: Row | None
    program: Small | None = None


def ask_small(rules: Sequence[Rule], seed: int) -> Iterator[Asked]:
    """Yield every race of the rules, and for rules about all small programs some of these programs."""
    for rule in rules:
        if not rule.for_all:
            yield from (Asked(rule, row) for row in rule.cases)
        for values in rule.for_all.values():
            if isinstance(values, Programs):
                some = _of_all_sizes(values.calls, Random(seed))
            else:
                some = values.list_all(str(seed)) if values.list_all else iter(())
            yield from (_about(rule, program) for program in islice(some, PROGRAMS))


def _of_all_sizes(calls: Calls, random: Random) -> Iterator[Small]:
    return chain.from_iterable(zip(*(calls.shuffle(size, random) for size in LARGER), strict=False))


def ask_large(rules: Sequence[Rule], seed: int) -> Iterator[Asked]:
    """Yield a large program for each rule about all programs, with the same calls as its small ones."""
    random = Random(seed)
    for rule in rules:
        for values in rule.for_all.values():
            if isinstance(values, Programs) and values.calls.hands_out:
                yield _about(rule, draw_large(values.calls, ITEMS, random))
            elif isinstance(values, Programs):
                # With Forgets among so many calls, listing the possible results would take for ever.
                counts = replace(rule, check=no_failure_is_lost)
                yield _about(counts, draw_large(Calls(adds=("when {}",), hands_out=False), "ab", random))


def no_failure_is_lost(exponential: Annotated[Exponential, AtOnce], program: Small) -> None:
    """Whatever many callers do at once, each failure MUST be counted."""
    limiter = doubling(exponential)

    limiter.at_once(
        *([(op, item) for op, item in map(str.split, lane)] for lane in parse_lanes(program.at_once))
    )

    for item in "ab":
        assert limiter.num_requeues(item) == program.at_once.count(f"when {item}")


def _about(rule: Rule, program: Small) -> Asked:
    ((name, values),) = rule.for_all.items()
    only = replace(rule, for_all={name: replace(values, list_all=lambda _: iter([program]))})
    return Asked(only, None, program)


def draw_large(calls: Calls, items: str, random: Random) -> Small:
    lanes = [_draw_lane(calls, items, random) for _ in range(LARGE.lanes)]
    if calls.once:
        whose = random.randrange(len(lanes))
        lanes[whose] = [lane for lane in lanes[whose] if lane not in (GET, DONE, AGAIN)]
        lanes[whose].insert(random.randint(0, len(lanes[whose])), calls.once)
    return Small("", " | ".join(", ".join(lane) for lane in lanes))


def _draw_lane(calls: Calls, items: str, random: Random) -> list[str]:
    """Return random calls for one lane, with a Done for each Get; some lanes make mostly Adds."""
    lane: list[str] = []
    held, works = 0, random.random() if calls.hands_out else 0
    while len(lane) + held < LARGE.calls:
        if held and random.random() < works:
            call = random.choice((DONE, DONE, AGAIN))
        elif random.random() < works and len(lane) + held + 2 <= LARGE.calls:
            call = GET
        else:
            call = random.choice((*calls.adds, *calls.looks)).format(random.choice(items))
        held += (call == GET) - (call == DONE)
        lane.append(call)
    return lane + [DONE] * held


def keep_only(rules: Sequence[Rule], report: Path) -> Iterator[Rule]:
    """Yield the rules, each with only those rows of its table that passed in a report."""
    kept = {(it.rule, it.case) for it in read(report).results if it.verdict is Finding.PASS}
    for rule in rules:
        rows = [row for row in rule.cases if (rule.id, row.name if row else "") in kept]
        if rows:
            yield replace(rule, each=tuple(row for row in rows if row))


def sample(candidate: Sampled, asked: Iterator[Asked], seed: int) -> None:
    """Judge a driver by each rule in random orders, and print every verdict that is not a PASS."""
    tally = candidate.tally
    for each in asked:
        verdict = Trial(candidate, seed).judge(each.rule, each.row)
        if verdict.verdict in (Finding.PASS, Finding.NOT_OFFERED):
            continue
        if verdict.verdict is Finding.INCONCLUSIVE:
            tally.undecided += 1
        else:
            tally.accused += 1
        click.echo(f"{verdict.verdict} {verdict.id}, seed {seed}: {verdict.because}")
        if each.program:
            click.echo(f"    program: {each.program.before} / {each.program.at_once}")
        click.echo("".join(f"    {line}\n" for line in verdict.story) + f"    order: {verdict.order}")


@click.command(help=__doc__)
@click.argument("target")
@click.option("--orders", default=1_000_000, show_default=True, help="Least number of orders.")
@click.option("--large", is_flag=True, help="Programs of 20 lanes with 10 calls each.")
@click.option("--rule", "globs", multiple=True, default=("*",), help="Only these rules.")
@click.option("--first", default=1, show_default=True, help="The first seed.")
@click.option(
    "--kept",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A report in JSON: try only the races that passed in it.",
)
def main(
    target: str, orders: int, large: bool, globs: tuple[str, ...], first: int, kept: Path | None
) -> None:
    rules: Sequence[Rule] = [rule for rule in like(globs) if rule.races]
    rules = list(keep_only(rules, kept)) if kept else rules
    ask = ask_large if large else ask_small
    candidate, began = Sampled(target, BATCH_OF_LARGE if large else BATCH), time.perf_counter()
    tally = candidate.tally
    try:
        for seed in count(first):
            before = tally.orders
            sample(candidate, ask(rules, seed), seed)
            click.echo(f"seed {seed}: {tally}", err=True)
            if tally.orders >= orders:
                break
            if tally.orders == before:
                raise click.ClickException("there is no race to run")
    finally:
        candidate.close()
    _conclude(tally, time.perf_counter() - began)


def _conclude(tally: Tally, seconds: float) -> None:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    judge, driver = (each.ru_utime + each.ru_stime for each in used)
    click.echo(
        f"{tally}; {judge:.0f} s of a processor for the judge and {driver:.0f} s for the driver, {seconds:.0f} s in all; "
        f"{tally.orders / seconds:,.0f} orders a second, {tally.orders / (judge + driver):,.0f} a second of a processor"
    )
    sys.exit(bool(tally.accused or tally.undecided))


if __name__ == "__main__":
    main()
