"""Every rule has the right kind of source, and no quote has been changed without a look at its source.

``lab/tests/test_sources.py`` compares the quotes with upstream's files.
"""

from stingy.contract import sources
from stingy.contract.sources import DOC, FILES, File, Ground, digest
from stingy.guarantees import all_rules
from stingy.language import Level


def test_a_quote_is_the_one_that_was_hashed():
    """If you change a quote, look it up at its source, and change its hash in sources.toml."""
    quotes = [(file.path, *quote) for file in FILES for quote in file.quotes]
    assert quotes
    assert [(path, symbol) for path, symbol, quote, digest_ in quotes if digest(quote) != digest_] == []


def test_every_file_of_the_table_can_be_imported_by_its_name():
    assert {name: it for name, it in vars(sources).items() if isinstance(it, File)} == sources._FILES


def test_a_must_stands_on_words_or_a_test_and_a_should_on_the_code_alone():
    settled = [it for it in all_rules().values() if it.level in (Level.MUST, Level.SHOULD)]
    assert settled
    assert [
        f"{it.id}: a {it.level} that stands on what is {it.cites[0].ground}"
        for it in settled
        if (it.cites[0].ground is Ground.OBSERVED) != (it.level is Level.SHOULD)
    ] == []


def test_a_place_can_be_cited_without_its_words():
    said = DOC["Fair"]
    assert (said.ground, said.in_code.ground, said.in_code.url) == (Ground.SAID, Ground.OBSERVED, said.url)
