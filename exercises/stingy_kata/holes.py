"""Split a solution with marked holes into the learner's start and the solution.

Both are kept in one file, so that their common code is written once. A hole consists of:

1. a line ``# hole``;
2. the lines of the start, each behind ``# |``; they get the indentation of the line ``# hole``;
3. the lines of the solution;
4. a line ``# end of hole``.
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
    """A mark of a hole, such as ``# hole``, belongs to no complete hole.

    The message says where, and what a hole looks like.
    """


@dataclass(frozen=True)
class Parted:
    """Texts of an exercise's start code and of its solution, both made from one text with marked holes."""

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
    """Return a hole with blanks for all but its solution, so that positions and line numbers stay."""
    begins, ends = (it - hole.start() for it in hole.span("filling"))
    return re.sub(r"\S", " ", hole[0][:begins]) + hole["filling"] + re.sub(r"\S", " ", hole[0][ends:])
