"""``llms.txt`` lists the pages of the site, each with its title and its first sentence."""

import pytest

from pages import Unsaid, llms

NAV = """# comment
nav:
  - index.md
  - Guides:
      - start.md
  - The rules:
      - The work queue:
          - guarantees/fair.md
      - slides.md
"""
PAGES = {
    "index.md": "---\nhide:\n  - toc\n---\n\n# Is it?\n\nIt **is** [so](a.md).\nAnd more.\n{ .lead }\n\n<div>\n",
    "start.md": "# Start `now`\n\n| a | table |\n|---|---|\n\nYou need Python 3.11 or [newer](new.md) for all of this. And time.\n",
    "guarantees/fair.md": "# Fair\n\nNothing waits.\nItems are handed out in order of arrival. Always.\n{ .promise }\n",
    "slides.md": "# Slides\n\nThese are slides.\n",
}


def listed(**changed):
    pages = PAGES | changed
    return "\n".join(
        llms.page({"nav.yml": NAV.encode(), **{f"docs/{k}": v.encode() for k, v in pages.items()}})
    )


def test_pages_are_listed_by_section_with_their_first_sentence():
    assert listed().splitlines() == [
        "# stingy",
        "",
        "> It is so. And more.",
        "",
        "## Guides",
        "",
        "- [Start now](start.html): You need Python 3.11 or newer for all of this.",
        "",
        "## The rules",
        "",
        "- [Fair](guarantees/fair.html): Nothing waits. Items are handed out in order of arrival.",
    ]


def test_a_page_without_a_first_sentence_is_refused():
    with pytest.raises(Unsaid, match=r"start\.md does not begin with a title and a sentence"):
        listed(**{"start.md": "# Start\n\n- a list\n"})
