"""Hold a proxy against the laws of skew, case by case: random clocks, random changes, random syncs.

    python benchmarks/skew.py
    python benchmarks/skew.py "cmd:candidates/kube-proxy/driver"

With *skew* = node − originator, a change at *e*, a proxy made at *S* and rules programmed at *p*, it must be measured if and
only if *e − S > skew*, and then as *p − e + skew*. Prints how many cases there were, how many disagree, and the seconds
it took; the exit status is 1 if any disagrees.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import count
from random import Random
from time import perf_counter

import click

from stingy.contract import PROFILES, SECOND, Nanoseconds
from stingy.language import Change, Cluster, about, format_span
from stingy.language.story import Story
from stingy.transport import Candidate, locate

AN_HOUR = 3600 * SECOND
SKEW = 2 * AN_HOUR
"""At most, either way."""
CHANGES_OF_A_NODE = 50
BEFORE, AFTER = 2 * AN_HOUR, 4 * AN_HOUR
"""How long before its start, and after it, there are changes."""
ON_THE_BOUNDARY = 0.1
"""The share of changes whose stamp is within a nanosecond of the start, or equals it."""
SYNCS = 1 / 3
"""The share of changes after which there is a sync."""


def changes_of_a_node(random: Random) -> list[tuple[Nanoseconds, Nanoseconds]]:
    """When they happen, in a time that begins with the node's start, and by which skew; in the order in which they do."""
    changes = []
    for _ in range(CHANGES_OF_A_NODE):
        skew = random.randrange(-SKEW, SKEW)
        happens = random.randrange(-BEFORE, AFTER)
        if random.random() < ON_THE_BOUNDARY:
            happens = max(skew, -BEFORE) + random.choice((-1, 0, 1))
        changes.append((happens, skew))
    return sorted(changes)


def disagreements(candidate: Candidate, random: Random) -> Iterator[str]:
    """What a node observes of its changes, a few a sync, and the laws do not say, or the other way round."""
    session = candidate.open(PROFILES["proxy"])
    cluster = Cluster(session, Story("skew"))
    heard: list[Change] = []

    def sync() -> Iterator[str]:
        heard.extend(cluster.hears())
        cluster.elapse(random.choice((0, 1, random.randrange(60 * SECOND))))
        yield from _held_against(cluster, heard, cluster.sync())
        heard.clear()

    for number, (happens, skew) in enumerate(changes_of_a_node(random)):
        if happens > 0 and not cluster.started:
            cluster.until(BEFORE)
            heard.extend(cluster.boots())
        cluster.until(BEFORE + happens)
        cluster.host(str(number), ahead=-skew).changes("web", f"web-{number}")
        if cluster.started and random.random() < SYNCS:
            yield from sync()
    yield from sync()
    session.close()


def _held_against(cluster: Cluster, heard: Sequence[Change], observed: Sequence[float]) -> Iterator[str]:
    left: list[object] = list(observed)
    for change in heard:
        expected = _measured(change, cluster.started, cluster.now)
        if expected is not None and about(expected) in left:
            left.remove(about(expected))
        elif expected is not None:
            yield f"{change} is not measured as {format_span(expected)}, but {observed} observed"
    yield from (f"{latency} is observed, of {heard}" for latency in left)


def _measured(change: Change, started: Nanoseconds, programmed: Nanoseconds) -> Nanoseconds | None:
    """(F) and (L), for a node whose clock is right."""
    skew = -change.ahead
    return programmed - change.happened + skew if change.happened - started > skew else None


@click.command()
@click.argument("target", default="stingy_reference")
@click.option("--cases", default=10_000, show_default=True)
@click.option("--seed", default=1, show_default=True)
def main(target: str, cases: int, seed: int) -> None:
    """Hold TARGET against the laws of skew."""
    candidate = locate(target, seed)
    began, wrong = perf_counter(), 0
    for node in count(1):
        for disagreement in disagreements(candidate, Random(f"{seed} {node}")):
            wrong += 1
            print(disagreement, flush=True)
        if node * CHANGES_OF_A_NODE >= cases:
            break
    print(f"{node * CHANGES_OF_A_NODE:,} cases, {wrong} disagree, {perf_counter() - began:.1f} s")
    candidate.close()
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
