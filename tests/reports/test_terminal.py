"""The terminal report is the recorded text, without escapes. STINGY_GOLDEN=1 records it anew, to be reviewed."""

import os
import re
from datetime import UTC, datetime
from fnmatch import fnmatch
from io import StringIO
from pathlib import Path

import pytest

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Finding, Status, Verdict
from stingy.language.account import Held, Line
from stingy.language.conflict import Access, Conflict
from stingy.language.rule import Level
from stingy.reports import Report, html, terminal, verbose
from stingy.reports.faults import Fault
from stingy.reports.story import ALIKE, AT_ONCE, LANES, LINES, story
from stingy.request import Request
from stingy.transport import locate
from stingy.transport.inprocess import InProcess
from stingy_reference import WorkQueue

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
        ("nothing", "stingy_reference:WorkQueue", "t*"),
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
    middle = rows(LINES + 4, wrong=LINES + 2)
    assert (middle[0], middle[-1]) == ("… 2 rows before", "… 2 rows after")
    single = rows(LINES + 2, wrong=LINES + 1)
    assert single[0].startswith("1 "), "a note would need as much room as the row"
    assert not any("…" in row for row in single)
    unmarked = rows(LINES + 3, wrong=0)
    assert unmarked[0] == "… 3 rows before"
    assert unmarked[-1].startswith(f"{LINES + 3} "), "the check failed at the end"
    assert not any("…" in row for row in rows(LINES, wrong=0))


def test_the_rows_that_a_wrong_one_depends_on_are_shown_in_the_smallest_story():
    """All calls about its item are shown, and those about the item that is expected."""
    others = [
        Line("worker 1", f"{did}('x{n}')", op=did.lower()) for n in range(20) for did in ("Add", "Done")
    ]
    lines = [
        Line("producer", "AddAfter('b', 2 min)", op="add_after"),
        *others[:20],
        Line("producer", "Add('a')", op="add"),
        *others[20:],
        Line("worker 1", "Get()", "'a'", op="get", expected="'b'"),
        *others[:2],
    ]
    told = [line.strip() for line in _plain(story(lines, most=4)).splitlines()[1:]]
    assert [line for line in told if "x" not in line.replace("expected", "")] == [
        "1  AddAfter('b', 2 min)",
        "… 20 rows",
        "22  Add('a')",
        "… 19 rows",
        "43                        Get() → 'a'",
        "✗ expected 'b'",
        "… 2 rows after",
    ]


@pytest.mark.parametrize(
    "last", [Line("worker 1", "Get()", "'a'", op="get"), Line("worker 1", "Get()", "waits", op="get")]
)
def test_a_delay_is_shown_however_long_ago_it_began(last):
    """Also if no line is marked, and if the last one names no item: then some item should have come."""
    get, done = Line("worker 1", "Get()", "'b'", op="get"), Line("worker 1", "Done('b')", op="done")
    lines = [
        Line("producer", "AddAfter('a', 1 min)", op="add_after"),
        *[Line("producer", "Add('b')", op="add"), get, done] * 10,
        Line("time", "1 min pass"),
        last,
    ]
    told = _plain(story(lines, most=4))
    assert "1  AddAfter('a', 1 min)" in told
    assert "1 min pass" in told


def test_an_empty_name_is_an_item():
    others = [Line(f"lane {n % 2}", f"{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[n]}()") for n in range(2 * ALIKE)]
    get = Line("worker 1", "Get()", "''", op="get", expected="to wait")
    assert "1  AddAfter('', 1 min)" in _plain(
        story([Line("producer", "AddAfter('', 1 min)", op="add_after", item=""), *others, get], most=4)
    )


def test_a_shutdown_is_shown_however_long_ago_it_was():
    lines = [
        *[Line("producer", "ShutDown()", op="shut_down"), Line("producer", "Add('b')", op="add", item="b")],
        *[Line(f"lane {n % 2}", f"{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[n]}()") for n in range(LINES)],
        Line("worker 1", "Get()", "'a'", op="get", expected="shutdown"),
    ]
    assert "1  ShutDown()" in _plain(story(lines))


def test_of_many_calls_about_an_item_those_are_shown_that_add_it_or_hand_it_out():
    lines = [
        Line("producer", "AddAfter('a', 1 min)", op="add_after"),
        *[Line("worker 1", "Done('a')", op="done") for _ in range(2 * LINES)],
        Line("worker 1", "Get()", "'a'", op="get", expected="to wait"),
    ]
    assert "1  AddAfter('a', 1 min)" in _plain(story(lines))


def test_calls_in_one_instant_are_said_to_be_where_that_may_matter():
    """It does not where an item comes that is with a worker, whenever others were added."""

    def note(*lines):
        (note, *others) = [it for it in _plain(story(lines)).splitlines() if "instant" in it] or [""]
        assert not others
        return note.strip()

    def add(item, op="add", **fields):
        return Line("producer", f"{op}('{item}')", op=op, item=item, **fields)

    def get(item, expected=""):
        return Line("worker 1", "Get()", f"'{item}'", op="get", expected=expected)

    a, b, waits = add("a"), add("b", still=True), Line("worker 1", "Get()", "waits", op="get")
    both = "Steps 1 and 2 are in the same instant: the clock stands still between them."
    assert note(a, b, get("b", "'a'")) == both
    assert note(a, b, get("a"), get("a", "to wait: 'a' is in processing")) == ""
    assert note(a, add("b"), get("b", "'a'")) == ""
    later, too = add("a", "add_after"), add("b", "add_after", still=True)
    assert note(later, too, get("a"), waits) == both
    assert note(later, add("a", "add_after", still=True), waits) == ""
    assert note(a, add("b", still=True, outcome="raises x", expected="not to raise")) == both
    assert note(a, b) == ""
    apart = add("x"), a, get("x"), Line("worker 1", "Done('x')", op="done", item="x", still=True), b
    assert note(*apart, get("b", "'a'")) == "Steps 2 to 5" + both[len("Steps 1 and 2") :]


class SortsByTimeAndItem(WorkQueue):
    """A queue in which the items of one instant come in the order of their names."""

    def add(self, item):
        super().add(item)
        with self._lock:
            self._queue = type(self._queue)(sorted(self._queue))


def test_a_queue_that_sorts_the_items_of_one_instant_is_told_so():
    candidate = InProcess(SortsByTimeAndItem, 1)
    (verdict,) = Judge(candidate, 1).verdicts(all_rules()["fair/first-come-first-served"])
    assert "are in the same instant" in _screen(verdict)
    out = StringIO()
    html.write(Report("1", Request("own:Queue", seed=1), "Queue", "", "", [verdict]), out)
    assert "are in the same instant" in out.getvalue()


def test_a_value_that_is_handed_out_is_an_item_without_quotes():
    lines = [
        Line("producer", "Add(7)", op="add", item="7"),
        *[Line(f"lane {n % 2}", f"{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[n]}()") for n in range(LINES)],
        Line("worker 1", "Get()", "7", op="get", expected="to wait"),
    ]
    assert "1  Add(7)" in _plain(story(lines))


@pytest.mark.parametrize(
    ("target", "rule", "marked"),
    [
        (
            "stingy_broken.delays:ComeInTheOrderOfTheCalls",
            "delays/items-come-in-the-order-of-their-deadlines",
            "✗ expected 'd'",
        ),
        (
            "stingy_broken.delays:HurriesItInPlace",
            "deadlines/an-item-that-is-hurried-up-overtakes-others",
            "✗ expected 'd'",
        ),
    ],
)
def test_the_wrong_hand_out_is_marked_where_a_rule_compares_their_order(target, rule, marked):
    """The model knows no deadlines, but the assertion of the rule says which hand-out is wrong."""
    assert marked in screen_of(target, rule)


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


def test_both_texts_name_the_accesses_that_conflict():
    access = Access("lane 1", "reads", "self._items", "src/queue.py", 17, "get")
    verdict = _verdict(RULE, because="so", conflict=Conflict(access, access))
    told = "lane 1 reads self._items at queue.py:17 (get), then lane 1 reads it"
    for screen in (_screen(verdict), verbose.failure(verdict)):
        assert re.search(rf"^ +conflict +{re.escape(told)}", screen, re.MULTILINE)


RULE, OTHER, THIRD = (
    "stingy/one-worker-at-a-time",
    "shutdown/shutting-down-says-so",
    "fair/first-come-first-served",
)


def _verdict(rule, finding=Finding.FAIL, case="", level=Level.MUST, **fields):
    return Verdict(rule, case, "queue", level, finding, **fields)


def _screen(*verdicts, kubernetes="", strict=False, **fields):
    out = StringIO()
    request = Request("own:Queue", seed=1, strict=strict)
    terminal.write(Report("1", request, "Queue", "", kubernetes, verdicts, **fields), out)
    return out.getvalue()


def test_stories_are_cut_as_far_as_the_report_needs_it_to_fit_the_terminal():
    stories = [
        tuple(Line(f"lane {n % 2}", f"{name}{'ABCDEFGHIJKLMN'[n]}()") for n in range(LINES)) for name in "XYZ"
    ]
    one, *others = (
        _verdict(rule, story=rows) for rule, rows in zip((RULE, OTHER, THIRD), stories, strict=True)
    )
    assert all(line.did in _screen(one) for line in one.story)
    three = _screen(one, *others)
    assert three.count("rows before") == terminal.CAUSES
    assert terminal.SCREEN - terminal.CAUSES < len(three.splitlines()) <= terminal.SCREEN


def test_rows_beside_a_cause_add_up_to_those_of_the_headline():
    broken = [_verdict(OTHER, case=f"row {n}", behind=RULE) for n in range(3)]
    blocked = [_verdict(THIRD, Finding.BLOCKED, f"row {n}", behind=RULE) for n in range(4)]
    told = _screen(_verdict(RULE), *broken, *blocked)
    assert "1 broken, 3 broken behind another broken rule, 4 blocked" in told
    assert f"breaks {OTHER}, in 3 rows; blocks 1 rule, in 4 rows" in told
    assert f"breaks {OTHER}; blocks 1 rule\n" in _screen(_verdict(RULE), broken[0], blocked[0])


def test_a_rule_that_an_error_stopped_is_not_called_broken():
    told = _screen(*(_verdict(rule, Finding.ERROR, because="it died") for rule in (RULE, OTHER)))
    assert f"stops {RULE}" in told
    assert "breaks" not in told


def test_a_kept_rule_of_the_baseline_is_nothing_to_see():
    told = _screen(_verdict(RULE, Finding.UNEXPECTED_PASS, because="remove it from the baseline"))
    assert "remove it from the baseline" in told
    assert "see it" not in told
    assert "see it" in _screen(_verdict(RULE, Finding.UNEXPECTED_PASS), _verdict(OTHER))


@pytest.mark.parametrize("report", [terminal, verbose])
def test_the_command_to_see_it_judges_by_the_same_standard(report):
    """Another version of Kubernetes may keep the rule, and so shows nothing."""
    out = StringIO()
    request = Request(
        "own:Queue", ("queue",), ("fair/*",), "2026.11", strict=True, seed=1, kubernetes="1.20", budget=2.5
    )
    report.write(Report("1", request, "Queue", "", "1.20", [_verdict(RULE)]), out)
    command = f"stingy run own:Queue --profile queue --edition 2026.11 --strict --seed 1 --kubernetes 1.20 --budget 2.5 --rule {RULE} -s"
    assert command in out.getvalue()
    assert "stingy run own:Queue --seed 1 --rule" in _screen(_verdict(RULE))


def test_a_broken_should_is_said_to_conform_only_as_promised():
    told = _screen(_verdict(RULE, level=Level.SHOULD), strict=True)
    assert "a candidate may differ and conform as promised" in " ".join(told.split())


@pytest.mark.parametrize("status", [it for it in Status if it not in (Status.COMPLETE, Status.LIMITED)])
def test_a_run_that_ended_early_names_no_known_fault(status, monkeypatch):
    """A rule that was not judged may be kept, and then the known fault is another one."""
    monkeypatch.setattr(
        "stingy.reports.find_fault", lambda failed, all_: Fault("Mutant", "Is wrong.", "queue", {})
    )
    assert "Is wrong." in _screen(_verdict(RULE))
    assert "Is wrong." not in _screen(_verdict(RULE), status=status, unjudged=[OTHER])


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
    report.write(
        Report("1", Request(target, seed=1), target.rpartition(":")[2], "", "", verdicts, began=began), out
    )
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())
