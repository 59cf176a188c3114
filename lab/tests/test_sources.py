"""Every quote and every cited test is in upstream's file; Go fetches upstream's modules."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from stingy.contract.sources import COMMUNITY, CPYTHON, FILES, Ground
from stingy.guarantees import all_rules

MODULES = sorted({file.upstream.module for file in FILES} - {""})
UNFETCHED = {COMMUNITY}
"""Repositories that are no Go module: check their quotes by hand, at ``file["symbol"].url``."""


@pytest.fixture(scope="module")
def folders():
    """Download each module that Go's cache lacks; return the folder of each by its path and version."""
    if shutil.which("go") is None:
        pytest.skip("needs Go, to fetch upstream's files")
    done = subprocess.run(
        ["go", "mod", "download", "-json", *MODULES], cwd="/", capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr + done.stdout
    found, decode, rest = {}, json.JSONDecoder().raw_decode, done.stdout.strip()
    while rest:
        module, end = decode(rest)
        found[f"{module['Path']}@{module['Version']}"] = Path(module["Dir"])
        rest = rest[end:].strip()
    return found


def drifted(file, path):
    """Return each quote of ``file`` that is not in the text at ``path``."""
    text = folded(path.read_text())
    return [f"{file.path} {symbol}: {quote}" for symbol, quote, _ in file.quotes if folded(quote) not in text]


def folded(text):
    """Drop comment marks, list dashes, joints of a text in code, and repeated white space."""
    text = re.sub(r'" \+\s*"', "", text)
    return re.sub(r" - ", " ", " ".join(re.sub(r"^\s*(//|#)", " ", text, flags=re.MULTILINE).split()))


@pytest.mark.budget(60)  # unpacking the modules takes this long if none is cached
def test_upstream_has_the_sentences_we_quote(folders):
    files = [file for file in FILES if file.upstream not in {CPYTHON, *UNFETCHED}]
    assert len(files) > 10
    assert [it for file in files for it in drifted(file, folders[file.upstream.module] / file.path)] == []


@pytest.mark.budget(60)
def test_upstream_has_the_tests_we_cite(folders):
    """A test is cited by the name of its function, or by its ginkgo text."""
    cited = {it for rule in all_rules().values() for it in rule.cites if it.ground is Ground.TESTED}
    assert cited
    missing = []
    for it in sorted(cited, key=str):
        text = (folders[it.upstream.module] / it.path).read_text()
        if f"func {it.symbol}(t *testing.T)" not in text and f'It("{it.symbol}", func(' not in text:
            missing.append(f"{it.path}: {it.symbol}")
    assert missing == []


def test_python_has_the_sentences_we_quote():
    """The files are those of the Python that runs this test."""
    files = [file for file in FILES if file.upstream == CPYTHON]
    assert files
    library = Path(os.__file__).parent
    assert [it for file in files for it in drifted(file, library / Path(file.path).relative_to("Lib"))] == []
