"""What a driver has to do before anything can be said about its candidate, looked at step by step."""

from __future__ import annotations

import difflib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import Any

from stingy.contract import MILLISECOND, PROFILES, SECOND
from stingy.doctor import Condition, Doubt, Examination, Found, Ill
from stingy.doctor.conversation import Conversation, Reply
from stingy.doctor.samples import SAMPLES
from stingy.kubernetes import WaysError, ways
from stingy.language.session import NO_OPTIONS, CandidateError
from stingy.ops import OPS
from stingy.transport.connection import PARTING, connect
from stingy.transport.driver import understood
from stingy.transport.protocol import PROTOCOL
from stingy.transport.target import lacking

QUEUE = PROFILES["queue"]
CAPABILITIES = ("virtual_clock", "settle", "burst", "cancel", "step", "resolution_ns")
ITEM = "ns/ключ \U0001f511 \u2028\"'\\"
"""Well-formed Unicode, of which nothing may be lost on the way."""
STARTING = 20.0
"""Seconds that a driver may take to start."""
OLD = "old"
STEPS = (5 * SECOND, -5 * SECOND)
ROUNDS = 20
"""How often a settle that may come too early is given the chance."""
SLOW = 0.05
"""Seconds for an answer that make a whole run last for minutes: it asks thousands of times."""
NOTHING = 0.05
"""Seconds in which a clock that goes by itself, and an answer that comes too early, are seen."""


def examined(target: str, patience: float) -> Examination:
    """Look at a driver; at the first thing that is wrong the examination is over, for the next may follow from it."""
    driver = Driver(Conversation(connect(target), patience))
    examination = Examination(target.partition(":")[2])
    try:
        for looked_at, look in LOOKS.items():
            try:
                says = look(driver) or ""
                driver.conversation.look()
                examination.found.append(Found(looked_at, Condition.WELL, says))
            except Doubt as doubt:
                examination.found.append(Found(looked_at, Condition.DOUBTFUL, str(doubt)))
            except Ill as ill:
                examination.found.append(Found(looked_at, Condition.ILL, str(ill)))
                break
    finally:
        driver.conversation.end()
    examination.title = driver.title(examination.title)
    if examination.ill:
        examination.traffic = [*driver.conversation.traffic, *driver.conversation.remarks]
    else:
        examination.summary = list(driver.summary())
    return examination


class Driver:
    """What it says of itself, and the questions that are asked again and again."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.hello: Mapping[str, Any] = {}

    @property
    def ops(self) -> Sequence[str]:
        return self.hello.get("ops") or ()

    def can(self, capability: str) -> bool:
        return bool((self.hello.get("capabilities") or {}).get(capability))

    def offers(self, *ops: str) -> bool:
        return set(ops) <= set(self.ops)

    @property
    def offered(self) -> Sequence[str]:
        """The profiles of which all ops are there."""
        return [name for name in SAMPLES if self.offers(*PROFILES[name].ops, *PROFILES[name].tells)]

    def title(self, called: str) -> str:
        if not self.hello:
            return called
        name = f"{self.hello.get('name') or called} {self.hello.get('version') or ''}".strip()
        language = self.hello.get("language")
        return f"{name}, a driver for protocol {PROTOCOL}" + (f" written in {language}" if language else "")

    def make(self, name: str) -> Reply:
        """A fresh candidate of this profile."""
        return self.conversation.ask("new", impl=PROFILES[name].maker, options=SAMPLES[name].options)

    def make_queue(self) -> None:
        """A fresh work queue, which its hello has promised."""
        made = self.make("queue")
        if not made.ok:
            raise Ill(f"it refuses new work_queue ({made.text}), though its hello names the ops of a queue")

    def make_any(self) -> None:
        if not any(self.make(name).ok for name in self.offered):
            raise Ill("it refuses to make any of what its ops belong to: answer new with a fresh candidate")

    def call(self, lane: str, op: str, **fields: Any) -> Any:
        """Make a call that returns at once, if all is well; its value in the terms of the contract."""
        return self.value(op, self.returned(self.conversation.start(op, lane=lane, **fields), op))

    def returned(self, id_: int, op: str) -> Reply:
        """The answer to a call. Where there is none, the driver is at fault only if it answers nothing else."""
        reply = self.conversation.seen(id_, self.conversation.patience)
        if reply is None:
            ill = self.conversation.silence(id_, leave=True)
            if not self.conversation.going:
                raise ill
            anew = self.conversation.start("new", impl=QUEUE.maker, options=NO_OPTIONS)
            if self.conversation.seen(anew, self.conversation.patience) is None:
                raise ill
            raise Doubt(f"{op} does not return, or the driver does not tell")
        return reply

    def value(self, op: str, reply: Reply) -> Any:
        if reply.refused:
            raise Ill(
                f"its hello names {op}, and it refuses it ({reply.text}): offer it, or leave it out of ops"
            )
        if reply.kind == "protocol":
            raise Ill(
                f"it makes no sense of {op} ({reply.text}): the page on the protocol says with which keys it comes"
            )
        if not reply.ok:
            raise Doubt(f"{op} raises {reply.text}")
        try:
            return understood(op, reply.val)
        except CandidateError:
            raise Ill(
                f"it answers {op} with {json.dumps(reply.val)}, which is of another form: {OPS[op].due} is due"
            ) from None

    def settle(self) -> Reply:
        """Wait until nothing moves, as well as this driver can tell."""
        if not self.can("settle"):
            time.sleep(NOTHING)
            return Reply(-1, ok=True, val=None)
        return self.well("settle")

    def well(self, op: str, **fields: Any) -> Reply:
        reply = self.conversation.ask(op, **fields)
        if not reply.ok:
            raise Ill(f"it answers {op} with an error ({reply.text}), though its hello claims that it can")
        return reply

    def reading(self, reply: Reply) -> int:
        """The reading of a clock that can be moved."""
        now = reply.val.get("now_ns") if isinstance(reply.val, dict) else None
        if not isinstance(now, int) or isinstance(now, bool):
            raise Ill(
                f"it claims virtual_clock, and answers {json.dumps(reply.val)} where the reading of that clock "
                'is due: {"now_ns": …}, a whole number'
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
                "deterministic: it says when nothing moves any more"
                if self.can("settle")
                else "timed: it has no settle, so what must not happen is judged after a short wait"
            ),
        )
        if not self.can("virtual_clock"):
            yield "time", "its clock cannot be moved, so rules about time are INCONCLUSIVE"
        if not self.can("burst"):
            yield "races", "it has no burst, so rules about races are INCONCLUSIVE"


FEW = 4
"""As many words as are read."""
NEAR = 2
"""Ops that lack to a profile which one may well want to offer."""

# What is looked at, in this order: each rests on those before it.


def says_hello(driver: Driver) -> str:
    reply = driver.conversation.hello(PROTOCOL, STARTING)
    if not reply.ok:
        raise Ill(
            f"it answers hello with an error ({reply.text}): tell its name, ops and capabilities instead"
        )
    hello = reply.val
    if not isinstance(hello, dict):
        raise Ill(
            f"it answers hello with {json.dumps(hello)}: an object with protocol, name, ops and capabilities is due"
        )
    if hello.get("protocol") != PROTOCOL:
        raise Ill(
            f'it speaks protocol {json.dumps(hello.get("protocol"))}, and this stingy knows {PROTOCOL}: say "protocol": {PROTOCOL}'
        )
    for key, kind, due in (
        ("name", str, "a string"),
        ("ops", list, "a list"),
        ("capabilities", dict, "an object"),
    ):
        if not isinstance(hello.get(key), kind):
            raise Ill(f'its hello says "{key}": {json.dumps(hello.get(key))}, where {due} is due')
    driver.hello = hello
    _look_at_ops(driver)
    try:
        ways(str(hello.get("kubernetes") or ""))
    except WaysError as error:
        raise Ill(f"its hello claims to be of a Kubernetes that is not known: {error}") from None
    return f"{len(driver.ops)} ops, {_and(dict.fromkeys(PROFILES[name].name for name in driver.offered))}"


def _look_at_ops(driver: Driver) -> None:
    for op in driver.ops:
        if op not in OPS:
            meant = _meant(op, sorted(OPS))
            raise Ill(f"its hello names an op {op!r}, which protocol {PROTOCOL} has not{meant}")
    if not driver.offered:
        lacks = sorted(QUEUE.ops - set(driver.ops))
        raise Ill(f"its ops make no profile: for that of a queue it lacks {_and(lacks)}")
    capabilities = driver.hello["capabilities"]
    for name, value in capabilities.items():
        if name not in CAPABILITIES and (meant := _meant(name, CAPABILITIES)):
            raise Ill(f"its hello claims a capability {name!r}, which protocol {PROTOCOL} has not{meant}")
        due = int if name == "resolution_ns" else bool
        if name in CAPABILITIES and type(value) is not due:
            raise Ill(
                f'its hello says "{name}": {json.dumps(value)}, where {"a whole number" if due is int else "true or false"} is due'
            )


def _meant(word: str, words: Sequence[str]) -> str:
    """A word in another spelling is near, too: ``virtualClock``, ``ShutDown``."""
    plain = "".join(f"_{c.lower()}" if c.isupper() else c for c in word).lstrip("_")
    near = difflib.get_close_matches(plain, words, 1, 0.7)
    return f": did you mean {near[0]}?" if near else ""


def refuses_what_it_does_not_know(driver: Driver) -> str:
    if (made := driver.conversation.ask("new", impl="no_such_thing", options={})).ok:
        raise Ill(
            'it answers new with "impl": "no_such_thing" as if it had made one: refuse an impl that it does '
            "not know with the error unsupported"
        )
    _is_a_refusal(made, "an impl")
    if driver.offers(*QUEUE.ops):
        driver.make_queue()
    if (answered := driver.conversation.ask("no_such_op", lane="p1", item="a", extra=1)).ok:
        raise Ill(
            "it answers ok to an op that does not exist, no_such_op: look at the op, and refuse what it does "
            "not offer with the error unsupported"
        )
    _is_a_refusal(answered, "an op")
    return ""


def _is_a_refusal(reply: Reply, what: str) -> None:
    if not reply.refused:
        raise Ill(f"it refuses {what} that it does not know as {reply.kind} ({reply.text}): say unsupported")


def makes_what_it_offers(driver: Driver) -> str:
    made: dict[str, None] = {}
    for name in driver.offered:
        reply = driver.make(name)
        maker = PROFILES[name].maker
        if reply.ok:
            made[maker] = None
            if driver.can("virtual_clock"):
                driver.reading(reply)
        elif not reply.refused:
            raise Ill(
                f"it cannot make a {maker} ({reply.text}): refuse with unsupported what it does not have"
            )
    driver.make_any()
    return _and(made) if len(made) <= FEW else f"{len(made)} kinds"


def answers_calls_in_their_form(driver: Driver) -> str:
    if not driver.offers(*QUEUE.ops):
        return "it has no queue"
    driver.make_queue()
    length = driver.call("p1", "len")
    closing = driver.call("p1", "shutting_down")
    driver.call("p1", "add", item=ITEM, extra=1)
    got = driver.conversation.start("get", lane="w1")
    driver.settle()
    reply = driver.conversation.seen(got, NOTHING)
    if reply is None:
        raise Doubt(
            "an item has been added, and Get does not return: either it is not called, or the queue has lost it"
        )
    item, shutdown = driver.value("get", reply)
    if item != ITEM and not shutdown:
        if str(item).startswith(ITEM[:3]):
            raise Ill(
                f"it was given the item {ITEM!r} and handed out {item!r}: read and write UTF-8, and change nothing in a string"
            )
        raise Doubt(f"it was given the item {ITEM!r} and handed out {item!r}")
    driver.call("w1", "done", item=ITEM)
    if length or closing or shutdown:
        raise Doubt(
            f"a fresh queue has a length of {length}, and {'is' if closing or shutdown else 'is not'} shutting down"
        )
    return "also Unicode"


def reads_on_while_a_call_waits(driver: Driver) -> str:
    if not driver.offers(*QUEUE.ops):
        return "it has no queue"
    driver.make_queue()
    waits = driver.conversation.start("get", lane="w1")
    try:
        driver.settle()
        early = driver.conversation.seen(waits, NOTHING)
        driver.call("p1", "add", item="a")
    except Ill:
        if driver.conversation.going:
            raise Ill(
                "it answers nothing while a Get waits: give each lane a thread, goroutine or task of its own, and "
                "read on meanwhile"
            ) from None
        raise
    if early is not None:
        driver.value("get", early)
        raise Doubt(
            "a Get of an empty queue returns at once, where it should wait: is it answered before it returns?"
        )
    driver.value("get", driver.returned(waits, "a Get that waited when an item was added"))
    return ""


def settles_when_nothing_moves(driver: Driver) -> str:
    if not driver.can("settle"):
        return "not claimed"
    if not driver.offers(*QUEUE.ops):
        driver.settle()
        return ""
    driver.make_queue()
    rounds = ROUNDS if _usual(driver) < SLOW else FEW
    for round_ in range(rounds):
        waits = driver.conversation.start("get", lane="w1")
        driver.settle()
        driver.conversation.start("add", lane="p1", item=f"item-{round_}")
        settled = driver.settle()
        reply = driver.conversation.seen(waits)
        if reply is None or reply.number > settled.number:
            if driver.conversation.seen(waits, NOTHING) is None:
                raise Doubt("an item has been added while a Get waited, and it waits still")
            raise Ill(
                "it answers settle before a Get that was about to return: answer settle only when every lane "
                "is idle or blocked inside the candidate, and its answer has been written"
            )
        driver.value("get", reply)
        driver.call("w1", "done", item=reply.val["item"])
    return f"{rounds} times"


def begins_anew(driver: Driver) -> str:
    if not driver.offers(*QUEUE.ops):
        return "it has no queue"
    fresh = _first_looks(driver)
    driver.call("p1", "add", item=OLD)
    driver.call("p1", "shut_down")
    if _first_looks(driver) != fresh:
        raise Ill(
            "after new it is not as it was at first, for something of the candidate before is left: make a new "
            "one each time, and keep nothing"
        )
    waits = driver.conversation.start("get", lane="w1")
    driver.settle()
    got = driver.conversation.seen(waits, NOTHING)
    if got is not None and driver.value("get", got)[0] == OLD:
        raise Ill("what was added before new is handed out after it: make a new candidate each time")
    driver.make_queue()
    in_its_lane = driver.conversation.start("len", lane="w1")
    driver.call("p1", "len")
    if driver.conversation.seen(in_its_lane, driver.conversation.patience) is None:
        driver.conversation.look()
        raise Ill(
            "after new, its lane w1 still waits in a call of the candidate before: begin with new lanes at each "
            "new, and leave the calls that still wait to themselves"
        )
    return ""


def _first_looks(driver: Driver) -> tuple[Any, Any]:
    driver.make_queue()
    return driver.call("p1", "len"), driver.call("p1", "shutting_down")


def moves_its_clock(driver: Driver) -> str:
    if not driver.can("virtual_clock"):
        return "not claimed"
    delays = "delay" in driver.offered and driver.make("delay").ok
    if not delays:
        driver.make_any()
    before = driver.reading(driver.well("advance", ns=MILLISECOND))
    time.sleep(NOTHING)
    still = driver.reading(driver.settle()) if driver.can("settle") else before
    if still != before:
        raise Ill(
            f"its clock went on by {still - before} ns by itself: a virtual clock moves only by advance"
        )
    after = driver.reading(driver.well("advance", ns=SECOND))
    resolution = (driver.hello["capabilities"]).get("resolution_ns") or 1
    if abs(after - before - SECOND) >= resolution:
        moved = "did not move" if after == before else f"moved by {after - before} ns"
        raise Ill(
            f"it was asked to advance by {SECOND} ns, and its clock {moved}: move the clock that the candidate "
            "reads, or do not claim virtual_clock"
        )
    if delays:
        _fires_after_a_second(driver)
    return ""


def _fires_after_a_second(driver: Driver) -> None:
    """Whether the clock that is told of is the one that the candidate has."""
    waits = driver.conversation.start("get", lane="w1")
    driver.call("p1", "add_after", item="late", ns=SECOND)
    driver.settle()
    driver.well("advance", ns=2 * SECOND)
    if driver.conversation.seen(waits, NOTHING) is None:
        raise Doubt(
            "two seconds after it has been added with a delay of one, an item is not handed out: does the "
            "candidate read the clock that advance moves?"
        )


def sets_its_clock(driver: Driver) -> str:
    if not driver.can("step"):
        return "not claimed"
    driver.make_any()
    readings = []
    for span in (0, *STEPS):
        reply = driver.conversation.ask("step", ns=span)
        if reply.refused:
            return "refused for what it makes first"
        if not reply.ok:
            raise Ill(f"it claims step, and answers it with an error: {reply.text}")
        readings.append(driver.reading(reply))
    for (before, after), span in zip(pairwise(readings), STEPS, strict=True):
        if after != before + span:
            raise Ill(
                f"it was asked to step by {span} ns, and its wall clock moved by {after - before} ns: set the "
                "clock that the candidate reads, or do not claim step"
            )
    return ""


def has_the_ops_it_claims(driver: Driver) -> str:
    called: set[str] = set()
    for name in driver.offered:
        if driver.make(name).ok:
            for op, fields in SAMPLES[name].calls:
                driver.call("p1", op, **fields)
                called.add(op)
    return f"{len(called)} of them called"


def runs_programs_at_once(driver: Driver) -> str:
    if not driver.can("burst"):
        return "not claimed"
    if not driver.offers(*QUEUE.ops):
        return "it has no queue"
    driver.make_queue()
    programs = {"w1": [["get"], ["done"], ["get"]], "p1": [["add", "a"], ["add", "b"]]}
    answer = driver.well("burst", programs=programs, seed=1).val
    calls = answer.get("calls") if isinstance(answer, dict) else None
    if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
        raise Ill(
            f'it answers burst with {json.dumps(answer)}: {{"calls": […]}} is due, a history of all that was called'
        )
    _look_at_stamps(calls)
    added = [call.get("item") for call in calls if call.get("lane") == "p1" and call.get("op") == "add"]
    if added != ["a", "b"]:
        raise Ill(
            f"a burst was to add a and b on lane p1, and its history tells of {json.dumps(added)}: tell each call, with lane, op and item"
        )
    if not any(call.get("lane") == "w1" and call.get("op") == "get" for call in calls):
        raise Ill(
            "a burst was to call Get on lane w1, and its history does not tell of it: tell each call, also one that has not returned"
        )
    return ""


def _look_at_stamps(calls: Sequence[Mapping[str, Any]]) -> None:
    stamps = [call.get(key) for call in calls for key in ("start", "end")]
    for call in calls:
        start, end = call.get("start"), call.get("end")
        if not isinstance(start, int) or not (end is None or (isinstance(end, int) and end > start)):
            raise Ill(
                f"a burst tells of {json.dumps(call)}: start is due, drawn before the call, and a greater end, drawn "
                "after it, or null for a call that has not returned"
            )
    drawn = [stamp for stamp in stamps if stamp is not None]
    if len(set(drawn)) != len(drawn):
        raise Ill(
            "two stamps of a burst are the same: draw all of them from one counter, of which each number is drawn once"
        )


def answers_in_time(driver: Driver) -> str:
    usual = _usual(driver)
    if usual > SLOW:
        raise Doubt(
            f"it takes {usual * 1000:.0f} ms for an answer, and a run asks thousands of times: is it sleeping, "
            "or its output buffered?"
        )
    return f"{usual * 1000:.1f} ms for an answer"


def _usual(driver: Driver) -> float:
    return median(driver.conversation.took)


def goes_when_told(driver: Driver) -> str:
    bye = driver.conversation.start("bye")
    answered = driver.conversation.seen(bye, PARTING)
    how = driver.conversation.ended(PARTING)
    if not how:
        raise Ill(
            f"{PARTING:g} s after bye it is still there: answer null, and exit with status 0, whoever still waits "
            "in the candidate"
        )
    if how not in ("exited with 0", "closed the connection"):
        raise Ill(f"after bye it {how}: exit with status 0")
    if answered is None or not answered.ok:
        raise Ill("it goes at bye without a good answer: answer null first, and flush it")
    return ""


LOOKS: Mapping[str, Callable[[Driver], str]] = {
    "says hello": says_hello,
    "refuses what it does not know": refuses_what_it_does_not_know,
    "makes what it offers": makes_what_it_offers,
    "answers calls in their form": answers_calls_in_their_form,
    "reads on while a call waits": reads_on_while_a_call_waits,
    "settles when nothing moves": settles_when_nothing_moves,
    "begins anew": begins_anew,
    "moves its clock": moves_its_clock,
    "sets its clock": sets_its_clock,
    "has the ops it claims": has_the_ops_it_claims,
    "runs programs at once": runs_programs_at_once,
    "answers in time": answers_in_time,
    "goes when told": goes_when_told,
}


def _and(words: Any) -> str:
    *others, last = list(words) or ["nothing"]
    return f"{', '.join(others)} and {last}" if others else str(last)
