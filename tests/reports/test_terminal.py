"""The terminal report is the recorded text, without escapes. STINGY_GOLDEN=1 records it anew, to be reviewed."""

import os
from datetime import UTC, datetime
from fnmatch import fnmatch
from io import StringIO
from pathlib import Path

import pytest

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Finding, Verdict
from stingy.language.account import Held, Line
from stingy.language.rule import Level
from stingy.reports import Report, terminal, verbose
from stingy.reports.story import ALIKE, AT_ONCE, LINES, story
from stingy.transport import locate

GOLDEN = Path(__file__).with_name("golden")
each_screen = pytest.mark.parametrize(
    ("name", "target", "rules"),
    [
        ("queue", "stingy_broken.queues:LetsItOutInCompany", "stingy/o*"),
        ("all", "stingy_broken.queues:LetsItOutInCompany", "stingy/o*"),
        ("drain", "stingy_broken.drains:DrainsWithoutWaiting", "drain/*"),
        ("table", "stingy_broken.limiters:OneAttemptTooMany", "backoff/*"),
        ("folded", "stingy_broken.limiters:ControllerHasNoBucket", "defaults/*"),
        ("proxy", "stingy_broken.proxies:MeasuresFromTheArrival", "latency/*"),
        ("kept", "stingy_reference", "stingy/*"),
    ],
)


@each_screen
def test_a_screen_is_as_recorded(name, target, rules):
    screen = screen_of(target, rules, verbose if name == "all" else terminal)
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("STINGY_GOLDEN"):
        file.write_text(screen, encoding="utf-8")
    assert screen == file.read_text(encoding="utf-8")


@each_screen
def test_a_recorded_screen_fits_the_terminal(name, target, rules):
    lines = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= terminal.SCREEN
    typed = [line for line in lines if line.startswith(("see it", "more", "read"))]  # to be copied whole
    assert max(len(line) for line in lines if line not in typed) <= verbose.WIDTH


def test_similar_lines_are_folded_but_never_the_wrong_one():
    lines = [Line("producer", f"Add('item-{n}')") for n in range(3 * LINES)]
    lines[-1] = Line("producer", "Add('item-x')", expected="to be heard")
    told = _plain(story(lines))
    assert f"… {3 * LINES - 4} more like it" in told
    assert "expected to be heard" in told
    assert "more like it" not in _plain(story(lines[: ALIKE - 1]))


def test_sets_beside_concurrent_calls_are_said_to_be_the_models():
    """If no calls are concurrent, the report need not say whose sets are shown."""
    lines = [Line("lane 1", "Get()", "shutdown", held=Held((), (), ())), Line("lane 2", "ShutDown()")]
    told = _plain(story(lines, at_once=True))
    assert "Each call is shown where it began; the sets are those of the model" in told
    assert "the model" not in _plain(story(lines))
    assert "the model" not in _plain(story([Line("lane 1", "Get()")], at_once=True)), "no sets are shown"


@pytest.mark.parametrize("rule", ["stingy/one-worker-at-a-time", "interleavings/work-is-done-in-every-order"])
def test_only_a_failure_of_a_race_says_so(rule):
    held = Line("lane 1", "Get()", "'a'", held=Held((), (), ("a",)))
    verdict = Verdict(rule, "", "queue", Level.MUST, Finding.FAIL, because="so", story=(held,))
    assert (AT_ONCE in verbose.failure(verdict)) == all_rules()[rule].races


def _plain(renderable):
    console = verbose.Console(width=verbose.WIDTH, no_color=True)
    with console.capture() as told:
        console.print(renderable)
    return told.get()


def screen_of(target, rules, report=terminal):
    candidate = locate(target, 1)
    judge = Judge(candidate, 1)
    asked = [rule for rule in all_rules().values() if fnmatch(rule.id, rules)]
    verdicts = [verdict for rule in asked for verdict in judge.verdicts(rule)]
    candidate.close()
    assert Finding.ERROR not in {verdict.verdict for verdict in verdicts}
    began = datetime(2026, 1, 1, tzinfo=UTC)
    out = StringIO()
    report.write(Report("1", target, target.rpartition(":")[2], "", "", 1, False, verdicts, began=began), out)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())
