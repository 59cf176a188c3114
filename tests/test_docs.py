"""The guides: what they say is so. What they let a reader type is typed in lab/tests/test_blocks.py."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from stingy.contract import PROFILES
from stingy.faults import record
from stingy.language.rule import Level
from stingy.ops import OPS
from stingy.verdict import Evidence, Exit, Finding

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
OTHER_NAMES = Path(__file__).with_name("samples") / "other_names.py"


def test_verdicts_names_everything_that_a_report_can_say():
    named = _in_code(_guide("verdicts"))

    assert {*Finding, *Level, *Evidence} - {Evidence.NONE} <= named
    assert all(f"\n| {exit_.value} |" in _guide("verdicts") for exit_ in Exit)


def test_candidates_names_what_the_contract_asks_for():
    named = _in_code(_guide("candidates"))
    asked = {
        word for profile in PROFILES.values() for word in (profile.name, profile.maker, profile.protocol)
    }
    ops = {op for profile in PROFILES.values() for op in profile.ops}

    assert asked <= named
    assert {"__len__" if op == "len" else op for op in ops} <= named


def test_the_trainers_guide_has_a_part_for_each_exercise():
    written = {file.parent.name for file in (ROOT / "exercises/stingy_kata").glob("*/exercise.toml")}

    assert written <= set(
        re.findall(r"^### `(\w+)`\n\n<!-- the exercise \1 -->$", _guide("trainer"), re.MULTILINE)
    )


def test_the_glossary_has_the_words_that_we_write_in():
    said = re.search(
        r"\*\*Words\*\* are the field's: (.*?)\. Ours: (.*?)\.",
        _folded((ROOT / "CONTRIBUTING.md").read_text()),
    )
    words = {word.strip().lower() for group in said.groups() for word in group.split(",")}
    explained = re.findall(r"^\*\*(.+?)\*\*\{", _guide("glossary"), re.MULTILINE)

    assert words <= {word.strip().lower() for entry in explained for word in entry.split(",")}


def test_the_protocol_says_of_every_op_what_it_goes_with(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    from pages.inclusions import resolve

    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?)\|", resolve(DOCS / "protocol.md"), re.MULTILINE))

    assert rows.keys() >= OPS.keys()
    assert [key for op in OPS.values() for key in op.arguments if f"`{key.key}`" not in rows[op.name]] == []


@pytest.fixture
def judged(stingy, tmp_path):
    """Judge a queue that stands in ``PACKAGE/queue.py``."""

    def judged(package, queue, *options):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
        (tmp_path / package / "queue.py").write_text(queue, encoding="utf-8")
        return stingy("run", f"{package}.queue:WorkQueue", *options)

    return judged


def test_what_start_says_is_so(judged):
    """Its first queue fails with the story that is shown; with the mended methods it passes. The lab judges by all rules."""
    first, mended = _blocks(_guide("start"), "python")
    (shown,) = _blocks(_guide("start"), "text")
    imports, others = first[: first.index("class ")], first[first.index("\n    def __len__") :]
    rules = ["--rule", "stingy/one-*", "--rule", "stingy/add-*", "--rule", "once_more/added-*"]

    refused = judged("first", first, *rules)
    accepted = judged("mended", imports + mended + others, *rules)

    assert refused.returncode == Exit.DOES_NOT, refused.stdout + refused.stderr
    assert _folded(shown) in _folded(refused.stdout)
    assert accepted.returncode == Exit.CONFORMS, accepted.stdout + accepted.stderr


def test_what_failures_shows_is_what_a_report_says(judged):
    """A script is refused with the whole of its block, a race with the order that is told."""
    script, race, like = _blocks(_guide("failures"), "text")
    (racing,) = _blocks(_guide("failures"), "python")
    naive, _ = _blocks(_guide("start"), "python")
    rules = ["--rule", "stingy/add-depends-on-where-the-item-is"]
    raced = ["--rule", "workers/two-producers-at-once-add-it-once", "--seed", "7"]

    assert _folded(script) in _folded(judged("script", naive, *rules).stdout)
    assert _folded(race) in _folded(judged("race", racing, *raced).stdout)
    assert any(_folded(like).endswith(_folded(it.says)) for it in record().faults)


@pytest.mark.parametrize("adapter", [0, 1])
def test_an_adapter_as_it_is_shown_is_judged_as_the_queue(adapter, stingy, tmp_path):
    """By a package of somebody's whose queue has other names."""
    (_, shown) = _guide("candidates").split("## Other method names\n")
    package = tmp_path / "mypkg"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "queues.py").write_bytes(OTHER_NAMES.read_bytes())
    (tmp_path / "mine.py").write_text(list(_blocks(shown, "python"))[adapter], encoding="utf-8")

    done = stingy("run", "mine:WorkQueue", "--rule", "handing_out/an-*", "--rule", "once_more/added-*")

    assert done.returncode == Exit.CONFORMS, done.stdout + done.stderr


def test_drivers_shows_the_calls_that_init_writes():
    from stingy.starters import HERE

    (shown,) = _blocks(_guide("drivers"), "go")
    written = (HERE / "go" / "calls.go.txt").read_text(encoding="utf-8")

    assert {" ".join(line.split()) for line in shown.splitlines()} <= {
        " ".join(line.split()) for line in written.splitlines()
    }


def _guide(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def _in_code(text: str) -> set[str]:
    return set(re.findall(r"`([^`\n]+)`", text))


def _blocks(text: str, language: str) -> Iterator[str]:
    yield from re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def _folded(text: str) -> str:
    return " ".join(text.split())
