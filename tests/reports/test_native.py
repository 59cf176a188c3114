"""A story as an ordinary test: the broken candidate fails it, and the reference passes."""

import shutil
import subprocess
import sys

import pytest

from samples import some
from stingy.guarantees import all_rules
from stingy.judge import Judge
from stingy.language.account import Line
from stingy.reports.native import LANGUAGES, NotNative, as_test, written
from stingy.transport import locate
from stingy.verdict import Finding

REFERENCE = "stingy_reference:WorkQueue"
FAULTS = {
    "stingy_broken.queues:ForgetsWhatIsHeld": "stingy/one-worker-at-a-time",
    "stingy_broken.queues:DropsWhatIsHeld": "once_more/added-while-processed-comes-back-after-done",
    "stingy_broken.lengths:CountsWhatIsInProcessing": "length/len-leaves-out-what-is-in-processing",
    "stingy_broken.drains:DrainsWithoutWaiting": "drain/it-waits-for-what-is-in-processing",
}


def failing(target, id_):
    rule = all_rules()[id_]
    verdicts = Judge(locate(target, 1), 1).verdicts(rule)
    return next(verdict for verdict in verdicts if verdict.verdict is Finding.FAIL)


def passes(test, target, folder):
    (folder / "test_told.py").write_text(written([test], "pytest", target), encoding="utf-8")
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        "/dev/null",
        "test_told.py",
    ]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.returncode == 0


@pytest.mark.parametrize("target", some(FAULTS, 4))
def test_the_broken_fails_and_the_reference_passes(target, tmp_path):
    test = as_test(failing(target, FAULTS[target]))
    assert not passes(test, target, tmp_path)
    assert passes(test, REFERENCE, tmp_path)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_a_name_for_every_act(language):
    tests = [as_test(failing(target, FAULTS[target])) for target, id_ in FAULTS.items()]
    text = written(tests, language, REFERENCE)
    assert all(test.rule.sentence in text for test in tests)
    assert "Undefined" not in text
    assert text.count('"a"') >= 6


@pytest.mark.skipif(shutil.which("gofmt") is None, reason="no Go here to read the test with")
def test_go_reads_it(tmp_path):
    (tmp_path / "told_test.go").write_text(
        written([as_test(failing(*it)) for it in FAULTS.items()], "go", "")
    )
    done = subprocess.run(["gofmt", "-l", "."], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_a_race_is_no_ordinary_test():
    with pytest.raises(NotNative, match="several threads"):
        as_test(
            failing("stingy_broken.drains:DrainsWithoutWaiting", "interleavings/a-drain-ends-in-every-order")
        )


def test_a_story_that_the_model_does_not_follow_is_none_either():
    from msgspec.structs import replace

    verdict = failing(*next(iter(FAULTS.items())))
    with pytest.raises(NotNative, match="more in it"):
        as_test(replace(verdict, story=(Line("time", "1 min pass"),)))
