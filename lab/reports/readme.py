"""Results of a real implementation in the README of its folder, made from its record alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.reports.matrix import Column
from stingy.judging.verdict import Exit
from stingy.reports import Standard

BEGIN = "<!-- python -m lab matrix --table writes this section -->"
END = "<!-- end of the written section -->"


def renew(text: str, column: Column) -> str:
    """Return the README ``text`` with the recorded results, in place of earlier ones or at its end."""
    found = "\n".join((BEGIN, "", *_lines(column), END))
    held = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    return held.sub(lambda _: found, text) if held.search(text) else f"{text.rstrip()}\n\n{found}\n"


def _lines(column: Column) -> Iterator[str]:
    yield "## Recorded results\n"
    yield f"{column.title} {_conclude(column)}.\n"
    if column.broken:
        yield f"It breaks {', '.join(f'`{rule}`' for rule in column.broken)}. The story of each broken rule is in `result.json`, and on the page *Real implementations* of the site.\n"
    yield from column.left_open()
    yield from column.unfound()


def _conclude(column: Column) -> str:
    ends = {standard: standard.judge(column.report.results) for standard in Standard}
    words = {Exit.CONFORMS: "conforms", Exit.DOES_NOT: "does not conform"}
    return ", and ".join(f"{words.get(end, 'is undecided')} {standard}" for standard, end in ends.items())
