"""Drivers with one fault each, which the name states: ``python ailing.py NAME``.

They serve a small queue of their own, without threads: a Get that has to wait is kept until there
is an item.
"""

import ast
import json
import os
import select
import signal
import sys
import threading
import time
from pathlib import Path

SECOND = 1_000_000_000


class Right:
    """Driver without a fault."""

    ops = ("add", "get", "done", "len", "shut_down", "shutting_down")
    claims = ("virtual_clock", "settle", "burst", "step")

    def __init__(self):
        self.now = 1_700_000_000 * SECOND
        self.begin()

    def begin(self):
        self.queue, self.dirty, self.processing, self.closing = [], set(), set(), False
        self.waiting = []

    def serve(self):
        for line in sys.stdin:
            self.handle(json.loads(line))

    def handle(self, request):
        about = getattr(self, "on_" + request["op"], self.on_unknown)
        about(request["id"], request)
        self.hand_out()

    def write(self, text):
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()

    def say(self, message):
        self.write(json.dumps(message) + "\n")

    def answer(self, id_, val=None):
        self.say({"id": id_, "ok": True, "val": val})

    def refuse(self, id_, kind, text):
        self.say({"id": id_, "ok": False, "error": {"kind": kind, "text": text}})

    def on_unknown(self, id_, request):
        self.refuse(id_, "unsupported", request["op"])

    def hello(self):
        capabilities = dict.fromkeys(self.claims, True) | {"resolution_ns": 1}
        return {"protocol": 1, "name": "ailing", "ops": self.ops, "capabilities": capabilities}

    def on_hello(self, id_, request):
        self.answer(id_, self.hello())

    def on_new(self, id_, request):
        if request["impl"] == "work_queue":
            self.begin()
            self.answer(id_, self.clock())
        else:
            self.refuse(id_, "unsupported", request["impl"])

    def clock(self):
        return {"now_ns": self.now}

    def on_settle(self, id_, request):
        self.answer(id_, self.clock())

    def on_advance(self, id_, request):
        self.now += request["ns"]
        self.answer(id_, self.clock())

    on_step = on_advance

    def on_burst(self, id_, request):
        """Run one lane after the other, as a valid but simple burst; a Get that would wait does not return."""
        calls = []
        for lane, program in sorted(request["programs"].items()):
            for op, *item in program:
                call = {"lane": lane, "op": op, "item": item[0] if item else None, "start": 2 * len(calls)}
                calls.append(call | {"end": None if op == "get" else 2 * len(calls) + 1})
                if op == "get":
                    break
        self.answer(id_, {"calls": calls})

    def on_bye(self, id_, request):
        self.answer(id_)
        sys.exit(0)

    def on_add(self, id_, request):
        self.add(request["item"])
        self.answer(id_)

    def add(self, item):
        if not self.closing and item not in self.dirty:
            self.dirty.add(item)
            if item not in self.processing:
                self.queue.append(item)

    def on_get(self, id_, request):
        self.waiting.append(id_)

    def hand_out(self):
        while self.waiting and (self.queue or self.closing):
            item = self.queue.pop(0) if self.queue else None
            self.dirty.discard(item)
            self.processing.add(item)
            self.answer(self.waiting.pop(0), {"item": item, "shutdown": item is None})

    def on_done(self, id_, request):
        self.processing.discard(request["item"])
        if request["item"] in self.dirty:
            self.queue.append(request["item"])
        self.answer(id_)

    def on_len(self, id_, request):
        self.answer(id_, len(self.queue))

    def on_shut_down(self, id_, request):
        self.closing = True
        self.answer(id_)

    def on_shutting_down(self, id_, request):
        self.answer(id_, self.closing)


def but(base=Right, **different):
    """Return a driver that differs from another one in these methods or attributes."""
    return type("Driver", (base,), different)


def hello(**different):
    """Return a driver whose hello differs in these keys."""
    return but(hello=lambda it: Right.hello(it) | different)


def dies(text, status):
    def about(*_):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGABRT) if status is None else sys.exit(status)

    return about


def nests(depth, place="on_add"):
    def about(it, id_, request):
        it.write(f'{{"id": {id_}, "ok": true, "val": {"[" * depth}{"]" * depth}}}\n')

    return but(**{place: about})


def writes_without_end(it, *_):
    while True:
        it.write("x" * (1 << 20))


def write_latin_1(it, text):
    sys.stdout.buffer.write(text.replace("ailing", "Grüße").encode("latin-1"))
    sys.stdout.buffer.flush()


def say_hello_once(it, request):
    """End at the first request after hello; the next process says nothing."""
    said = Path(sys.argv[2])
    if request["op"] != "hello":
        os._exit(3)
    if said.exists():
        time.sleep(60)
    said.touch()
    Right.handle(it, request)


class DoesNotFlush(Right):
    kept = ""

    def write(self, text):
        self.kept += text

    def serve(self):
        super().serve()
        super().write(self.kept)


class ReadsAheadAndWaits(Right):
    """Waits for input although its reader may hold a further request."""

    def serve(self):
        while select.select([sys.stdin], [], []) and (line := sys.stdin.readline()):
            self.handle(json.loads(line))


class AnswersOnceAsTold(Right):
    """Driver whose answer with a given number is a given line.

    The line is a literal of Python's bytes: ``python ailing.py AnswersOnceAsTold NUMBER LINE``.
    """

    lines = 0

    def write(self, text):
        told = self.lines == int(sys.argv[2])
        self.lines += 1
        sys.stdout.buffer.write(ast.literal_eval(sys.argv[3]) + b"\n" if told else text.encode())
        sys.stdout.buffer.flush()


class Chooses(Right):
    """Driver without a fault that follows a given order; it has only one order."""

    times = 0

    def hello(self):
        told = super().hello()
        told["capabilities"]["schedules"] = {
            "by": ["choices", "seed"],
            "packages": ["queue"],
            "uncontrolled": [],
        }
        return told

    def answer(self, id_, val=None):
        if isinstance(val, dict) and "calls" in val:
            self.times += 1
            val["choices"] = self.choices()
        super().answer(id_, val)

    def choices(self):
        return [["p1", 1], ["w1", None]]


class KeepsItems(Right):
    def begin(self):
        kept = getattr(self, "queue", [])
        super().begin()
        for item in kept:
            self.add(item)


class KeepsShuttingDown(Right):
    def begin(self):
        closing = getattr(self, "closing", False)
        super().begin()
        self.closing = closing


class KeepsLanesBusy(Right):
    """Never uses a lane again whose call has not returned."""

    lanes = ()

    def begin(self):
        self.busy = set(self.lanes)
        super().begin()

    def handle(self, request):
        if request.get("lane") not in self.busy:
            super().handle(request)

    def on_get(self, id_, request):
        super().on_get(id_, request)
        self.lanes = (request["lane"],)

    def answer(self, id_, val=None):
        super().answer(id_, val)
        if isinstance(val, dict) and "item" in val:
            self.lanes = ()


class ReleasesOldCalls(Right):
    """Answers, at new, the calls that still wait."""

    def on_new(self, id_, request):
        released = self.waiting
        super().on_new(id_, request)
        for old in released:
            self.answer(old, {"item": None, "shutdown": True})


class StandsStillWhileAGetWaits(Right):
    def hand_out(self):
        super().hand_out()
        while self.waiting:
            time.sleep(1)


class SettlesTooEarly(Right):
    """Hands an item out after it has answered settle."""

    def hand_out(self):
        if self.waiting and self.queue:
            threading.Timer(0.01, super().hand_out).start()


class DrivesOneThatNeverWaits(Right):
    def hand_out(self):
        while self.waiting:
            self.answer(self.waiting.pop(0), {"item": "phantom", "shutdown": False})


class DrivesOneThatBlocksWhileAGetWaits(Right):
    def handle(self, request):
        if not (request["op"] in self.ops and request["op"] != "get" and self.waiting):
            super().handle(request)


ADD = {"lane": "p1", "op": "add", "item": "a"}
DRIVERS = {
    # Faults of lines and answers.
    "Silent": but(write=lambda it, text: None),
    "SleepsAtHello": but(handle=lambda it, request: time.sleep(60)),
    "SaysHelloOnce": but(handle=say_hello_once),
    "WritesNoNewline": but(write=lambda it, text: Right.write(it, text.rstrip("\n"))),
    "WritesHalfALine": but(write=lambda it, text: Right.write(it, text[: len(text) // 2])),
    "EndsLinesWithCrLf": but(write=lambda it, text: Right.write(it, text.replace("\n", "\r\n"))),
    "WritesAByteOrderMark": but(on_hello=lambda it, *asked: it.write("\ufeff") or Right.on_hello(it, *asked)),
    "WritesLatin1": but(write=write_latin_1),
    "WritesOverSeveralLines": but(say=lambda it, message: it.write(json.dumps(message, indent=2) + "\n")),
    "WritesTwoOnALine": but(say=lambda it, message: it.write(json.dumps(message) * 2 + "\n")),
    "WritesALineWithoutEnd": but(on_add=writes_without_end),
    "NestsWithoutEnd": nests(100_000),
    "NestsDeep": nests(900, "on_get"),
    "PrintsAtHello": but(on_hello=lambda it, *_: it.write("Hello, world!\n")),
    "PrintsWhatItDoes": but(
        on_add=lambda it, id_, asked: it.write(f"adding {asked['item']}\n") or Right.on_add(it, id_, asked)
    ),
    "AnswersTwice": but(on_add=lambda it, id_, asked: Right.on_add(it, id_, asked) or it.answer(id_)),
    "AnswersAnotherRequest": but(on_add=lambda it, id_, asked: Right.on_add(it, id_ + 1000, asked)),
    "TurnsIdsIntoTexts": but(answer=lambda it, id_, val=None: Right.answer(it, str(id_), val)),
    "SaysNoOk": but(say=lambda it, message: Right.say(it, {k: v for k, v in message.items() if k != "ok"})),
    "RefusesInItsOwnWords": but(
        refuse=lambda it, id_, kind, text: it.say({"id": id_, "ok": False, "error": f"{kind}: {text}"})
    ),
    "Garbles": but(add=lambda it, item: Right.add(it, item.encode("ascii", "replace").decode())),
    "Slow": but(handle=lambda it, request: time.sleep(0.06) or Right.handle(it, request)),
    "DiesAtHello": but(on_hello=dies("cannot find my library", 7)),
    "PanicsAtHello": but(on_hello=dies("panic: no configuration", 2)),
    "Dies": but(on_add=dies("Segmentation fault", 3)),
    "Aborts": but(on_add=dies("goroutine 1 [running]", None)),
    # Faults in the greeting.
    "SpeaksAnotherProtocol": hello(protocol=2),
    "IsTakenForAList": but(hello=lambda it: list(Right.hello(it))),
    "HasNoName": hello(name=None),
    "MisspellsAnOp": but(ops=(*Right.ops[:4], "shutDown", "shutting_down")),
    "MisspellsACapability": but(claims=("virtualClock", "settle")),
    "ClaimsInWords": hello(capabilities={"settle": "yes"}),
    "OffersTooLittle": but(ops=("add", "get", "done")),
    "ComesFromTheFuture": hello(kubernetes="newest"),
    "ClaimsWhatItRefuses": but(ops=(*Right.ops, "shut_down_with_drain")),
    # Faults of clocks.
    "ClaimsAClockThatStandsStill": but(on_advance=lambda it, id_, _: it.answer(id_, it.clock())),
    "ClaimsAClockThatGoesByItself": but(clock=lambda it: {"now_ns": time.time_ns()}),
    "ClaimsAClockThatIsNotRead": but(clock=lambda it: None),
    "StepsTheWrongWay": but(on_step=lambda it, id_, asked: it.on_advance(id_, {"ns": -asked["ns"]})),
    "TurnsItsClockBack": but(clock=lambda it: setattr(it, "now", it.now - 1) or {"now_ns": it.now}),
    "ShowsATimeThatIsNone": but(clock=lambda it: {"now_ns": 1e30}),
    "ShowsATimeBeyondAll": but(on_settle=lambda it, id_, _: it.answer(id_, {"now_ns": 10**30})),
    # Faults of bursts.
    "BurstsWithoutStamps": but(on_burst=lambda it, id_, _: it.answer(id_, {"calls": [ADD]})),
    "BurstsWithStampsDrawnTwice": but(
        on_burst=lambda it, id_, _: it.answer(
            id_, {"calls": [ADD | {"item": item, "start": 1, "end": 2} for item in "ab"]}
        )
    ),
    "TellsNoChoices": but(Chooses, choices=lambda it: None),
    "GoesAnotherWayEachTime": but(Chooses, choices=lambda it: [["p1", it.times]]),
    "CannotMakeACallInABurst": but(
        on_burst=lambda it, id_, _: it.refuse(id_, "unsupported", "start in a burst")
    ),
    "ForgetsCallsOfABurst": but(on_burst=lambda it, id_, _: it.answer(id_, {"calls": []})),
    # Faults of single ops.
    "AnswersOkToEverything": but(
        handle=lambda it, asked: it.answer(asked["id"], it.hello() if asked["op"] == "hello" else None)
    ),
    "MakesWhateverIsAskedFor": but(on_new=lambda it, id_, _: Right.on_new(it, id_, {"impl": "work_queue"})),
    "AnswersUnknownOps": but(on_unknown=lambda it, id_, _: it.answer(id_)),
    "RefusesAsRaised": but(refuse=lambda it, id_, kind, text: Right.refuse(it, id_, "raised", text)),
    "RefusesAdd": but(on_add=Right.on_unknown),
    "MakesNothing": but(on_new=Right.on_unknown),
    "HasFormsOfItsOwn": but(on_len=lambda it, id_, _: it.answer(id_, str(len(it.queue)))),
    "HandsOutInAFormOfItsOwn": but(on_get=lambda it, id_, _: it.answer(id_, {"value": "a"})),
    "MakesNoSenseOfDone": but(on_done=lambda it, id_, _: it.refuse(id_, "protocol", "no key")),
    "StaysAfterBye": but(on_bye=lambda it, id_, _: it.answer(id_)),
    "FailsAfterBye": but(on_bye=lambda it, id_, _: it.answer(id_) or os._exit(5)),
    "GoesWithoutAWord": but(on_bye=lambda it, id_, _: os._exit(0)),
    # Drivers without a fault that serve a faulty queue.
    "DrivesOneThatLosesItems": but(add=lambda it, item: None),
    "DrivesOneThatCountsWrongly": but(on_len=lambda it, id_, _: it.answer(id_, 7)),
    "DrivesOneThatRaises": but(on_done=lambda it, id_, _: it.refuse(id_, "raised", "KeyError")),
}


if __name__ == "__main__":
    name = sys.argv[1]
    (DRIVERS.get(name) or globals()[name])().serve()
