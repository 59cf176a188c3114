"""Sources of the rules: upstream files at pinned commits, cited by symbol, quoted with a hash.

The first source that a rule cites is its evidence: quoted words, a test, or else the code. If the
words at a place do not say what the rule demands, but the code there does it, the rule cites
``QUEUE["Done"].in_code``.

The commits, files and quotes are data, in ``sources.toml``. To move to a newer upstream, change the
commit and the module version there. The tests then compare every quote with the file in the module
cache, and name each sentence that has changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

import msgspec

from stingy.process.intact import refuse_archive


@dataclass(frozen=True)
class Upstream:
    """An upstream repository at one commit or tag, and the Go module with the same files.

    ``module`` is empty for a repository that is no Go module, such as CPython's.
    """

    repo: str
    commit: str
    module: str = ""


class Ground(StrEnum):
    """Kinds of evidence for a rule, strongest first."""

    SAID = "said"
    """Upstream promises it in words, which are quoted."""
    TESTED = "tested"
    """One of upstream's own tests asserts it."""
    OBSERVED = "observed"
    """Upstream's code does it, but neither words nor a test of upstream demand it."""


@dataclass(frozen=True)
class Source:
    """A place in an upstream file that a rule cites, and the words quoted from it, if any."""

    upstream: Upstream
    path: str
    symbol: str = ""
    quote: str = ""
    digest: str = ""
    """First 12 hex digits of the quote's SHA-256, with each run of white space as one blank."""

    def __str__(self) -> str:
        return f"{self.path.rpartition('/')[2]} {self.symbol}".strip()

    @property
    def ground(self) -> Ground:
        if self.quote:
            return Ground.SAID
        return Ground.TESTED if self.path.endswith("_test.go") else Ground.OBSERVED

    @property
    def in_code(self) -> Source:
        """The same place without the quote: cited for its code, not for its words."""
        return replace(self, quote="", digest="")

    @property
    def url(self) -> str:
        return f"https://github.com/{self.upstream.repo}/blob/{self.upstream.commit}/{self.path}"


def digest(quote: str) -> str:
    return sha256(" ".join(quote.split()).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class File:
    """An upstream file; ``file["Symbol"]`` cites the declaration of that symbol."""

    upstream: Upstream
    path: str
    quotes: tuple[tuple[str, str, str], ...] = ()

    def __getitem__(self, symbol: str) -> Source:
        for name, quote, digest_ in self.quotes:
            if name == symbol:
                return Source(self.upstream, self.path, symbol, quote, digest_)
        return Source(self.upstream, self.path, symbol)


class _Quote(msgspec.Struct, forbid_unknown_fields=True):
    words: str
    digest: str


class _Place(msgspec.Struct, forbid_unknown_fields=True):
    upstream: str
    """Name of an upstream in the same table."""
    path: str
    quotes: Mapping[str, _Quote] = {}
    """Quotes by the symbol at which they stand."""

    def file(self, upstreams: Mapping[str, Upstream]) -> File:
        quotes = ((symbol, " ".join(it.words.split()), it.digest) for symbol, it in self.quotes.items())
        return File(upstreams[self.upstream], self.path, tuple(quotes))


class _Table(msgspec.Struct, forbid_unknown_fields=True):
    """The content of ``sources.toml``; its keys are the names that ``sources.py`` exports."""

    upstream: Mapping[str, Upstream]
    file: Mapping[str, _Place]


refuse_archive(__file__)
_TABLE = msgspec.toml.decode(Path(__file__).with_name("sources.toml").read_bytes(), type=_Table)
_FILES = {name: place.file(_TABLE.upstream) for name, place in _TABLE.file.items()}

COMMUNITY = _TABLE.upstream["COMMUNITY"]
CPYTHON = _TABLE.upstream["CPYTHON"]

DOC = _FILES["DOC"]
QUEUE = _FILES["QUEUE"]
DELAYING = _FILES["DELAYING"]
RATE_LIMITING = _FILES["RATE_LIMITING"]
LIMITERS = _FILES["LIMITERS"]
QUEUE_METRICS = _FILES["QUEUE_METRICS"]
INFORMERS = _FILES["INFORMERS"]
PRIORITY_QUEUE = _FILES["PRIORITY_QUEUE"]
CONTROLLER_OPTIONS = _FILES["CONTROLLER_OPTIONS"]
CONTROLLER = _FILES["CONTROLLER"]
RECONCILE = _FILES["RECONCILE"]
TRIGGERS = _FILES["TRIGGERS"]
SLICE_WRITER = _FILES["SLICE_WRITER"]
ANNOTATION_KEY = _FILES["ANNOTATION_KEY"]
TRACKER = _FILES["TRACKER"]
SLICE_CACHE = _FILES["SLICE_CACHE"]
METRICS = _FILES["METRICS"]
IPTABLES = _FILES["IPTABLES"]
BUCKETS = _FILES["BUCKETS"]
ASYNCIO = _FILES["ASYNCIO"]
METRIC_HELP = _FILES["METRIC_HELP"]
TOKEN_BUCKET = _FILES["TOKEN_BUCKET"]
DESIGN = _FILES["DESIGN"]
SLI = _FILES["SLI"]
HISTOGRAM = _FILES["HISTOGRAM"]

QUEUE_TESTS = _FILES["QUEUE_TESTS"]
DELAYING_TESTS = _FILES["DELAYING_TESTS"]
RATE_LIMITING_TESTS = _FILES["RATE_LIMITING_TESTS"]
LIMITER_TESTS = _FILES["LIMITER_TESTS"]
METRIC_TESTS = _FILES["METRIC_TESTS"]
PRIORITY_TESTS = _FILES["PRIORITY_TESTS"]
CONTROLLER_TESTS = _FILES["CONTROLLER_TESTS"]
TRIGGER_TESTS = _FILES["TRIGGER_TESTS"]
SLICE_TESTS = _FILES["SLICE_TESTS"]
TRACKER_TESTS = _FILES["TRACKER_TESTS"]
SLICE_CACHE_TESTS = _FILES["SLICE_CACHE_TESTS"]

FILES = tuple(file for file in _FILES.values() if not file.path.endswith("_test.go"))
"""All files except upstream's tests, which are cited without a quote."""
