"""Presentations made of the Markdown pages with slides, with notes for the speaker."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from pages import Lines, Unsaid
from pages.exercise import find_exercise, say_how_long
from pages.words import with_issues
from policy import policy
from provisions import are_there, of_the_slides
from stingy_kata.exercise import Exercise, exercises

BETWEEN = "\n---\n"
NOTE = "\nNote: "
"""Start of the speaker's notes of a slide, as in other tools that make slides of Markdown."""

_REPEATED = re.compile(r"<!-- the slide (.+) of ([\w-]+) -->")
"""Comment in place of a slide of another page: its title, and the page's name."""

FOLDER = "present"


class Slide(NamedTuple):
    """One slide of a presentation."""

    shown: str
    """Its text, in Markdown."""
    said: str
    """Notes for the speaker, in Markdown."""


def invite(name: str) -> str:
    """Return Markdown with a link to a presentation, for the page with the same slides.

    Return an empty text if the files that show slides have not been downloaded.
    """
    if not is_provided(Path(__file__).parent.parent):
        return ""
    deck = f"{FOLDER}/{name}.html"
    return (
        f"**[Present]({deck})**, full screen with `f`, the speaker's notes with `s`, all keys with `?`; without a network, "
        f"from a disk as well. For paper, or a PDF, let the browser print [the slides]({deck}?print-pdf), or "
        f"[the slides and the notes]({deck}?print-pdf&showNotes=separate-page)."
    )


def files(docs: Path) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of each presentation, and of the files that show them.

    Yield nothing if these have not been downloaded.
    """
    if not is_provided(docs):
        return
    for name in sorted(of_the_slides()):
        yield f"{FOLDER}/{name}", (docs.parent / "provisions" / name).read_bytes()
    for page in sorted(docs.glob("slides*.md")):
        yield f"{FOLDER}/{page.stem}.html", "\n".join((*deck(page), "")).encode()


def is_provided(docs: Path) -> bool:
    return are_there(docs.parent, of_the_slides())


def deck(page: Path) -> Lines:
    everything = slides(page)
    title = _title(everything[0].shown)
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    # A script writes the window with the speaker's notes, and that window has inline scripts.
    yield policy("'unsafe-inline'")
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(title)}</title>"
    yield '<link rel="icon" href="../images/favicon.svg">'
    yield '<link rel="stylesheet" href="reveal.css">\n<link rel="stylesheet" href="../stylesheets/slides.css">'
    yield "</head>\n<body>"
    yield f'<noscript><p>Without a script there is <a href="../{page.stem}.html">a page to read</a>.</p></noscript>'
    yield '<div class="reveal"><div class="slides">'
    for slide in everything:
        yield f"<section>\n{_render(slide.shown)}"
        yield f'<aside class="notes">\n{_render(slide.said)}</aside>\n</section>'
    yield "</div></div>"
    yield '<script src="reveal.js"></script>\n<script src="notes.js"></script>\n<script src="../scripts/slides.js"></script>'
    yield "</body>\n</html>"


def slides(page: Path) -> tuple[Slide, ...]:
    first, *rest = page.read_text(encoding="utf-8").split(BETWEEN)
    title, _, introduction = first.strip().partition("\n\n")
    told = _COMMENT.sub("", introduction).strip()
    return (
        Slide(title, told),
        *(_slide(_REPEATED.sub(lambda it: repeat(*it.groups()), text)) for text in rest),
    )


def repeat(title: str, name: str) -> str:
    """Return the Markdown of the slide with this title of another page, its note included.

    Raises Unsaid if the page has no such slide.
    """
    page = Path(__file__).parent.parent / f"{name}.md"
    found = [text for text in page.read_text(encoding="utf-8").split(BETWEEN) if _title(text) == title]
    if not found:
        raise Unsaid(f"{page.name} has no slide {title!r}, which another presentation repeats")
    return found[0].strip()


def _slide(text: str) -> Slide:
    shown, _, own = text.partition(NOTE)
    lessons = (_lesson(find_exercise(name)) for name in _exercises_of(_title(shown)))
    said = "\n\n".join(filter(None, (own.strip(), *lessons)))
    if not said:
        raise Unsaid(f"the slide {_title(shown)!r} has no note: its speaker needs one")
    return Slide(with_issues(shown.strip()), with_issues(said))


def _title(shown: str) -> str:
    return shown.strip().partition("\n")[0].lstrip("# ")


def _exercises_of(title: str) -> Iterator[str]:
    """Yield the names of exercises in a slide's title, such as two for ``trigger_time · stamping``.

    A title that begins with a capital letter names none.
    """
    names = {it.name for it in exercises()}
    return (word for word in re.split(r"\W+", title) if word in names and title[0].islower())


def _lesson(exercise: Exercise) -> str:
    """Return the speaker's notes on an exercise: its length, and what a trainer says about it."""
    return f"**{exercise.name}**, {say_how_long(exercise.card)}\n\n{exercise.notes}"


_COMMENT = re.compile(r"<!--.*?-->")


def _render(text: str) -> str:
    tokens = _MARKDOWN.parse(text)
    for token in tokens:
        for part in token.children or ():
            _lead_up(part)
    return str(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))


def _lead_up(part: Token) -> None:
    """Change a link to a page of the site so that it works in a presentation, one folder deeper."""
    leads = str(part.attrGet("href") or "")
    if leads and "://" not in leads:
        part.attrSet("href", re.sub(r"\.md(?=#|$)", ".html", f"../{leads}"))


_MARKDOWN = MarkdownIt("commonmark").enable("table")
