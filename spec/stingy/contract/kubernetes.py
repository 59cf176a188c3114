"""Behaviours of kube-proxy that differ between versions of Kubernetes ("ways").

A candidate is judged by the ways of the version that it claims to follow; without a claim, by those
of the newest version.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

NEWEST = "1.33"
"""The first version whose ways are those of the newest Kubernetes."""


@dataclass(frozen=True)
class Change:
    """A behaviour of kube-proxy ("way") that a version changed, with its values before and after."""

    way: str
    before: str
    since: int
    """The minor version that changed it."""
    after: str
    pull: str


CHANGES = (
    Change("restart_filter", "none", 22, "strict-after", "kubernetes/kubernetes#100861"),
    Change("removal", "keep", 27, "drop-service", "kubernetes/kubernetes#114757"),
    Change("change_detection", "content", 31, "object", "kubernetes/kubernetes#124626"),
    Change("family", "any-ip", 33, "match", "kubernetes/kubernetes#128819"),
    Change("label", "none", 33, "ip_family", "kubernetes/kubernetes#129173"),
)
"""In the order of their versions."""

WAYS: Mapping[str, tuple[str, str]] = {change.way: (change.before, change.after) for change in CHANGES}
"""The two possible values of each way."""

_VERSION = re.compile(r"v?1\.(\d+)(\..*)?", re.ASCII)


class WaysError(ValueError):
    """A claimed version contains something that is no version and no behaviour of kube-proxy.

    The message says what to write.
    """


def ways(claimed: str) -> Mapping[str, str]:
    """Return kube-proxy's behaviour in a claimed version: the value of each "way", by name.

    A claim is a version, such as ``1.26``; a way, such as ``removal=keep``, with the newest version
    for all other ways; or both, as in ``1.26,removal=drop-service``. An empty claim means the
    newest version. Raises WaysError.
    """
    found = {change.way: change.after for change in CHANGES}
    for word in filter(None, (word.strip() for word in claimed.split(","))):
        way, given, value = word.partition("=")
        if given:
            found[way] = _possible(way, value)
        else:
            found |= _of_version(word)
    return found


def _of_version(word: str) -> Mapping[str, str]:
    version = _VERSION.fullmatch(word)
    if version is None:
        raise WaysError(
            f"{word!r} is not a version of Kubernetes: write it as in 1.30, or a way as in removal=keep"
        )
    minor = int(version[1])
    return {change.way: change.after if minor >= change.since else change.before for change in CHANGES}


def _possible(way: str, value: str) -> str:
    if way not in WAYS:
        raise WaysError(f"there is no way called {way!r}: choose one of {', '.join(WAYS)}")
    if value not in WAYS[way]:
        raise WaysError(f"{way} cannot be {value!r}: write {' or '.join(WAYS[way])}")
    return value


def when(way: str, value: str) -> str:
    """Return text that says in which Kubernetes versions a behaviour ("way") has this value."""
    change = next(change for change in CHANGES if change.way == way)
    return f"{'before' if value == change.before else 'since'} Kubernetes 1.{change.since} ({way}={value})"


def versions() -> Mapping[str, Mapping[str, str]]:
    """Return each version before a change of behaviour and the newest one, with its behaviours."""
    minors = sorted({change.since - 1 for change in CHANGES})
    return {version: ways(version) for version in (*(f"1.{minor}" for minor in minors), NEWEST)}
