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
from stingy.reports.story import ALIKE, AT_ONCE, LANES, LINES, story
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


def test_a_mark_stands_in_the_column_of_the_lane_that_should_have_returned():
    lines = [
        Line("worker 1", "Get()", "'a'"),
        Line("worker 2", "Get()", "waits"),
        Line("worker 1", "Done('a')", expected="to return 'a'", expected_of="worker 2"),
    ]
    heading, *_, mark = _plain(story(lines)).splitlines()
    assert mark.index("✗ expected to return 'a'") == heading.index("worker 2")
    many = [*lines, *(Line(f"worker {n}", "Get()", "waits") for n in range(3, 3 + LANES))]
    assert "✗ expected worker 2 to return 'a'" in _plain(story(many))


def test_a_story_says_where_rows_are_left_out():
    def rows(number, wrong):
        lines = [Line(f"lane {n % 2}", f"{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[n]}()") for n in range(number)]
        if wrong:
            lines[wrong - 1] = Line("lane 0", "X()", expected="nothing")
        return [line.strip() for line in _plain(story(lines)).splitlines()[1:]]

    late = rows(LINES + 3, wrong=LINES + 3)
    assert late[0] == "… 3 rows before"
    assert late[1].startswith("4 ")
    assert late[-1] == "✗ expected nothing"
    early = rows(LINES + 3, wrong=2)
    assert early[0].startswith("1 ")
    assert early[-2].startswith(f"{LINES} ")
    assert early[-1] == "… 3 rows after"
    middle = rows(LINES + 3, wrong=LINES + 1)
    assert (middle[0], middle[-1]) == ("… 1 row before", "… 2 rows after")
    unmarked = rows(LINES + 3, wrong=0)
    assert unmarked[0] == "… 3 rows before"
    assert unmarked[-1].startswith(f"{LINES + 3} "), "the check failed at the end"
    assert not any("…" in row for row in rows(LINES, wrong=0))


def test_rows_that_are_left_out_count_those_that_are_folded():
    similar = [Line("producer", f"Add('item-{n}')") for n in range(10)]
    others = [Line(f"lane {n % 2}", f"{'ABCDEFGHIJKLMN'[n]}()") for n in range(LINES)]
    told = _plain(story([*similar, *others])).splitlines()
    assert told[1].strip() == "… 10 rows before"
    assert told[2].strip().startswith("11 ")


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
