"""Output of a candidate is shown with the failure that it belongs to, and is still printed."""

import contextlib
import io
import logging
import sys

from stingy.guarantees import all_rules
from stingy.judging.printing import Overheard, overheard
from stingy.judging.trial import Judge, Trial
from stingy.judging.verdict import Finding
from stingy.language.story import CONSTRUCTOR, PRINTED, Printed, Story
from stingy.reports import verbose
from stingy.transport.inprocess import InProcess
from stingy_broken.queues import LetsItOutInCompany
from stingy_reference import WorkQueue

RULES = all_rules()
ONE_WORKER = RULES["stingy/one-worker-at-a-time"]
RACE = RULES["stingy/no-item-is-with-two-workers"]


class Forgets(WorkQueue):
    """Prints each call, and hands an item out to two workers."""

    def __init__(self):
        super().__init__()
        print("made")

    def add(self, item):
        print("adding", item)
        self._processing.discard(item)
        super().add(item)

    def get(self):
        got = super().get()
        print("got", got[0], file=sys.stderr)
        return got


def verdict_on(candidate, rule=ONE_WORKER, seed=1):
    return Trial(InProcess(candidate, seed), seed).judge(rule, rule.cases[0])


def told(verdict):
    return [(it.step, it.lane, it.text) for it in verdict.printed]


def test_each_print_is_with_the_step_and_the_lane_that_made_it():
    verdict = verdict_on(Forgets)
    assert verdict.verdict is Finding.FAIL
    assert told(verdict)[:3] == [
        (0, CONSTRUCTOR, "made\n"),
        (1, "producer", "adding a\n"),
        (2, "worker 1", "got a\n"),
    ]
    steps = [(line.lane, line.op) for line in verdict.story]
    ops = {"adding": "add", "got": "get"}
    for it in verdict.printed[1:]:
        assert steps[it.step - 1] == (it.lane, ops[it.text.split()[0]])


def test_only_the_run_that_the_story_tells_counts():
    class Racy(LetsItOutInCompany):
        def add(self, item):
            print("adding", item)
            super().add(item)

    verdict = verdict_on(Racy, RACE)
    assert verdict.verdict is Finding.FAIL
    adds = [line for line in verdict.story if line.op == "add"]
    said = "".join(it.text for it in verdict.printed)
    assert said.count("adding") == len(adds)
    assert {it.step for it in verdict.printed} == {0}
    assert {it.lane for it in verdict.printed} <= {line.lane for line in verdict.story}


def test_a_rule_that_is_kept_shows_nothing():
    class Chatty(WorkQueue):
        def add(self, item):
            print("adding", item)
            super().add(item)

    verdict = verdict_on(Chatty)
    assert verdict.verdict is Finding.PASS
    assert verdict.printed == ()


def test_a_constructor_that_raises_shows_what_it_printed():
    class Unmade(WorkQueue):
        def __init__(self):
            print("so far")
            raise RuntimeError("no database")

    verdict = verdict_on(Unmade)
    assert verdict.verdict is Finding.ERROR
    assert told(verdict) == [(0, CONSTRUCTOR, "so far\n")]


def test_what_is_printed_is_still_printed(capsys):
    verdict_on(Forgets)
    out, err = capsys.readouterr()
    assert "made\nadding" in out
    assert "got" in err


def test_the_streams_are_put_back():
    before = sys.stdout, sys.stderr
    verdict_on(Forgets)
    assert (sys.stdout, sys.stderr) == before


def test_a_candidate_may_replace_the_streams(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())

    class Replaces(Forgets):
        def add(self, item):
            with contextlib.redirect_stdout(io.StringIO()) as theirs:
                super().add(item)
            print("redirected", theirs.getvalue().split()[0])

    assert (1, "producer", "redirected adding\n") in told(verdict_on(Replaces))

    kept = io.StringIO()

    class Keeps(Forgets):
        def add(self, item):
            sys.stdout = kept
            super().add(item)

    verdict_on(Keeps)
    assert sys.stdout is kept


def test_a_stream_that_passes_on_to_ours_is_recorded_once(monkeypatch):
    class Tee:
        def __init__(self, stream):
            self.write = stream.write

    monkeypatch.setattr(sys, "stdout", Tee(Overheard(io.StringIO())))
    assert told(verdict_on(Forgets))[1] == (1, "producer", "adding a\n")


def test_a_handler_of_logging_is_overheard_though_an_earlier_rule_has_made_it(monkeypatch):
    log = logging.getLogger("theirs")
    monkeypatch.setattr(log, "handlers", [])
    monkeypatch.setattr(log, "propagate", False)

    class Logs(Forgets):
        def add(self, item):
            if not log.handlers:
                log.addHandler(logging.StreamHandler())
            log.warning("to add %s", item)
            super().add(item)

    judge = Judge(InProcess(Logs, 1), 1)
    judge.verdict(RULES["handing_out/an-added-item-is-handed-out"])
    verdict = judge.verdict(ONE_WORKER)
    assert "to add a" in "".join(it.text for it in verdict.printed if it.step == 1)


def test_commands_to_a_terminal_are_shown_and_not_obeyed():
    class Paints(Forgets):
        def add(self, item):
            print("\x1b[31m::error::red")
            super().add(item)

    verdict = verdict_on(Paints)
    report = verbose.failure(verdict)
    assert "\x1b" not in report
    assert r"\x1b[31m" in report


def test_only_the_last_text_is_kept():
    story = Story("salt")
    with story.making():
        pass
    for n in range(PRINTED):
        story.hear("producer", f"{n}\n")
    (kept,) = story.printed
    assert len(kept.text) == PRINTED
    assert kept.text.endswith(f"\n{PRINTED - 1}\n")


def test_a_lot_of_output_leaves_the_report_on_a_screen():
    class Floods(Forgets):
        def add(self, item):
            for n in range(300):
                print(n)
            super().add(item)

    report = verbose.failure(verdict_on(Floods))
    assert report.count("\n") < 40
    assert "lines before these" in report


def test_steps_that_are_told_as_one_line_have_the_number_of_that_line():
    story = Story("salt")
    with story.making():
        pass
    story.tell("producer", "Add('a')")
    for n in range(3):
        story.hear("producer", f"{n}\n")
        story.tell("producer", f"Add({n})")
    story.cut_back(1)
    story.tell_many("producer", "Add(…) of 3 items")
    assert story.printed == (Printed("producer", "0\n1\n2\n", 2),)


def test_calls_that_are_recorded_after_all_of_them_have_no_step():
    story = Story("salt")
    with story.making():
        pass
    with story.at_once():
        story.hear("producer", "one of many")
    assert story.printed == (Printed("producer", "one of many"),)


def test_what_is_printed_as_the_candidate_ends_is_left_out():
    class SaysGoodbye(Forgets):
        def get(self):
            try:
                return super().get()
            finally:
                print("goodbye")

    verdict = verdict_on(SaysGoodbye)
    assert "".join(it.text for it in verdict.printed).count("goodbye") == sum(
        line.op == "get" and line.outcome != "waits" for line in verdict.story
    )


def test_the_reports_show_what_was_printed(stingy, tmp_path):
    (tmp_path / "theirs.py").write_text(
        "from stingy_reference import WorkQueue\n"
        "class Forgets(WorkQueue):\n"
        "    def add(self, item):\n"
        "        print('<adding>')\n"
        "        self._processing.discard(item)\n"
        "        super().add(item)\n"
    )
    done = stingy(
        *("run", "theirs:Forgets", "--rule", ONE_WORKER.id),
        *("--report", "terminal", "--report", "html=out.html", "--report", "json=out.json"),
    )
    assert "printed 1 producer: <adding>" in " ".join(done.stdout.split())
    assert "1 producer: &lt;adding&gt;" in (tmp_path / "out.html").read_text()
    assert '"printed"' in (tmp_path / "out.json").read_text()


def test_nested_blocks_use_the_stream_that_is_there():
    with overheard():
        outer = sys.stdout
        with overheard([Story("salt")]):
            assert sys.stdout is outer
