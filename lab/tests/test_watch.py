"""``stingy watch`` judges each save at once, beginning with the rules that failed last."""

import os
import queue
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from machine import patience

QUEUE = """from stingy_broken.{module} import {name} as Kind


class WorkQueue(Kind):
    pass
"""
BROKEN = QUEUE.format(module="queues", name="DropsWhatIsHeld")
SOUND = QUEUE.format(module="plain", name="WorkQueue")
FIRST = "once_more/added-while-processed-comes-back-after-done"


class Watched:
    """The command as a process, and its output by line."""

    def __init__(self, folder, *words):
        self.file = folder / "mine.py"
        self._said = queue.Queue()
        self._run = subprocess.Popen(
            [sys.executable, "-u", "-m", "stingy", "watch", "mine:WorkQueue", "--seed", "1", *words],
            cwd=folder,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # SIGINT is ignored if a shell runs the tests in the background.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def save(self, text):
        beside = self.file.with_suffix(".new")
        beside.write_text(text)
        beside.replace(self.file)

    def says_until(self, pattern):
        lines = []
        while not (lines and re.search(pattern, lines[-1])):
            line = self._said.get(timeout=patience(15))
            assert line is not None, lines
            lines.append(line)
        return lines

    def is_interrupted(self):
        self._run.send_signal(signal.SIGINT)
        return self._run.wait(patience(5))

    def close(self):
        self._run.kill()
        self._run.wait()

    def _listen(self):
        with self._run.stdout as said:
            for line in said:
                self._said.put(line.rstrip())
        self._said.put(None)


@pytest.fixture
def watched(tmp_path):
    started = []

    def watched(text, *words):
        (tmp_path / "mine.py").write_text(text)
        started.append(Watched(tmp_path, *words))
        return started[-1]

    yield watched
    for each in started:
        each.close()


def test_the_broken_rule_is_judged_first_after_a_save(watched):
    mine = watched(BROKEN, "--rule", "once_more/*", "--rule", "shutdown/*")
    before = mine.says_until("^watching ")
    assert f"FAIL  MUST  {FIRST}  deterministic" in before
    assert any(line.startswith("WorkQueue does not conform") for line in before)
    mine.save(SOUND)
    after = mine.says_until("^watching ")
    assert next(line for line in after if line) == f"✓ {FIRST}, which was broken"
    assert any("nothing broken among" in line for line in after)
    assert mine.is_interrupted() == 130


def test_an_import_error_is_shown_and_the_watch_goes_on(watched):
    mine = watched("class WorkQueue(:", "--rule", "fair/*")
    assert "mine cannot be imported: SyntaxError" in mine.says_until("^watching ")[0]
    mine.save(SOUND)
    assert any("nothing broken among" in line for line in mine.says_until("^watching "))


def test_with_fail_fast_no_more_is_judged_once_a_rule_is_broken(watched):
    mine = watched(BROKEN, "--rule", "once_more/*", "--fail-fast")
    said = mine.says_until("^watching ")
    assert sum(line.startswith(("FAIL", "✗")) for line in said) == 1
    assert any("more have not been judged" in line for line in said)


def test_nothing_is_left_behind(watched, tmp_path):
    mine = watched(SOUND, "--rule", "fair/*")
    mine.says_until("^watching ")
    assert mine.is_interrupted() == 130
    assert [file.name for file in Path(tmp_path).iterdir()] == ["mine.py"]
