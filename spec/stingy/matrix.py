"""Real implementations, built and judged anew, and held against what was recorded of them."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from stingy.guarantees import all_rules
from stingy.implementations import Implementation
from stingy.recorded import keep
from stingy.reports.json import Document
from stingy.verdict import Exit, Finding, Verdict, worst

SEED = 1
"""Everybody's, so that what is recorded can be found again."""
LAST_WORDS = 12
"""Lines of what a command said that failed."""


class MatrixError(Exception):
    """An implementation cannot be built or judged here; the message says why."""


def judge_implementation(it: Implementation, folder: Path) -> Path:
    """Build it and judge it; the report, which lies in this folder. MatrixError if that cannot be done."""
    for command in it.card.build:
        _run(it, _words(command))
    path = folder.absolute() / f"{it.name}.json"
    told = [f"--seed={SEED}", "--report", f"json={path}"]
    status = _run(it, [sys.executable, "-m", "stingy", "run", it.card.target, *told], fine=range(3))
    if not path.exists():
        raise MatrixError(f"{it.name} was judged with status {Exit(status).name}, and left no report")
    return path


def record(it: Implementation, path: Path) -> None:
    """Put what was found into the place of what is recorded."""
    keep(msgspec.json.decode(path.read_bytes()), it.result)


def differences(recorded: Document, found: Document) -> Iterator[str]:
    """What is not as it was recorded, a sentence each; which of its races a broken rule loses is a matter of luck."""
    if recorded.candidate.version != found.candidate.version:
        yield f"recorded of {recorded.candidate.version or 'no version'}, and this is {found.candidate.version}"
    before, now = _verdicts(recorded.results), _verdicts(found.results)
    for id_ in dict.fromkeys([*before, *now]):
        was, is_ = before.get(id_, Finding.NOT_OFFERED), now.get(id_, Finding.NOT_OFFERED)
        if was is not is_:
            yield f"{id_}: recorded {was}, found {is_}"


def _verdicts(results: Sequence[Verdict]) -> Mapping[str, Finding]:
    """By id; of a rule about races, by its own."""
    rules = all_rules()
    rows: dict[str, list[Verdict]] = {}
    for verdict in results:
        races = verdict.rule in rules and rules[verdict.rule].races
        rows.setdefault(verdict.rule if races else verdict.id, []).append(verdict)
    return {id_: worst(verdicts) for id_, verdicts in rows.items()}


def _words(command: str) -> list[str]:
    """The command line; ``python`` and ``pip`` are those that stingy runs under."""
    first, *others = shlex.split(command)
    return {"python": [sys.executable], "pip": [sys.executable, "-m", "pip"]}.get(first, [first]) + others


def _run(it: Implementation, words: Sequence[str], fine: range = range(1)) -> int:
    try:
        done = subprocess.run(  # noqa: S603 - the commands are the candidate's own
            words, cwd=it.folder, env=_environment(it), capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise MatrixError(f"{it.name}: {words[0]} cannot be run: {error.strerror}") from None
    if done.returncode not in fine:
        said = "\n".join((done.stdout + done.stderr).splitlines()[-LAST_WORDS:])
        raise MatrixError(f"{it.name}: {shlex.join(words)} exited with {done.returncode}:\n{said}")
    return done.returncode


def _environment(it: Implementation) -> Mapping[str, str]:
    ours, path = dict(it.card.environment), os.environ.get("PYTHONPATH")
    if path and "PYTHONPATH" in ours:
        ours["PYTHONPATH"] += os.pathsep + path
    return os.environ | ours
