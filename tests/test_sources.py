"""What we quote stands where we say it stands."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from stingy.guarantees import all_rules
from stingy.language import Level
from stingy.sources import CPYTHON, DOC, FILES, Ground, digest

QUOTES = [(file, *quote) for file in FILES for quote in file.quotes]


@pytest.mark.parametrize(
    ("file", "symbol", "quote", "digest_"), QUOTES, ids=lambda it: it if isinstance(it, str) else ""
)
def test_a_quote_is_the_one_that_was_hashed(file, symbol, quote, digest_):
    assert digest(quote) == digest_, "whoever changes a quote looks it up, and changes its hash"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.path)
def test_upstream_has_the_symbols_and_sentences_we_cite(file):
    text = folded(found(file).read_text())
    for symbol, quote, _ in file.quotes:
        assert folded(quote) in text, f"{symbol}: the sentence has drifted"


TESTS = sorted(
    {it for rule in all_rules().values() for it in rule.cites if it.ground is Ground.TESTED}, key=str
)


@pytest.mark.parametrize("source", TESTS, ids=str)
def test_upstream_has_the_tests_we_cite(source):
    """By the name of the function, or the text that ginkgo shows."""
    text = found(source).read_text()
    assert f"func {source.symbol}(t *testing.T)" in text or f'It("{source.symbol}", func(' in text


SETTLED = [id_ for id_, it in all_rules().items() if it.level in (Level.MUST, Level.SHOULD)]


@pytest.mark.parametrize("id_", SETTLED)
def test_a_must_stands_on_words_or_a_test_and_a_should_on_the_code_alone(id_):
    rule = all_rules()[id_]
    assert (rule.cites[0].ground is Ground.OBSERVED) == (rule.level is Level.SHOULD)


def test_a_place_can_be_cited_without_its_words():
    said = DOC["Fair"]
    assert (said.ground, said.in_code.ground, said.in_code.url) == (Ground.SAID, Ground.OBSERVED, said.url)


def folded(text):
    """Comment marks, list dashes, the joints of a text in code, and white space do not count."""
    text = re.sub(r'" \+\s*"', "", text)
    return re.sub(r" - ", " ", " ".join(re.sub(r"^\s*(//|#)", " ", text, flags=re.MULTILINE).split()))


def found(file):
    """Python's own files are those of the Python that runs this."""
    if file.upstream == CPYTHON:
        return Path(os.__file__).parent / Path(file.path).relative_to("Lib")
    if not file.upstream.module:
        pytest.skip(f"{file.upstream.repo} is no module: look it up at {file['x'].url}")
    return module_folder(file.upstream.module) / file.path


def module_folder(module):
    if shutil.which("go") is None:
        pytest.skip("needs Go, to fetch upstream's files into the module cache")
    cache = Path(subprocess.check_output(["go", "env", "GOMODCACHE"], text=True).strip())
    folder = cache / module
    if not folder.exists() and os.environ.get("CI"):
        subprocess.run(["go", "mod", "download", module], cwd="/", check=True)
    if not folder.exists():
        pytest.skip(f"needs {module} in the module cache: go mod download {module}")
    return folder
