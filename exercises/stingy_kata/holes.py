"""A solution with holes: what a learner is given instead stands in it as comments, so that there is one file, not two.

A hole begins with ``# hole``. Then comes what is given for it, each line behind ``# |`` and as deep as that mark, then
what belongs into it, until ``# end of hole``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

HOLE = re.compile(
    # The formatter may put blank lines before the end.
    r"^(?P<indent> *)# hole\n(?P<given>(?: *# \|[^\n]*\n)*)(?P<filling>.*?)\s*# end of hole\n",
    re.MULTILINE | re.DOTALL,
)
MARK = re.compile(r"^ *(# hole|# \||# end of hole)", re.MULTILINE)


class Astray(Exception):  # noqa: N818 - the fault is the author's
    """A mark stands where it belongs to no hole; the message says where, and what a hole is."""


@dataclass(frozen=True)
class Parted:
    """The two files that the one stands for; neither says a word of holes."""

    start: str
    solution: str


def split(marked: str) -> Parted:
    if stray := MARK.search(HOLE.sub(_blank_marks, marked)):
        line = marked.count("\n", 0, stray.start(1)) + 1
        raise Astray(
            f"line {line}: this {stray[1]!r} belongs to no hole: write a line '# hole', below it what is given, each line "
            "behind '# | ', then what belongs there, and a line '# end of hole'"
        )
    return Parted(HOLE.sub(_take_given, marked), HOLE.sub(_take_filling, marked))


def _take_given(hole: re.Match[str]) -> str:
    lines = (line.partition("# |")[2].removeprefix(" ") for line in hole["given"].splitlines())
    return "".join(f"{hole['indent']}{line}".rstrip() + "\n" for line in lines)


def _take_filling(hole: re.Match[str]) -> str:
    return f"{hole['filling']}\n" if hole["filling"] else ""


def _blank_marks(hole: re.Match[str]) -> str:
    """What belongs into it, where it stands: its marks are blank."""
    begins, ends = (it - hole.start() for it in hole.span("filling"))
    return re.sub(r"\S", " ", hole[0][:begins]) + hole["filling"] + re.sub(r"\S", " ", hole[0][ends:])
