"""Checks a driver's hello: its name, its ops and its capabilities."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence

from stingy.contract import PROFILES
from stingy.contract.kubernetes import WaysError, ways
from stingy.contract.ops import OPS
from stingy.doctor import Ill
from stingy.doctor.driver import QUEUE, Driver
from stingy.doctor.wording import enumerate_words
from stingy.transport.protocol import PROTOCOL

CAPABILITIES = ("virtual_clock", "settle", "burst", "cancel", "step", "resolution_ns")
STARTING = 20.0
"""Seconds that a driver may take to start and answer ``hello``."""


def says_hello(driver: Driver) -> str:
    reply = driver.conversation.hello(PROTOCOL, STARTING)
    if not reply.ok:
        raise Ill(
            f"it answers hello with an error ({reply.text}): answer with its name, ops and capabilities"
        )
    hello = reply.val
    if not isinstance(hello, dict):
        raise Ill(
            f"it answers hello with {json.dumps(hello)}: expected an object with protocol, name, ops and capabilities"
        )
    if hello.get("protocol") != PROTOCOL:
        raise Ill(
            f'it speaks protocol {json.dumps(hello.get("protocol"))}, but this version of stingy knows {PROTOCOL}: write "protocol": {PROTOCOL}'
        )
    for key, kind, due in (
        ("name", str, "a string"),
        ("ops", list, "a list"),
        ("capabilities", dict, "an object"),
    ):
        if not isinstance(hello.get(key), kind):
            raise Ill(f'its hello says "{key}": {json.dumps(hello.get(key))}: expected {due}')
    driver.hello = hello
    _look_at_ops(driver)
    try:
        ways(str(hello.get("kubernetes") or ""))
    except WaysError as error:
        raise Ill(f"its hello claims an unknown version of Kubernetes: {error}") from None
    return f"{len(driver.ops)} ops, {enumerate_words(dict.fromkeys(PROFILES[name].name for name in driver.offered))}"


def _look_at_ops(driver: Driver) -> None:
    for op in driver.ops:
        if op not in OPS:
            meant = _suggest(op, sorted(OPS))
            raise Ill(f"its hello names an op {op!r}, which protocol {PROTOCOL} does not have{meant}")
    if not driver.offered:
        lacks = sorted(QUEUE.ops - set(driver.ops))
        raise Ill(f"its ops make no profile: for the profile queue it lacks {enumerate_words(lacks)}")
    capabilities = driver.hello["capabilities"]
    for name, value in capabilities.items():
        if name not in CAPABILITIES and (meant := _suggest(name, CAPABILITIES)):
            raise Ill(
                f"its hello claims a capability {name!r}, which protocol {PROTOCOL} does not have{meant}"
            )
        due = int if name == "resolution_ns" else bool
        if name in CAPABILITIES and type(value) is not due:
            raise Ill(
                f'its hello says "{name}": {json.dumps(value)}: expected {"a whole number" if due is int else "true or false"}'
            )


def _suggest(word: str, words: Sequence[str]) -> str:
    """Return ": did you mean …?" with the most similar of ``words``; empty if none is similar.

    ``virtualClock`` and ``VirtualClock`` count as ``virtual_clock``.
    """
    plain = "".join(f"_{c.lower()}" if c.isupper() else c for c in word).lstrip("_")
    near = difflib.get_close_matches(plain, words, 1, 0.7)
    return f": did you mean {near[0]}?" if near else ""
