"""A driver under examination: its hello, and requests that several checks make."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from stingy.contract import PROFILES
from stingy.contract.ops import OPS
from stingy.doctor import Doubt, Ill
from stingy.doctor.conversation import Conversation, Reply
from stingy.doctor.samples import SAMPLES
from stingy.language.session import NO_OPTIONS, CandidateError
from stingy.transport.driver import understand
from stingy.transport.protocol import PROTOCOL
from stingy.transport.target import lacking

QUEUE = PROFILES["queue"]
UNKNOWN = "no_such_op"
"""An op that no driver knows."""
NEAR = 2
"""Most ops that may be missing from a profile for it to be mentioned as not offered.

With so few missing, the driver's author may have meant to offer the profile.
"""
SLOW = 0.05
"""Seconds; if an answer takes longer, a run takes minutes, as it sends thousands of requests."""
NOTHING = 0.05
"""Seconds to wait for something that should not happen, such as an answer that comes too early."""


class Driver:
    """The driver under examination: its answer to ``hello``, and requests that several checks make."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.hello: Mapping[str, Any] = {}

    @property
    def ops(self) -> Sequence[str]:
        return self.hello.get("ops") or ()

    def can(self, capability: str) -> bool:
        return bool((self.hello.get("capabilities") or {}).get(capability))

    @property
    def schedules(self) -> Mapping[str, Any]:
        """The part of the driver's hello on choosing the order of lanes; empty if none can be chosen."""
        return (self.hello.get("capabilities") or {}).get("schedules") or {}

    @property
    def unscheduled(self) -> str:
        """Why the driver cannot choose the order of lanes, by its hello; empty if that does not say."""
        return str(self.hello.get("unscheduled") or "")

    def offers(self, *ops: str) -> bool:
        return set(ops) <= set(self.ops)

    @property
    def offered(self) -> Sequence[str]:
        """Names of the profiles all of whose ops are in the driver's hello."""
        return [name for name in SAMPLES if self.offers(*PROFILES[name].ops, *PROFILES[name].tells)]

    @property
    def usual(self) -> float:
        """Median time of the driver's answers so far, in seconds."""
        return median(self.conversation.took)

    def title(self, called: str) -> str:
        if not self.hello:
            return called
        name = f"{self.hello.get('name') or called} {self.hello.get('version') or ''}".strip()
        language = self.hello.get("language")
        return f"{name}, a driver for protocol {PROTOCOL}" + (f" written in {language}" if language else "")

    def make(self, name: str) -> Reply:
        """Ask the driver for a fresh candidate of the profile ``name``, and return its answer."""
        return self.conversation.ask("new", impl=PROFILES[name].maker, options=SAMPLES[name].options)

    def make_queue(self) -> None:
        """Make a fresh work queue; raise Ill if the driver refuses, although its hello offers one."""
        made = self.make("queue")
        if not made.ok:
            raise Ill(f"it refuses new work_queue ({made.text}), though its hello names the ops of a queue")

    def make_any(self) -> None:
        if not any(self.make(name).ok for name in self.offered):
            raise Ill(
                "it refuses new for every profile that its ops belong to: answer new with a fresh candidate"
            )

    def call(self, lane: str, op: str, **fields: Any) -> Any:
        """Make a call that should return at once; return its value in types of the contract."""
        return self.value(op, self.wait_for(self.conversation.start(op, lane=lane, **fields), op))

    def wait_for(self, id_: int, op: str) -> Reply:
        """Wait for the answer to a call, for at most ``patience`` seconds, and return the answer.

        If it does not come: Doubt if the driver still answers a ``new``, Ill if it does not.
        """
        reply = self.conversation.poll(id_, self.conversation.patience)
        if reply is None:
            ill = self.conversation.silence(id_, leave=True)
            if not self.conversation.going:
                raise ill
            anew = self.conversation.start("new", impl=QUEUE.maker, options=NO_OPTIONS)
            if self.conversation.poll(anew, self.conversation.patience) is None:
                raise ill
            raise Doubt(f"{op} does not return, or the driver does not report its return")
        return reply

    def value(self, op: str, reply: Reply) -> Any:
        if reply.refused:
            raise Ill(
                f"its hello names {op}, but it refuses the call ({reply.text}): offer {op}, or remove it from ops"
            )
        if reply.kind == "protocol":
            raise Ill(
                f"it does not understand {op} ({reply.text}): read its keys as the page on the protocol lists them"
            )
        if not reply.ok:
            raise Doubt(f"{op} raises {reply.text}")
        try:
            return understand(op, reply.val)
        except CandidateError:
            raise Ill(
                f"it answers {op} with {json.dumps(reply.val)}, which has the wrong form: expected {OPS[op].due}"
            ) from None

    def settle(self) -> Reply:
        """Wait until all lanes are idle or blocked, and return the driver's answer.

        If the driver cannot detect that, wait for a moment and return an empty answer.
        """
        if not self.can("settle"):
            time.sleep(NOTHING)
            return Reply(-1, ok=True, val=None)
        return self.well("settle")

    def well(self, op: str, **fields: Any) -> Reply:
        reply = self.conversation.ask(op, **fields)
        if not reply.ok:
            raise Ill(
                f"it answers {op} with an error ({reply.text}), although its hello claims this capability"
            )
        return reply

    def reading(self, reply: Reply) -> int:
        """Return the reading of the virtual clock in an answer, in nanoseconds; Ill if it has none."""
        now = reply.val.get("now_ns") if isinstance(reply.val, dict) else None
        if not isinstance(now, int) or isinstance(now, bool):
            raise Ill(
                f"it claims virtual_clock, but answers {json.dumps(reply.val)} instead of the reading of that clock: "
                'write {"now_ns": …}, a whole number'
            )
        return now

    def summary(self) -> Iterator[tuple[str, str]]:
        yield "offers", ", ".join(dict.fromkeys(PROFILES[name].name for name in self.offered))
        for name in SAMPLES:
            lacks = sorted((PROFILES[name].ops | PROFILES[name].tells) - set(self.ops))
            if PROFILES[name].name == name and 0 < len(lacks) <= NEAR:
                yield f"not {name}", lacking("its driver", lacks)
        yield (
            "evidence",
            (
                "deterministic: it reports when all lanes are idle or blocked"
                if self.can("settle")
                else "timed: it has no settle, so stingy waits a short time before it judges that something did not happen"
            ),
        )
        if self.schedules:
            packages = ", ".join(self.schedules.get("packages") or ())
            yield (
                "races",
                f"the order of lanes is chosen, recorded and repeatable{f', in {packages}' if packages else ''}",
            )
        if not self.can("virtual_clock"):
            yield "time", "its clock cannot be moved, so rules about time are INCONCLUSIVE"
        if not self.can("burst"):
            yield "races", "it has no burst, so rules about races are INCONCLUSIVE"
