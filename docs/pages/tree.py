"""List all files of the site's source in ``build/``, and write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from lab.exhibits import exhibits
from lab.implementations import implementations
from lab.reports import matrix, museum
from lab.schemas import schemas
from pages import (
    Lines,
    broken,
    contested,
    contract,
    coverage,
    guarantee,
    inclusions,
    index,
    kata,
    levels,
    navigation,
    play,
    slides,
    tryout,
)
from pages.words import page_of
from stingy.guarantees import guarantees

WIDE = "---\nhide:\n  - toc\n---\n"
"""Front matter of a page whose table needs the whole width of the window."""

UNSEARCHED = "---\nsearch:\n  exclude: true\n---\n"
"""Front matter of a page that the search skips, because others say the same at more length."""

ASSETS = ("images", "scripts", "stylesheets")


def files(root: Path) -> Iterator[tuple[str, bytes]]:
    docs = root / "docs"
    for path in sorted(docs.glob("*.md")):
        head = UNSEARCHED if path.stem.startswith("slides") else ""
        yield f"docs/{path.name}", f"{head}{inclusions.resolve(path)}".encode()
    everybody = implementations(root / "candidates")
    yield "docs/matrix.md", f"{WIDE}{matrix.markdown(everybody)}".encode()
    yield "docs/museum.md", museum.markdown(exhibits(root)).encode()
    for page, lines in _generate(docs):
        yield f"docs/{page}", "\n".join((*lines, "")).encode()
    for folder in ASSETS:
        for path in sorted((docs / folder).iterdir()):
            yield f"docs/{folder}/{path.name}", path.read_bytes()
    for name, content in tryout.files(docs):
        yield f"docs/try/{name}", content
    for name, content in slides.files(docs):
        yield f"docs/{name}", content
    for name, schema in schemas().items():
        yield f"docs/schemas/{name}", schema.encode()
    yield "nav.yml", navigation.fill_in(docs / "nav.yml").encode()


def _generate(docs: Path) -> Iterator[tuple[str, Lines]]:
    yield "rules.md", index.page()
    yield "levels.md", levels.page()
    yield "contested.md", contested.page()
    yield "coverage.md", coverage.page()
    yield "contract.md", contract.page()
    yield "broken.md", broken.page()
    yield "kata.md", kata.page(docs)
    yield "play.md", play.page(docs)
    for it in guarantees():
        yield page_of(it), guarantee.page(it, docs)


def write(wanted: Mapping[str, bytes], build: Path) -> int:
    """Write the files ``wanted``, given by path, to the folder ``build``; return their number.

    Other files in ``build/docs`` are deleted. A file that is up to date is not touched, so that the
    site builder does not rebuild it.
    """
    for path in sorted((build / "docs").rglob("*"), reverse=True):
        if path.is_file() and path.relative_to(build).as_posix() not in wanted:
            path.unlink()
    for name, content in wanted.items():
        path = build / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return len(wanted)
