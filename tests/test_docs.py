"""The site: it builds, it shows every rule once, it asks no other host for anything, and it does not lie."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

import pytest

from stingy.cli import main
from stingy.contract import PROFILES
from stingy.guarantees import all_rules
from stingy.language.rule import Level
from stingy.verdict import Evidence, Exit, Finding
from stingy_broken import broken_candidates

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"

needs_material = pytest.mark.skipif(
    find_spec("material") is None, reason="mkdocs-material is not installed: pip install -e '.[docs]'"
)

ELSEWHERE = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
ASKS_ELSEWHERE = re.compile(r"""(?:url\(|@import)\s*["']?\s*(?:[a-z]+:)?//[^)"']+""", re.IGNORECASE)
LOADS = {"src", "srcset", "href", "xlink:href", "data", "poster", "action"}


def _commands() -> set[str]:
    """What the guides tell a reader to type after ``stingy``."""
    typed = re.compile(r"^\$ stingy (.*)$", re.MULTILINE)
    return {line for path in DOCS.glob("*.md") for line in typed.findall(path.read_text(encoding="utf-8"))}


@dataclass
class Html(HTMLParser):
    """As much of a page as is asked for here."""

    text: str
    ids: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    classes: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        classes = given.get("class", "").split()
        self.classes.update(classes)
        if "id" in given:
            self.ids.append(given["id"])
        if "stingy-rule" in classes:
            self.rules.append(given["id"])
        if "stingy-broken" in classes:
            self.broken.append(given["id"])
        if tag != "a":
            self.loaded += [given[name] for name in LOADS & given.keys()]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site, built strictly: a warning is a failure."""
    built = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", built],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return built


@pytest.fixture(scope="module")
def pages(site: Path) -> Mapping[str, Html]:
    return {
        path.relative_to(site).as_posix(): Html(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
    }


@needs_material
def test_every_rule_has_one_anchor_on_one_page(pages):
    shown = [
        f"{path.removeprefix('guarantees/').removesuffix('.html')}/{anchor}"
        for path, page in pages.items()
        for anchor in page.rules
    ]

    assert sorted(shown) == sorted(all_rules())


@needs_material
def test_every_broken_candidate_is_shown_once(pages):
    assert sorted(pages["broken.html"].broken) == sorted(
        f"{broken.__module__.rpartition('.')[2]}-{broken.__name__}" for broken in broken_candidates()
    )


@needs_material
def test_no_page_has_two_elements_of_the_same_id(pages):
    twice = {path: [it for it, n in Counter(page.ids).items() if n > 1] for path, page in pages.items()}

    assert {path: ids for path, ids in twice.items() if ids} == {}


@needs_material
def test_nothing_is_loaded_from_another_host(site, pages):
    loaded = {path: [url for url in page.loaded if ELSEWHERE.match(url)] for path, page in pages.items()}
    styled = {
        path.relative_to(site).as_posix(): ASKS_ELSEWHERE.findall(path.read_text(encoding="utf-8"))
        for suffix in ("html", "css", "svg")
        for path in site.rglob(f"*.{suffix}")
    }

    assert {path: urls for path, urls in loaded.items() if urls} == {}
    assert {path: urls for path, urls in styled.items() if urls} == {}
    assert not any("mermaid" in page.classes for page in pages.values()), "Material loads mermaid from a CDN"


@needs_material
def test_only_pages_are_published(site):
    """The hooks are the site's, not the reader's."""
    assert list(site.rglob("*.py*")) == []


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


def test_the_protocol_names_every_op():
    assert {op for profile in PROFILES.values() for op in profile.ops} <= _in_code(_guide("protocol"))


@pytest.mark.parametrize("line", sorted(_commands()))
def test_a_command_in_a_guide_is_one(line):
    command, *words = shlex.split(line)

    main.commands[command].make_context(command, words)


def test_what_start_says_is_so(tmp_path):
    """Its first queue is refused with the very story that is shown; with the mended methods it conforms."""
    first, mended = _blocks(_guide("start"), "python")
    (shown,) = _blocks(_guide("start"), "text")
    imports, others = first[: first.index("class ")], first[first.index("\n    def __len__") :]

    refused = _stingy_run(tmp_path / "first", first)
    accepted = _stingy_run(tmp_path / "mended", imports + mended + others)

    assert refused.returncode == Exit.DOES_NOT, refused.stdout + refused.stderr
    assert _folded(shown) in _folded(refused.stdout)
    assert accepted.returncode == Exit.CONFORMS, accepted.stdout + accepted.stderr


def _stingy_run(where: Path, queue: str) -> subprocess.CompletedProcess[str]:
    (where / "mypkg").mkdir(parents=True)
    (where / "mypkg/__init__.py").touch()
    (where / "mypkg/queue.py").write_text(queue, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "stingy", "run", "mypkg.queue:WorkQueue"],
        cwd=where,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def _guide(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def _in_code(text: str) -> set[str]:
    return set(re.findall(r"`([^`\n]+)`", text))


def _blocks(text: str, language: str) -> Iterator[str]:
    yield from re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def _folded(text: str) -> str:
    return " ".join(text.split())
