"""The process that does an errand, read from standard input; the result goes to standard output.

The process ends when its standard input is closed.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec

from stingy.cli.errands import Asked, Done, Errand, Judged
from stingy.judging.isolation import Isolated, reach
from stingy.judging.rewriting import run_rewritten
from stingy.judging.verdict import Verdict, spell
from stingy.language.session import CandidateError
from stingy.process.standing import stand_here
from stingy.transport import Candidate, TargetError
from stingy.transport.part import in_part

if TYPE_CHECKING:
    from stingy.judging.docket import Case
    from stingy.judging.trial import Judge

_exit = os._exit  # a candidate in this process may replace it
PATIENCE = 5.0
"""Seconds to clean up once standard input is closed; then the process is ended at once."""


def main() -> None:
    """Read an errand from standard input, do it, and write its result to standard output as JSON."""
    answers = os.dup(1)
    os.dup2(2, 1)  # what is printed goes to standard error, not to the answer
    line = _take_line()
    errand = msgspec.json.decode(_read_errand(line), type=Errand)
    _thread.start_new_thread(_end_with, (line,))
    with _standing_by(errand.files):
        stand_here()
        done = run_rewritten(partial(do, errand))
    with os.fdopen(answers, "wb") as out:
        out.write(msgspec.json.encode(done))


def do(errand: Errand) -> Done:
    """Judge what the errand asks for; return the verdicts, or the reason why this worker cannot."""
    if (here := version("stingy")) != errand.suite:
        return Done(
            refused=f"stingy {here} is installed there, but {errand.suite} here: install the same version"
        )
    try:
        candidate = reach(errand.request)
    except (TargetError, CandidateError) as error:
        return Done(refused=str(error))
    if (candidate.name, candidate.version) != (errand.name, errand.version):
        candidate.close()
        there, here = (f"{it.name} {it.version}".strip() for it in (candidate, errand))
        return Done(refused=f"{there} is installed there, but {here} here: install the same version")
    try:
        return _judge_all(candidate, errand)
    except KeyboardInterrupt:
        sys.exit("it was interrupted")  # a part of the result would be taken for all of it
    finally:
        candidate.close()


def _judge_all(candidate: Candidate | Isolated, errand: Errand) -> Done:
    from stingy.judging.docket import Docket, judge_case  # imports rules, so it has to run rewritten

    docket = Docket(errand.request)
    cases = {case.id: case for case in docket.cases}
    judge, judged, fault = docket.make_judge(candidate), [], ""
    for asked in errand.asked:
        case = cases[spell(asked.rule, asked.case)]
        result = judge_case(case, partial(_judge, candidate, judge, errand.request.seed or 0, asked))
        fault = fault or result.fault
        if result.verdict is not None:
            judged.append(Judged(asked, result.verdict, result.seconds))
            if errand.fail_fast and result.verdict.is_found_wanting(strict=errand.request.strict):
                break
    return Done(tuple(judged), fault)


def _judge(candidate: Candidate | Isolated, judge: Judge, seed: int, asked: Asked, case: Case) -> Verdict:
    """Return the verdict on a case; if ``asked`` names a part, only on that part of its orders.

    For a part, the rules that this rule builds on were judged by earlier errands.
    """
    from stingy.judging.trial import Trial

    if asked.part is None:
        return judge.verdict(case.rule, case.row)
    candidate.share = asked.share
    if isinstance(candidate, Isolated):
        candidate.part = asked.part
        return candidate.judge(case.rule, case.row)
    return Trial(in_part(candidate, asked.part), seed).judge(case.rule, case.row)


@contextmanager
def _standing_by(files: Mapping[str, bytes]) -> Iterator[None]:
    """Run the block in a temporary folder that holds ``files`` (contents by relative path).

    If there are no files, the block runs in the current folder.
    """
    if not files:
        yield
        return
    with TemporaryDirectory(prefix="stingy-errand-") as folder, chdir(folder):
        for name, content in files.items():
            place = Path(folder, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        yield


def _take_line() -> int:
    """Move standard input to a new descriptor and return that; descriptor 0 becomes the null device.

    The process waits for the end of its input, while pytest replaces standard input.
    """
    line = os.dup(0)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - a descriptor is what is wanted
        os.dup2(nothing.fileno(), 0)
    return line


def _read_errand(line: int) -> bytes:
    """Return the first line that is read from the file descriptor ``line``: an errand as JSON."""
    errand = bytearray()
    while not errand.endswith(b"\n"):
        if not (read := os.read(line, 1 << 16)):
            sys.exit("there was no errand")
        errand += read
    return bytes(errand)


def _end_with(line: int) -> None:
    """Wait until the input ``line`` (a file descriptor) ends, then interrupt this process like Ctrl-C.

    The process then ends its candidate's processes. After ``PATIENCE`` seconds it is ended in any
    case.
    """
    while os.read(line, 1 << 10):
        pass
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(PATIENCE)
    _exit(1)


if __name__ == "__main__":
    main()
