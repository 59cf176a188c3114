"""*Try it*: code that a reader can change and judge in the page, and the files that this needs."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from types import ModuleType
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from pages import Lines, editor
from pages.figure import escape_html
from pages.words import name_of
from provisions import are_there, of_the_judge, of_the_kata
from stingy.contract import PROFILES, Profile
from stingy.guarantees import rules_of

PARTS = (
    *("queue", "hook", "drain", "metrics", "delay", "limit"),
    *("exponential", "fast_slow", "bucket", "max_of", "max_wait", "defaults"),
    *("controller", "priority", "trigger", "codec", "tracker", "proxy", "cancel"),
)
"""Files of ``docs/starts`` from which the code to start with is put together, in this order.

The code in a file may use what earlier files define.
"""

STARTS: Mapping[str, Collection[str]] = {
    "queue": {"queue"},
    "values": {"queue"},
    "cancel": {"cancel"},
    "cancel, drain": {"cancel"},
    "drain": {"queue", "drain"},
    "hook": {"hook"},
    "delay": {"queue", "delay"},
    "delay, values": {"queue", "delay"},
    "delay, cancel": {"queue", "delay"},
    "delay, drain": {"queue", "drain", "delay"},
    "limit": {"queue", "delay", "limit"},
    "limit, delay": {"queue", "delay", "limit"},
    "limit, drain": {"queue", "drain", "delay", "limit"},
    "exponential": {"exponential"},
    "exponential, values": {"exponential"},
    "fast_slow": {"fast_slow"},
    "fast_slow, values": {"fast_slow"},
    "bucket": {"bucket"},
    "max_of": {"max_of"},
    "max_wait": {"max_wait"},
    "default_controller": {"exponential", "bucket", "max_of", "defaults"},
    "default_item": {"exponential", "bucket", "max_of", "defaults"},
    "metrics": {"queue", "metrics"},
    "metrics, values": {"queue", "metrics"},
    "metrics, drain": {"queue", "drain", "metrics"},
    "metrics, delay": {"queue", "metrics", "delay"},
    "memory": {"queue"},
    "ending": {"queue", "delay"},
    "ending, drain": {"queue", "drain", "delay"},
    "ending, metrics": {"queue", "metrics"},
    "controller": {"queue", "delay", "limit", "controller"},
    "controller, values": {"queue", "delay", "limit", "controller"},
    "priority": {"priority"},
    "priority, values": {"priority"},
    "priority, limit": {"priority"},
    "priority, limit, several": {"priority"},
    "trigger": {"trigger"},
    "writing": {"codec"},
    "reading": {"codec"},
    "codec": {"codec"},
    "tracker": {"tracker"},
    "proxy": {"tracker", "proxy"},
    "tracker, family": {"tracker"},
    "proxy, family": {"tracker", "proxy"},
}
"""The ``PARTS`` that rules of a profile need, by the profile's key in ``PROFILES``."""

ABSENT = (
    *("__main__.py", "cli/*", "doctor/*", "plugin.py", "schemas/*", "starters/*"),
    *("engine/debugger.py", "engine/editor.py", "process/ending.py", "transport/part.py"),
    *("judging/baseline.py", "judging/docket.py", "judging/isolation/*", "judging/workers.py"),
    *("reports/badge.py", "reports/comparison.py", "reports/conversation.py", "reports/ctrf.py"),
    *("reports/github.py", "reports/html.py", "reports/junit.py", "reports/markdown.py"),
    *("reports/native.py", "reports/outcomes.*", "reports/page/*"),
)
"""Files of stingy that are left out for the browser: only the command and the pytest plugin use them."""

OF_A_DRIVER = (
    *("transport/child.py", "transport/connection.py", "transport/driver.py", "transport/footprints.py"),
    *("transport/lines.py", "transport/processes.py", "transport/protocol.py", "transport/remarks.py"),
    *("transport/scheduled.py", "transport/transcript.py", "transport/watchdog.py", "transport/wire.py"),
)
"""Files of stingy that are left out for the browser: they reach a candidate in another process."""

OF_A_TERMINAL = (
    *("__main__.py", "apart.py", "cli.py", "doctor.py", "guiding.py", "keys.py", "projection.py", "proof.py"),
    *("replaying.py", "schedule.py", "template.py", "watching.py", "*/trainer.md"),
)
"""Files of the workshop that are left out for the browser: they are for a terminal, or for the trainer."""


def section(guarantee: ModuleType, docs: Path) -> Lines:
    """Yield the section of a guarantee's page in which readers edit and judge code in the browser.

    Yield nothing if the files for this have not been downloaded.
    """
    if not is_provided(docs):
        return
    asked = dict.fromkeys(_key(rule.profile) for rule in rules_of(guarantee))
    yield (
        "Here is one to start with. Change it, and let this page judge it by the rules above: with a script, "
        "it runs in your browser, and nothing is sent anywhere.\n"
    )
    yield _box("../try/", f"{name_of(guarantee)}/*", start(asked, docs))


def box(docs: Path) -> str:
    """Return the HTML of a queue that a page judges by all rules that it offers.

    Return a link to another way if the files for this have not been downloaded.
    """
    if not is_provided(docs):
        return "This copy of the site was made without Python for the browser: [judge yours in a terminal](start.md).\n"
    return _box("try/", "*", (docs / "starts" / "almost.py").read_text(encoding="utf-8"))


def _box(base: str, rules: str, code: str) -> str:
    return (
        f'<div class="stingy-figure" data-search-exclude><stingy-try data-base="{base}" data-rules="{rules}">\n'
        f"<pre><code>{escape_html(code)}</code></pre>\n</stingy-try></div>\n"
    )


def start(asked: Iterable[str], docs: Path) -> str:
    """Return the Python code that a reader starts with, for the rules of these profiles.

    ``asked`` are the profiles' keys, as in ``STARTS``.
    """
    needed = set().union(*(STARTS[key] for key in asked))
    parts = (docs / "starts" / f"{name}.py" for name in PARTS if name in needed)
    return "\n\n".join(part.read_text(encoding="utf-8") for part in parts)


def _key(profile: Profile) -> str:
    return next(key for key, known in PROFILES.items() if known == profile)


def is_provided(docs: Path) -> bool:
    return editor.is_provided(docs) and are_there(docs.parent, of_the_judge() | of_the_kata())


def files(docs: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file that runs Python in a page.

    ``files.json`` among them has the sizes in bytes, from which the page shows the progress of the
    download. Yield nothing if the files have not been downloaded.
    """
    if not is_provided(docs):
        return
    wanted = sorted(of_the_judge() | of_the_kata())
    fetched = {name: (docs.parent / "provisions" / name).read_bytes() for name in wanted}
    packed = {"stingy.zip": _pack_judge(docs), "kata.zip": _pack_kata(docs)}
    sizes = {name: len(it) for name, it in (fetched | packed).items() if not name.endswith(".mjs")}
    judge = {name: size for name, size in sizes.items() if name not in of_the_kata() | {"kata.zip"}}
    yield from (fetched | packed).items()
    puzzles = judge | {"kata.zip": sizes["kata.zip"]}
    yield "files.json", json.dumps({"tryout": judge, "play": puzzles, "kata": sizes}).encode()
    yield "worker.mjs", (docs / "try" / "worker.mjs").read_bytes()
    yield from editor.files(docs)


def _pack_judge(docs: Path) -> bytes:
    """Return a ZIP file of stingy, and of the modules that judge code in a page."""
    package = docs.parent / "spec" / "stingy"
    beside = [docs / "try" / "tryout.py", docs / "try" / "endless.py", docs / "pages" / "figure.py"]
    about = (
        f"Metadata-Version: 2.1\nName: stingy\nVersion: {version('stingy')}\n"  # importlib.metadata reads it
    )
    installed = {f"stingy-{version('stingy')}.dist-info/METADATA": about.encode()}
    return _zip(
        _find(package, (".py", ".toml", ".json"), (*ABSENT, *OF_A_DRIVER)) | _read(beside) | installed
    )


def _pack_kata(docs: Path) -> bytes:
    """Return a ZIP file of the exercises and puzzles, and the modules that run them in a page."""
    package = docs.parent / "exercises" / "stingy_kata"
    beside = [docs / "try" / "kata.py", docs / "try" / "play.py"]
    return _zip(_find(package, (".py", ".toml", ".md"), OF_A_TERMINAL) | _read(beside))


def _find(package: Path, kinds: Collection[str], absent: Collection[str]) -> dict[str, bytes]:
    """Return the content of a package's files with these suffixes, by name.

    Files whose paths in the package match a pattern of ``absent`` are left out.
    """
    paths = (path for path in sorted(package.rglob("*")) if path.suffix in kinds)
    within = {path.relative_to(package).as_posix(): path for path in paths}
    return {
        f"{package.name}/{name}": path.read_bytes()
        for name, path in within.items()
        if not any(fnmatchcase(name, pattern) for pattern in absent)
    }


def _read(files: Iterable[Path]) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in files}


def _zip(files: Mapping[str, bytes]) -> bytes:
    """Return a ZIP file with these files, by name. Equal files give equal bytes."""
    content = BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(ZipInfo(name), text, ZIP_DEFLATED)
    return content.getvalue()
