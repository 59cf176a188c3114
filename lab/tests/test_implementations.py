"""``python -m lab matrix`` builds, judges and records an implementation; it starts processes for it."""

import json

import pytest
from one_process import judge_in_one_process

from lab.__main__ import main


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Folder of one implementation that is judged quickly."""
    judge_in_one_process(monkeypatch)
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "codec_of_mine.py").write_text(
        "from stingy_broken.codecs import WritesAnOffset as AnnotationCodec\n"
    )
    card = [
        *('title = "Mine"', 'language = "Python"', 'registry = ""', 'homepage = ""', 'license = "MIT"'),
        *('target = "codec_of_mine:AnnotationCodec"', 'needs = ["python"]'),
        "build = ['python -c \"open(chr(98), chr(119))\"']",
    ]
    (folder / "candidate.toml").write_text("\n".join(card))
    return folder


def matrix(folder, *words):
    with pytest.raises(SystemExit) as end:
        main(["matrix", "--root", str(folder.parent), *words])
    return end.value.code


def test_an_implementation_is_built_judged_and_compared_with_its_record(mine, capsys):
    assert matrix(mine, "--record") == 0
    assert (mine / "b").exists()
    recorded = json.loads((mine / "result.json").read_text())
    tampered = next(row for row in recorded["results"] if row["verdict"] == "FAIL")
    tampered["verdict"] = "PASS"
    (mine / "result.json").write_text(json.dumps(recorded))
    capsys.readouterr()
    assert matrix(mine, "mine") == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith("differs")
    assert said[1:] == [f"  {tampered['rule']}: recorded PASS, found FAIL"], "all else is found again"


def test_an_implementation_that_cannot_be_judged_here_is_named(mine, capsys):
    card = (mine / "candidate.toml").read_text()
    (mine / "candidate.toml").write_text(card.replace('"python"]', '"python3.99", "no-such-command"]'))
    assert matrix(mine) == 2
    assert "mine: skipped, because it needs python3.99 and no-such-command" in capsys.readouterr().out
    (mine / "candidate.toml").write_text(card.replace("open(", "nothing("))
    assert matrix(mine) == 3
    assert "NameError: name 'nothing' is not defined" in capsys.readouterr().out
    assert matrix(mine, "yours") == 4
    assert "there is no yours in" in capsys.readouterr().err
