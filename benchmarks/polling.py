"""What it costs to judge whoever looks again and again, or has a lot to do: seconds of a processor for a whole run.

Every candidate of ``pollers`` is judged by the command as it is shipped, one after the other, and a table is printed: what it does,
seconds, and what came of it. Whoever takes longer than is asked for is ended, and so marked.
"""

from __future__ import annotations

import inspect
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep

import click

import pollers

GLANCE = 0.5
"""Seconds from one look at what has been used to the next."""
TICKS = os.sysconf("SC_CLK_TCK")


@click.command(help=__doc__)
@click.argument("names", nargs=-1)
@click.option("--rule", help="Only rules like this, as for stingy run.")
@click.option("--most", default=60.0, show_default=True, help="Seconds of a processor that one may take.")
@click.option("--seed", default=1, show_default=True)
def main(names: tuple[str, ...], rule: str | None, most: float, seed: int) -> None:
    print("| candidate | CPU seconds | verdicts |\n|---|--:|---|", flush=True)
    for name in names or [*candidates()]:
        words = [f"pollers:{name}", "--seed", str(seed), *(["--rule", rule] if rule else [])]
        print(f"| {name} | {' | '.join(judged(words, most))} |", flush=True)


def candidates() -> Iterator[str]:
    for name, thing in vars(pollers).items():
        if inspect.isclass(thing) and thing.__module__ == pollers.__name__ and not name.startswith("_"):
            yield name


def judged(words: list[str], most: float) -> tuple[str, str]:
    """What the run has used, and what it has found."""
    with TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        run = subprocess.Popen(
            [sys.executable, "-m", "stingy", "run", *words, "--report", f"json={report}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        used = 0.0
        while run.poll() is None:
            sleep(GLANCE)
            used = max(used, used_by(run.pid))
            if used > most:
                end(run)
                return f"> {most:g}", "ended"
        found = Counter(each["verdict"] for each in json.loads(report.read_text())["results"])
    return f"{used:.0f}", ", ".join(f"{n} {verdict}" for verdict, n in found.most_common())


def used_by(process: int) -> float:
    """Seconds of a processor that it and all that it has started have used so far."""
    return sum(map(_used, family(process)))


def _used(process: int) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS  # its own, and its children's that have ended


def family(process: int) -> Iterator[int]:
    yield process
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            names = children.read_text().split()
        except OSError:
            continue
        for child in map(int, names):
            yield from family(child)


def end(run: subprocess.Popen[bytes]) -> None:
    for process in reversed([*family(run.pid)]):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    run.wait()


if __name__ == "__main__":
    main()
