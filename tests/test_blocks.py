"""Every block of code on a page that is written by hand: it says what it is, and what a reader types is understood. The lab types it."""

import json
import re
import shlex
import tomllib

import pytest
from click import ClickException

from blocks import COMMANDS, PAGES, SHELL, blocks, is_elsewhere, typed
from stingy.cli import main

COMPILED = {
    "go": "tests/test_docs.py finds it in what stingy init writes, and lab/tests/test_starters.py builds that"
}
"""Languages that need a toolchain, and who makes sure that it is right."""
LANGUAGES = {*SHELL, *COMPILED, "python", "json", "toml", "yaml", "text"}
"""``text`` is what a program prints, or a line or two out of their context."""


def test_every_block_says_what_it_is():
    others = {page: {language for language, _ in blocks(page)} - LANGUAGES for page in PAGES}

    assert {page: languages for page, languages in others.items() if languages} == {}


def test_what_is_typed_is_run_in_the_lab_or_elsewhere():
    known = ("stingy ", "mkdir ", "cd ", "touch ")
    lines = [(page, line) for page in PAGES for line in typed(page)]

    assert [
        (page, line) for page, line in lines if not line.startswith(known) and not is_elsewhere(line)
    ] == []


def test_data_can_be_read():
    for page in PAGES:
        for language, text in blocks(page, "json", "toml", "yaml"):
            if language == "toml":
                tomllib.loads(text)
            elif language == "yaml":
                pytest.importorskip("yaml", reason="no YAML here: pip install -e '.[docs]'").safe_load(text)
            else:
                assert values(re.sub(r"^\s*…\n", "", text, flags=re.MULTILINE)), page


def values(text):
    """Return the values of one JSON text after the other."""
    found, rest = [], text.strip()
    while rest:
        value, end = json.JSONDecoder().raw_decode(rest)
        found.append(value)
        rest = rest[end:].lstrip()
    return found


def test_each_command_is_understood():
    refused = {}
    for line in COMMANDS:
        words, found = shlex.split(line)[1:], main
        while hasattr(found, "get_command"):
            command, *words = words
            found = found.get_command(None, command)
        try:
            found.make_context(command, words)
        except ClickException as error:
            refused[line] = str(error)

    assert refused == {}
