"""In Java, with a JDK 25, races are judged as well as in this process."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import machine
import pytest
from lanes import (
    EXPLAINED,
    HOME,
    MANY,
    SHUTDOWN,
    SUCCESSION,
    WORK,
    again,
    broken,
    command,
    first,
    returned,
    told,
)

from stingy import starters
from stingy.doctor import examine
from stingy.guarantees import all_rules
from stingy.judging.trial import Judge, Trial
from stingy.judging.verdict import Evidence, Finding
from stingy.transport import locate

pytestmark = pytest.mark.budget(40)
"""The first test of a process builds the driver; from an empty cache that takes 30 CPU-seconds."""
DRIVER = Path(__file__).parent.parent / "drivers" / "java"
STARTER = Path(starters.__file__).parent / "java"
WAITS = "handing_out/get-waits-while-nothing-is-queued"
TAKES = "handing_out/an-added-item-is-handed-out"

CHECKS = """synchronized void add(String item) {
        if (shuttingDown || !dirty.add(item)) {
            return;
        }
"""
CHECKS_TOO_EARLY = """void add(String item) {
        if (!shuttingDown && !dirty.contains(item)) {
            put(item);
        }
    }

    private synchronized void put(String item) {
        dirty.add(item);
"""
SHUTS = """synchronized void shutDown() {
        shuttingDown = true;
        notifyAll();
"""
SHUTS_TOO_LATE = """void shutDown() {
        synchronized (this) {
            notifyAll();
        }
        shuttingDown = true;
"""
FAULTS = {
    "NotifyIfEmpty": (
        WORK,
        "add(item);\n            notify();",
        "add(item);\n            if (queue.size() == 1) notify();",
    ),
    "DoneNoNotify": (
        WORK,
        "contains(item)) {\n            queue.add(item);\n            notify();",
        "contains(item)) {\n            queue.add(item);",
    ),
    "ShutdownOne": (SHUTDOWN, "notifyAll()", "notify()"),
    "IfForWhile": (HOME, "while (queue", "if (queue"),
    "CheckThenAct": (EXPLAINED, CHECKS, CHECKS_TOO_EARLY),
    "ShutdownUnlocked": (SHUTDOWN, SHUTS, SHUTS_TOO_LATE),
    "DoneWithoutLock": (WORK, "synchronized void done", "void done"),
}
"""By name: the rule that the fault breaks, and the text to replace with its replacement.

The last fault cannot be found by a search that interrupts at locks only.
"""

SLEEPERS = (
    "SleepsInAdd",
    "LooksAgain",
    "LooksEveryMinute",
    "WaitsAWhile",
    "AwaitsAWhile",
    "ParksAWhile",
    "CarriesNowAndThen",
    "ArrivesLater",
    "WakesItsThread",
)


ADDING = {"producer": [("add", "a")]}


def variant(name, right="", wrong=""):
    """Return the source of the queue that stingy init writes, with another name and a fault."""
    text = (STARTER / "Queue.java.txt").read_text()
    assert right in text
    return text.replace(right, wrong, bool(right)).replace(
        "final class Queue", f"final class {name} extends Judged"
    )


def java_25():
    """Return the path of a JDK 25, found in the same way as by the driver; None if there is none."""
    places = [os.environ.get("JAVA_HOME_25", "/nowhere"), *map(str, Path("/usr/lib/jvm").glob("*25*"))]
    return next((home for home in places if (Path(home) / "bin" / "java").exists()), None)


needs_java = pytest.mark.skipif(shutil.which("javac") is None, reason="needs a JDK to build a driver in Java")
needs_java_25 = pytest.mark.skipif(
    shutil.which("javac") is None or java_25() is None,
    reason="needs a JDK 25 (JAVA_HOME_25, or in /usr/lib/jvm) to have a candidate in Java under control",
)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Built folder of a driver for all of the queues."""
    folder = tmp_path_factory.mktemp("java")
    shutil.copytree(STARTER / starters.LIBRARY, folder / starters.LIBRARY)
    queues = {path.stem: path.read_text() for path in (DRIVER / "queues").glob("*.java")}
    queues |= {"Right": variant("Right")} | {
        name: variant(name, *slip) for name, (_, *slip) in FAULTS.items()
    }
    for name, text in queues.items():
        (folder / f"{name}.java").write_text(text)
    for path in DRIVER.glob("*.java"):
        shutil.copy(path, folder)
    run(folder, "javac", "-d", "classes", *(f"{name}.java" for name in queues), "Driver.java")
    told = run(folder, "java", "-cp", "classes", "stingy.Control", *queues)
    seen = re.findall("not controlled: (.*) at", told.stderr)
    assert java_25() is None or seen == ["Executors.newSingleThreadScheduledExecutor(…)"], told.stderr
    return folder


def run(folder, *words):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=machine.patience(20))
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def target(folder, *further):
    return command("java", "-cp", folder / "classes", "Driver", folder / "named", *further)


@pytest.fixture(scope="module")
def process(built):
    """One driver for all of the queues."""
    (built / "named").write_text("Right")
    candidate = locate(target(built))
    yield candidate
    candidate.close()


@pytest.fixture(scope="module")
def left_alone(built):
    """Another driver, whose threads the operating system schedules."""
    (built / "named").write_text("Right")
    candidate = locate(target(built, "-uncontrolled"))
    yield candidate
    candidate.close()


@pytest.fixture
def named(built):
    """Function that makes the driver create the queue of this name from the next one on."""
    return (built / "named").write_text


@pytest.fixture
def judged(named, process):
    """Function that returns the driver, which creates the queue of this name from the next one on."""

    def judged(name):
        named(name)
        return process

    return judged


@needs_java_25
@pytest.mark.parametrize("name", ["Right", "ByLock", "HandsOverByThread"])
def test_a_right_queue_keeps_every_race_and_what_was_seen_is_sampled(name, judged):
    candidate = judged(name)
    for id_ in (HOME, SHUTDOWN):
        assert broken(candidate, id_) is None
    verdicts = list(Judge(candidate, 1).verdicts(all_rules()[WORK]))
    assert {verdict.verdict for verdict in verdicts} == {Finding.PASS}
    assert verdicts[0].evidence is Evidence.SAMPLED
    assert verdicts[0].runs >= 400


@needs_java_25
@pytest.mark.parametrize("name", SLEEPERS)
def test_a_right_queue_whose_threads_sleep_is_kept_under_control(name, judged):
    """The queue sleeps in lanes and in threads of its own, for a time or until a signal."""
    rule = all_rules()[WORK]
    verdict = Trial(judged(name), 1).judge(rule, rule.cases[1])  # two workers wait, and two items are added
    assert verdict.verdict is Finding.PASS, verdict.because
    assert verdict.runs != 40, "it was under control to the end"


@needs_java_25
def test_thousands_of_calls_of_a_lane_are_no_loop(judged):
    assert returned(judged("Right"), MANY) == 8_000


@needs_java_25
@pytest.mark.parametrize(("name", "id_"), [(name, id_) for name, (id_, *_) in FAULTS.items()])
def test_a_fault_that_some_orders_show_is_found_and_repeated(name, id_, judged):
    candidate = judged(name)
    verdict = broken(candidate, id_)
    assert verdict.verdict is Finding.FAIL
    found = [again(candidate, verdict, seed) for seed in (1, 2)]
    assert [(each.verdict, each.story) for each in found] == [(Finding.FAIL, verdict.story)] * 2


@needs_java_25
def test_a_story_tells_lines_of_the_candidates_own(judged):
    verdict = broken(judged("NotifyIfEmpty"), WORK)
    assert "waits for a signal at wait(…) (NotifyIfEmpty.java:25, get)" in told(verdict)


@needs_java_25
@pytest.mark.parametrize("name", ["LocksInTwoOrders", "TwoLocksByHand"])
def test_a_deadlock_is_told_by_who_waits_for_whom(name, judged):
    verdict = broken(judged(name), WORK)
    assert verdict.verdict is Finding.FAIL
    assert "does not return: " in verdict.because
    assert "waits for a lock that lane" in verdict.because
    assert f"and holds the lock taken at {name}.java:" in verdict.because


@needs_java_25
def test_a_queue_that_waits_for_real_time_is_judged_without_control(judged):
    candidate = judged("ArrivesBySchedule")
    verdict = first(candidate)
    assert (verdict.verdict, verdict.runs) == (Finding.PASS, 40), verdict.because


@needs_java
def test_a_short_sleep_after_a_second_of_work_is_waited_for_without_control(named, left_alone):
    """The time until then does not count: on a busy machine the work of a moment may take as long."""
    named("ComputesAndSleeps")
    assert returned(left_alone, ADDING) == 1


@needs_java
def test_who_waits_for_the_machine_does_not_rest_without_control(named, left_alone):
    named("WaitsForItsClass")
    assert returned(left_alone, ADDING) == 1


@needs_java
@pytest.mark.parametrize(
    ("name", "id_"),
    [
        ("SleepsInAdd", WORK),
        ("SleepsInAdd", SUCCESSION),
        ("LooksAgain", WAITS),
        ("CarriesNowAndThen", WAITS),
        ("ArrivesLater", WAITS),
        ("ArrivesLater", TAKES),
        ("HandsOverSlowly", WAITS),
    ],
)
def test_sleeping_and_busy_threads_are_waited_for_without_control(name, id_, named, left_alone):
    """The thread is a lane, or one that only the machine knows; it may poll any number of times."""
    named(name)
    verdict = first(left_alone, id_)
    assert verdict.verdict is Finding.PASS, verdict.because


@needs_java
def test_threads_that_never_rest_are_undecided_without_control(named, left_alone):
    named("NeverRests")
    verdict = first(left_alone)
    assert verdict.verdict is Finding.INCONCLUSIVE
    assert "threads do not come to rest within 12 s" in verdict.because


@needs_java
def test_without_control_it_is_judged_as_any_other_driver(named, left_alone):
    named("Right")
    verdict = first(left_alone)
    assert (verdict.verdict, verdict.runs) == (Finding.PASS, 40)


@needs_java_25
def test_a_copy_of_what_was_compiled_anew_is_not_judged(built, tmp_path):
    """The edited and compiled classes are judged; the doctor says how to control them, too."""
    folder = shutil.copytree(built, tmp_path / "anew")
    (folder / "named").write_text("Right")
    source = folder / "Right.java"
    source.write_text(source.read_text().replace("notifyAll", "notify"))
    run(folder, "javac", "-d", "classes", "Right.java")
    found = {each.looked_at: each.says for each in examine(target(folder)).found}
    said = found["follows the chosen order"]
    assert said.startswith(
        "not claimed: Right was compiled anew since its copy was made that is under control: build"
    )
