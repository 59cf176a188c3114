"""The screen of a broken candidate is word for word the one that was looked at; STINGY_GOLDEN=1 writes it anew, to be looked at again."""

import os
from datetime import UTC, datetime
from fnmatch import fnmatch
from io import StringIO
from pathlib import Path

import pytest

from stingy.guarantees import all_rules
from stingy.judge import Judge
from stingy.language.account import Line
from stingy.reports import Outcome, terminal
from stingy.reports.story import ALIKE, LINES, story
from stingy.transport import locate
from stingy.verdict import Finding

GOLDEN = Path(__file__).with_name("golden")
SCREEN = 40
"""Lines of a terminal that nobody has made larger."""

each_screen = pytest.mark.parametrize(
    ("name", "target", "rules"),
    [
        ("queue", "stingy_broken.queues:LetsItOutInCompany", "stingy/o*"),
        ("drain", "stingy_broken.drains:DrainsWithoutWaiting", "drain/*"),
        ("table", "stingy_broken.limiters:OneAttemptTooMany", "backoff/*"),
        ("folded", "stingy_broken.limiters:ControllerHasNoBucket", "defaults/*"),
        ("proxy", "stingy_broken.proxies:MeasuresFromTheArrival", "latency/*"),
        ("kept", "stingy_reference", "stingy/*"),
    ],
)


@each_screen
def test_a_screen_is_as_it_was_looked_at(name, target, rules):
    screen = screen_of(target, rules)
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("STINGY_GOLDEN"):
        file.write_text(screen, encoding="utf-8")
    assert screen == file.read_text(encoding="utf-8")


@each_screen
def test_it_fits(name, target, rules):
    lines = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert max(map(len, lines)) <= terminal.WIDTH
    blocks = "\n".join(lines).split("\nFAIL ")[1:]
    assert all(block.count("\n") <= SCREEN for block in blocks)


def test_not_on_a_terminal_it_is_plain_text():
    assert "\x1b" not in screen_of("stingy_broken.drains:DrainsWithoutWaiting", "drain/*")


def test_lines_that_are_alike_are_folded_and_the_wrong_one_never():
    lines = [Line("producer", f"Add('item-{n}')") for n in range(3 * LINES)]
    lines[-1] = Line("producer", "Add('item-x')", expected="to be heard")
    told = _plain(story(lines))
    assert f"… {3 * LINES - 4} more like it" in told
    assert "expected to be heard" in told
    assert "more like it" not in _plain(story(lines[: ALIKE - 1]))


def _plain(renderable):
    console = terminal.Console(width=terminal.WIDTH, no_color=True)
    with console.capture() as told:
        console.print(renderable)
    return told.get()


def screen_of(target, rules):
    candidate = locate(target, 1)
    judge = Judge(candidate, 1)
    asked = [rule for rule in all_rules().values() if fnmatch(rule.id, rules)]
    verdicts = [verdict for rule in asked for verdict in judge.verdicts(rule)]
    candidate.close()
    assert Finding.ERROR not in {verdict.verdict for verdict in verdicts}
    began = datetime(2026, 1, 1, tzinfo=UTC)
    out = StringIO()
    terminal.write(
        Outcome("1", target, target.rpartition(":")[2], "", "", 1, False, verdicts, began=began), out
    )
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())
