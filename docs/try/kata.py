"""The workshop in a web page, which keeps the learner's files and sends them with each request.

The exercises are graded by the same code as in a terminal.
"""

from __future__ import annotations

import base64
import contextlib
import gc
import io
import json
import os
import shutil
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import BadZipFile, ZipFile

import endless
import msgspec
from figure import figure

from stingy.engine.codes import freeze
from stingy.guarantees import all_rules
from stingy.judging.rewriting import run_rewritten
from stingy.judging.verdict import Finding, Verdict
from stingy.language.rule import Level
from stingy_kata.board import status
from stingy_kata.exercise import exercises, find_exercise
from stingy_kata.feedback import feedback
from stingy_kata.grading import grade
from stingy_kata.marking import mark
from stingy_kata.screen import plain
from stingy_kata.script import read
from stingy_kata.state import FILE
from stingy_kata.workshop import Workshop, make

FOLDER = Path("stingy-kata")
"""Folder of the workshop. It is made anew for each request, from the files that the page sends."""
PRINTED = 2_000
"""Maximum number of characters of an attempt's output that are shown."""
LARGEST = 1_000_000
"""Files of this size in bytes or more in an imported ZIP file are ignored."""

Told = dict[str, Any]
Tell = Callable[[str], object]


def begin() -> None:
    """Import all rules, with pytest's rewriting of assertions, as in a terminal.

    Without it, a failure would not report the values that an assertion compared.
    """
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    run_rewritten(_import_all)
    freeze()  # the imported objects stay, so the collector need not check them again


def _import_all() -> None:
    all_rules(), exercises()


def answer(asked: str, tell: Tell) -> None:
    """Do what the page requests in the workshop, and send the result and the new state with ``tell``.

    ``asked``, the request, and what is sent are JSON.
    """
    ask = json.loads(asked)
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name, text in ask["files"].items():
        _write(FOLDER / name, text)
    workshop = make(FOLDER)
    told = DOES[ask["do"]](workshop, ask, tell)
    told = {"says": "", **told}
    tell(json.dumps({"kind": "told", "do": ask["do"], **_describe(told.pop("workshop", workshop)), **told}))


def _open(_workshop: Workshop, _ask: Told, _tell: Tell) -> Told:
    return {}


def _check(workshop: Workshop, ask: Told, tell: Tell) -> Told:
    exercise, printed, judged = workshop.current, io.StringIO(), count(1)
    rules = sum(rule.level is Level.MUST for rule in all_rules().values())

    def go_on(verdict: Verdict | None) -> None:
        gc.collect()  # the automatic collection is off: see stingy.engine.stacks
        kept = verdict.rule if verdict and verdict.verdict is Finding.PASS else ""
        told = {"done": next(judged), "of": rules + len(exercise.card.rules), "kept": kept}
        tell(json.dumps({"kind": "judging", **told}))

    endless.watch(str(workshop.root.resolve()), tell)
    attempt = read(workshop.attempt(exercise))
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        found = grade(exercise, attempt, go_on)
    found = found.with_printed(printed.getvalue()[:PRINTED].strip())
    if found.kept:
        workshop.mark_solved(exercise)
    broken = found.first_broken
    story = mark(broken) if broken else []
    return {
        "says": plain(feedback(found, attempt, attempt.name, ""), ask["width"]),
        "kept": found.kept,
        "explains": broken.rule if broken and broken.rule in all_rules() else "",
        "story": figure(story, broken.id) if story else "",
    }


def _next(workshop: Workshop, _ask: Told, _tell: Tell) -> Told:
    following = workshop.following()
    if following is None:
        return {"says": "That was the last one: all are done."}
    workshop.go(following)
    return {}


def _go(workshop: Workshop, ask: Told, _tell: Tell) -> Told:
    workshop.go(find_exercise(ask["name"]))
    return {}


def _hint(workshop: Workshop, _ask: Told, _tell: Tell) -> Told:
    workshop.open_rung(workshop.current, workshop.next_rung(workshop.current))
    return {}


def _reset(workshop: Workshop, _ask: Told, _tell: Tell) -> Told:
    kept = workshop.reset(workshop.current)
    return {"says": f"It is reset{f'; your version is kept in {kept.name}' if kept else ''}."}


def _solution(workshop: Workshop, _ask: Told, _tell: Tell) -> Told:
    if not workshop.is_solved(workshop.current):
        workshop.state.given_up.add(workshop.current.name)
        workshop.save()
    return {"solution": workshop.current.solution.text}


def _export(workshop: Workshop, _ask: Told, _tell: Tell) -> Told:
    packed = io.BytesIO()
    with ZipFile(packed, "w") as archive:
        for path in sorted(workshop.root.rglob("*")):
            if path.is_file():
                archive.write(path, (FOLDER.name / path.relative_to(workshop.root)).as_posix())
    return {"zip": base64.b64encode(packed.getvalue()).decode()}


def _import(workshop: Workshop, ask: Told, _tell: Tell) -> Told:
    try:
        found = _unpack(base64.b64decode(ask["zip"]))
    except (BadZipFile, UnicodeDecodeError):
        found = {}
    if FILE not in found:
        return {
            "says": f"That is no workshop: a zip of the folder that stingy-kata made has a file {FILE} in it."
        }
    shutil.rmtree(workshop.root)
    for name, text in found.items():
        _write(workshop.root / name, text)
    return {"workshop": make(workshop.root), "says": "Your workshop is as it was in that folder."}


DOES: Mapping[str, Callable[[Workshop, Told, Tell], Told]] = {
    "open": _open,
    "check": _check,
    "next": _next,
    "go": _go,
    "hint": _hint,
    "reset": _reset,
    "solution": _solution,
    "export": _export,
    "import": _import,
}


def _unpack(content: bytes) -> Mapping[str, str]:
    """Return the texts of the learner's files in a ZIP file, by their paths in the workshop's folder.

    The workshop may be at any depth in the ZIP file. Return nothing if there is none.
    """
    with ZipFile(io.BytesIO(content)) as archive:
        names = [it.filename for it in archive.infolist() if not it.is_dir() and it.file_size < LARGEST]
        root = next((PurePosixPath(it).parent for it in names if PurePosixPath(it).name == FILE), None)
        if root is None:
            return {}
        within = {
            name: PurePosixPath(name).relative_to(root)
            for name in names
            if PurePosixPath(name).is_relative_to(root)
        }
        return {str(path): archive.read(name).decode() for name, path in within.items() if _belongs(path)}


def _belongs(path: PurePosixPath) -> bool:
    """Return True if this relative path may be a file of a learner's workshop."""
    return ".." not in path.parts and (
        str(path) == FILE or (len(path.parts) == 2 and path.suffix in (".py", ".bak"))
    )


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def _describe(workshop: Workshop) -> Told:
    """Return the state of the workshop for the page, with the texts of the files that it has to keep."""
    current = workshop.current
    attempt = workshop.attempt(current)
    return {
        "at": current.name,
        "solved": workshop.is_solved(current),
        "rungs": workshop.state.rungs.get(current.name, 0),
        "path": attempt.relative_to(workshop.root).as_posix(),
        "code": attempt.read_text(encoding="utf-8", errors="replace"),
        "files": _written(workshop),
        "status": msgspec.to_builtins(status(workshop, "")),
        "list": [
            {
                "name": it.name,
                "label": f"{it.number:02} {it.name}: {it.card.title}",
                "standing": workshop.standing(it),
            }
            for it in exercises()
        ],
    }


def _written(workshop: Workshop) -> Mapping[str, str]:
    """Return the texts of the files that the page has to keep, by their paths in the workshop.

    These are the progress file, and files that the learner has changed; all others can be generated
    again.
    """
    given = {workshop.attempt(it): it.start.text for it in exercises()}
    found = {
        it: it.read_text(encoding="utf-8", errors="replace")
        for it in workshop.root.rglob("*")
        if it.is_file() and it.suffix != ".md"
    }
    return {
        it.relative_to(workshop.root).as_posix(): text for it, text in found.items() if given.get(it) != text
    }
