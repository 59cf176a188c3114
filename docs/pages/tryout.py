"""*Try it*: a queue to change and to have judged in the page, and all that a browser needs for it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from types import ModuleType
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from pages import Lines
from pages.figure import escape_html
from pages.words import name_of
from provisions import are_there
from stingy.guarantees import rules_of

STARTS: Mapping[str, Sequence[str]] = {"queue": ("queue",), "delay": ("queue", "delay")}
"""What one starts with, by the profile of a guarantee's rules: files of ``docs/starts``, one after the other."""

ABSENT = ("cli", "starters", "isolation", "doctor", "schemas")
"""Parts of stingy that a browser has no use for: they start processes, or write files."""


def section(guarantee: ModuleType, docs: Path) -> Lines:
    """Nothing where there is nothing to start with, or what a browser needs has not been fetched."""
    start = STARTS.get(rules_of(guarantee)[0].profile.name)
    if start is None or not is_provided(docs):
        return
    code = "\n\n".join((docs / "starts" / f"{name}.py").read_text(encoding="utf-8") for name in start)
    yield (
        "Here is a queue to start with. Change it, and let this page judge it by the rules above: with a script, "
        "it runs in your browser, and nothing is sent anywhere.\n"
    )
    yield (
        '<div class="stingy-figure" data-search-exclude>'
        f'<stingy-try data-base="../try/" data-guarantee="{name_of(guarantee)}">\n'
        f"<pre><code>{escape_html(code)}</code></pre>\n</stingy-try></div>\n"
    )


def is_provided(docs: Path) -> bool:
    return are_there(docs.parent)


def files(docs: Path) -> Iterator[tuple[str, bytes]]:
    """What the worker of the pages takes, with its size, so that it can tell how far it has come."""
    if not is_provided(docs):
        return
    fetched = {path.name: path.read_bytes() for path in sorted(_provisions(docs).iterdir())}
    fetched["stingy.zip"] = _pack(docs)
    sizes = {name: len(content) for name, content in fetched.items() if not name.endswith(".mjs")}
    yield from fetched.items()
    yield "files.json", json.dumps(sizes).encode()
    yield "worker.mjs", (docs / "try" / "worker.mjs").read_bytes()


def _provisions(docs: Path) -> Path:
    return docs.parent / "provisions"


def _pack(docs: Path) -> bytes:
    """stingy, and what judges by it in a page; the same bytes for the same files."""
    package = docs.parent / "spec" / "stingy"
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for path in sorted((*package.rglob("*"), docs / "try" / "tryout.py")):
            is_ours = path.is_relative_to(package)
            within = path.relative_to(package) if is_ours else Path(path.name)
            if path.suffix in (".py", ".toml", ".json") and within.parts[0] not in ABSENT:
                name = (Path("stingy") / within if is_ours else within).as_posix()
                archive.writestr(ZipInfo(name), path.read_bytes(), ZIP_DEFLATED)
    return packed.getvalue()
