"""``llms.txt``: the list of the site's pages for language models, in the form of https://llmstxt.org."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pages import Lines, Unsaid

INDEX = "index.md"
_ENTRY = re.compile(r"^( *)- (?:(.+):|(\S+\.md))$", re.MULTILINE)
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_ATTRIBUTES = re.compile(r"\s*\{ [^}]*\}")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_SENTENCE = re.compile(r"(.{40,}?[.?!])(?:\s|$)")
"""The first sentence of a text, or the first ones if they are short, as in *Nothing expires.*"""
_PROSE = re.compile(r"\w|[*_`\[(\"]\S")
"""Beginning of a paragraph that is prose, and no heading, table, list, picture or HTML."""


def page(files: Mapping[str, bytes]) -> Lines:
    """Yield the lines of ``llms.txt``; ``files`` are those of the folder ``build/``.

    It has the sections of the navigation. Slides, which the search skips as well, are left out.
    """
    yield "# stingy\n"
    yield f"> {_read(INDEX, files)[1]}"
    for indent, section, name in _ENTRY.findall(files["nav.yml"].decode()):
        if section and len(indent) == len("  "):
            yield f"\n## {section}\n"
        elif name and name != INDEX and not name.startswith("slides"):
            title, summary = _read(name, files)
            yield f"- [{title}]({name.removesuffix('.md')}.html): {_begin(summary)}"


def _read(name: str, files: Mapping[str, bytes]) -> tuple[str, str]:
    """Return the title of a page and its first paragraph, without markup. Raises Unsaid if it has none."""
    heading, *rest = _paragraphs(files[f"docs/{name}"].decode())
    prose = next((it for it in rest if _PROSE.match(it)), "")
    if not heading.startswith("# ") or not prose:
        raise Unsaid(
            f"{name} does not begin with a title and a sentence on what the page is about: llms.txt quotes both"
        )
    return _plain(heading.removeprefix("# ")), _plain(prose)


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in _FRONT_MATTER.sub("", text).split("\n\n"):
        if paragraph.strip():
            yield " ".join(paragraph.split())


def _plain(markdown: str) -> str:
    return re.sub(r"[*`]", "", _LINK.sub(r"\1", _ATTRIBUTES.sub("", markdown)))


def _begin(text: str) -> str:
    found = _SENTENCE.match(text)
    return found[1] if found else text
