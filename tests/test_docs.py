"""Facts in the guides are true. lab/tests/test_blocks.py runs their commands and code."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from blocks import PAGES, blocks
from stingy import settings
from stingy.contract import PROFILES
from stingy.contract.ops import OPS
from stingy.judging.verdict import Evidence, Exit, Finding
from stingy.language.rule import Level
from stingy.reports.faults import record
from stingy.settings import TABLE

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
OTHER_NAMES = Path(__file__).with_name("samples") / "other_names.py"


def test_the_page_verdicts_names_all_that_a_report_says():
    named = _in_code(_guide("verdicts"))

    assert {*Finding, *Level, *Evidence} - {Evidence.NONE} <= named
    assert all(f"\n| {exit_.value} |" in _guide("verdicts") for exit_ in Exit)


def test_the_page_candidates_names_all_of_the_contract():
    named = _in_code(_guide("candidates"))
    asked = {
        word for profile in PROFILES.values() for word in (profile.name, profile.maker, profile.protocol)
    }
    ops = {op for profile in PROFILES.values() for op in profile.ops}

    assert asked <= named
    assert {"__len__" if op == "len" else op for op in ops} <= named


def test_the_page_protocol_names_the_arguments_of_every_op(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    from pages.inclusions import resolve

    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?)\|", resolve(DOCS / "protocol.md"), re.MULTILINE))

    assert rows.keys() >= OPS.keys()
    assert [key for op in OPS.values() for key in op.arguments if f"`{key.key}`" not in rows[op.name]] == []


@pytest.fixture
def judged(stingy, tmp_path):
    """Return a function that writes a queue into ``PACKAGE/queue.py``, and runs stingy on it."""

    def judged(package, queue, *options):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
        (tmp_path / package / "queue.py").write_text(queue, encoding="utf-8")
        return stingy("run", f"{package}.queue:WorkQueue", *options)

    return judged


def test_data_on_a_page_can_be_read():
    for page in PAGES:
        for language, text in blocks(page, "json", "toml"):
            if language == "toml":
                tomllib.loads(text)
            else:
                read_values(re.sub(r"^\s*…\n", "", text, flags=re.MULTILINE).strip())


def test_the_settings_on_a_page_can_be_used(tmp_path):
    """The page on CI names each key of the settings."""
    file = tmp_path / "pyproject.toml"
    shown = [text for page in PAGES for language, text in blocks(page, "toml") if TABLE in text]
    for text in shown:
        file.write_text(text, encoding="utf-8")
        assert settings.load(tmp_path).target == "mypkg.queue:WorkQueue"
    assert len(shown) == 2
    assert set(settings.KEYS) <= _in_code(_guide("ci"))


def read_values(rest):
    """Read a text that consists of JSON values, one after the other; raise ValueError if it does not."""
    while rest:
        _, end = json.JSONDecoder().raw_decode(rest)
        rest = rest[end:].lstrip()


def test_the_page_failures_shows_what_a_report_says(judged):
    """The page shows the report on a script and on a race exactly as stingy prints it."""
    script, race, like = _blocks(_guide("failures"), "text")
    (racing,) = _blocks(_guide("failures"), "python")
    naive, _ = _blocks(_guide("start"), "python")
    rules = ["--rule", "stingy/add-depends-on-where-the-item-is"]
    raced = ["--rule", "workers/two-producers-at-once-add-it-once", "--seed", "7"]

    assert _folded(script) in _folded(judged("script", naive, *rules, "-v").stdout)
    assert _folded(race) in _folded(judged("race", racing, *raced, "-v").stdout)
    assert any(_folded(like).endswith(_folded(it.says)) for it in record().faults)


@pytest.mark.parametrize("adapter", [0, 1])
def test_an_adapter_on_the_page_candidates_works(adapter, stingy, tmp_path):
    """The adapter makes a package whose queue has other method names conform."""
    (_, shown) = _guide("candidates").split("## Other method names\n")
    package = tmp_path / "mypkg"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "queues.py").write_bytes(OTHER_NAMES.read_bytes())
    (tmp_path / "mine.py").write_text(_blocks(shown, "python")[adapter], encoding="utf-8")

    done = stingy("run", "mine:WorkQueue", "--rule", "handing_out/an-*", "--rule", "once_more/added-*")

    assert done.returncode == Exit.CONFORMS, done.stdout + done.stderr


def test_the_page_drivers_shows_the_calls_that_init_writes():
    from stingy.starters import HERE

    (shown,) = _blocks(_guide("drivers"), "go")
    written = (HERE / "go" / "calls.go.txt").read_text(encoding="utf-8")

    assert {" ".join(line.split()) for line in shown.splitlines()} <= {
        " ".join(line.split()) for line in written.splitlines()
    }


def _guide(name):
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def _in_code(text):
    return set(re.findall(r"`([^`\n]+)`", text))


def _blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def _folded(text):
    return " ".join(text.split())
