"""Play a scheduling puzzle for a web page: run it in the order that the page sends.

The answer describes the position that is reached.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict

from figure import figure

from stingy_kata.driving import Drive, played
from stingy_kata.puzzle import Puzzle, find_puzzle

_set_out = ExitStack()
_drives: dict[str, Drive] = {}
"""The function that plays the current puzzle, by the puzzle's name.

It has at most one entry, because all puzzles are imported under the same module name.
"""


def answer(asked: str, tell: Callable[[str], object]) -> None:
    ask = json.loads(asked)
    puzzle = find_puzzle(ask["puzzle"])
    position = _open(puzzle)(ask["order"])
    told = {
        "kind": "told",
        "order": position.order,
        "choices": position.choices,
        "lanes": [asdict(lane) for lane in position.lanes],
        "sets": position.sets,
        "story": figure(position.story, "Your order") if position.story else "",
        "broken": position.broken,
        "moral": puzzle.moral,
    }
    gc.collect()  # the automatic collection is off: see stingy.engine.stacks
    tell(json.dumps(told))


def _open(puzzle: Puzzle) -> Drive:
    if puzzle.name not in _drives:
        _set_out.close()
        _drives.clear()
        _drives[puzzle.name] = _set_out.enter_context(played(puzzle))
    return _drives[puzzle.name]
