"""``python -m lab museum`` builds and judges the two releases around a bug, and compares them."""

import json
import shutil
from pathlib import Path

import pytest
from one_process import judge_in_one_process

from lab.__main__ import main
from lab.exhibits import CANDIDATES, HALL, Side, exhibits
from lab.implementations import CardError
from lab.museum import build_release

ROOT = Path(__file__).parents[2]
QUICKEST = "queue-keeps-what-it-handed-out"

CARD = """
title = "A bug"
program = "mine"
broke = "It lost everything."
met = "Somebody."
fix = "https://github.com/mine/mine/pull/1"
last = "v1"
first = "v2"
rules = ["codec/a-time-is-written-in-utc"]
candidate = "mine"
fetch = ["python {root}/pick.py {version}"]
"""
PICK = """
import sys
of = {"v1": "stingy_broken.codecs import WritesAnOffset", "v2": "stingy_reference import AnnotationCodec"}
open("codec_of_mine.py", "w").write(f"from {of[sys.argv[1]]} as AnnotationCodec")
"""
CANDIDATE = """
title = "Mine"
language = "Python"
registry = ""
homepage = ""
license = "MIT"
target = "codec_of_mine:AnnotationCodec"
needs = ["python"]
"""


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A museum of a candidate in Python, whose first release writes an offset."""
    judge_in_one_process(monkeypatch)
    (tmp_path / "pick.py").write_text(PICK)
    (tmp_path / CANDIDATES / "mine").mkdir(parents=True)
    (tmp_path / CANDIDATES / "mine" / "candidate.toml").write_text(CANDIDATE)
    hang(tmp_path, "lost", CARD)
    return tmp_path


def hang(checkout, name, card):
    folder = checkout / HALL / name
    folder.mkdir(parents=True)
    (folder / "exhibit.toml").write_text(card)
    return folder


def museum(checkout, *words):
    with pytest.raises(SystemExit) as end:
        main(["museum", "--root", str(checkout), *words])
    return end.value.code


def test_a_bug_is_found_recorded_and_shown_as_it_was_recorded(checkout, capsys):
    assert museum(checkout, "--record") == 0
    told = capsys.readouterr()
    assert "lost  ✗ mine v1  ✓ v2\n    codec/a-time-is-written-in-utc\n" in told.out
    assert told.out.endswith("1 of 1 bugs found, of 1 programs\n")
    assert told.err.splitlines() == [
        f"lost: building and judging mine {release} …" for release in ("v1", "v2")
    ]
    (checkout / "pick.py").unlink()
    assert museum(checkout, "--table") == 0
    assert capsys.readouterr().out == told.out
    assert sorted(path.name for path in (checkout / CANDIDATES / "mine").iterdir()) == ["candidate.toml"]


def test_build_output_is_left_out_and_a_package_of_the_same_name_is_not(checkout):
    family = checkout / CANDIDATES / "mine"
    for folder in ("driver", "src/driver"):
        (family / folder).mkdir(parents=True)
        (family / folder / "Driver.java").touch()
    [it] = exhibits(checkout)
    with build_release(it, Side.AFTER) as site:
        assert [path.parent.name for path in site.folder.rglob("Driver.java")] == ["driver"]
        assert (site.folder / "src" / "driver").is_dir()


def test_a_bug_that_is_not_found_is_shown_and_fails_if_the_card_says_otherwise(checkout, capsys):
    card = (checkout / HALL / "lost" / "exhibit.toml").read_text()
    asked_in_vain = card.replace("a-time-is-written-in-utc", "a-time-is-written-in-rfc-3339")
    hang(checkout, "missed", asked_in_vain)
    hang(checkout, "known", f'{asked_in_vain}unfound = "It would need more."\n')
    assert museum(checkout, "known", "--json") == 0
    [row] = json.loads(capsys.readouterr().out)
    assert (row["outcome"], row["why"], row["as_said"]) == ("not found", "It would need more.", True)
    assert museum(checkout, "missed", "known") == 1
    assert "not found: its card says otherwise" in capsys.readouterr().out
    assert museum(checkout, "known", "--all-rules") == 1, "it is found after all"


def test_a_fix_that_does_not_help_is_shown_as_red(checkout, capsys):
    hang(checkout, "unmended", CARD.replace("{version}", "v1"))
    assert museum(checkout, "unmended") == 1
    shown = "unmended  ✗ mine v1  ✗ v2\n    still broken after the fix: its card says otherwise\n"
    assert shown in capsys.readouterr().out


def test_a_release_that_cannot_be_built_is_shown_with_the_reason(checkout, capsys):
    hang(checkout, "gone", f'{CARD}unbuilt = "Nobody has it any more."\n')
    assert museum(checkout, "gone") == 2
    assert "not built: Nobody has it any more." in capsys.readouterr().out
    assert museum(checkout, "gone", "lost") == 0
    capsys.readouterr()
    hang(checkout, "wrong", CARD.replace("{version}", "v3"))
    assert museum(checkout, "wrong", "lost") == 3
    assert "KeyError: 'v3'" in capsys.readouterr().out
    card = checkout / CANDIDATES / "mine" / "candidate.toml"
    card.write_text(CANDIDATE.replace('"python"', '"no-such-command"'))
    assert museum(checkout, "lost") == 2
    assert "it needs no-such-command, which this machine lacks" in capsys.readouterr().out


def test_a_build_of_another_release_is_refused(checkout, capsys):
    """Go takes the newest version that any module requires, so it could judge one release as both."""
    (checkout / "pick.py").write_text(f"{PICK}open('codec_of_mine.py', 'a').write('\\n__version__ = \"7\"')")
    assert museum(checkout) == 3
    assert "the build reports version 7" in capsys.readouterr().out


def test_usage_errors_say_what_to_do(checkout, tmp_path, capsys):
    assert museum(checkout, "nothing") == 4
    assert "there is no nothing in the museum; there is lost" in capsys.readouterr().err
    assert museum(checkout, "--record", "--all-rules") == 4
    assert museum(tmp_path / "elsewhere") == 4
    with pytest.raises(CardError, match="run this in a checkout of stingy"):
        exhibits(tmp_path / "elsewhere")


@pytest.mark.skipif(shutil.which("go") is None, reason="needs Go")
def test_a_real_bug_is_found_again(capsys):
    assert museum(ROOT, QUICKEST) == 0
    assert "1 of 1 bugs found" in capsys.readouterr().out
