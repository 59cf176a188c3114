"""What we quote stands where we say it stands."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from stingy.sources import CPYTHON, FILES, digest

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


def folded(text):
    """Comment marks, list dashes and white space do not count."""
    return re.sub(r" - ", " ", " ".join(re.sub(r"^\s*(//|#)", " ", text, flags=re.MULTILINE).split()))


def found(file):
    """Python's own files are those of the Python that runs this."""
    if file.upstream == CPYTHON:
        return Path(os.__file__).parent / Path(file.path).relative_to("Lib")
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
