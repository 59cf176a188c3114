"""Drivers that are right in all but one thing, which their name says: python ailing.py NAME.

They serve a little queue of their own, without threads: a Get that has to wait is kept until there is an item.
"""

import json
import os
import sys
import threading
import time

SECOND = 1_000_000_000


class Right:
    """Nothing is wrong with it."""

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
        """One lane after the other, which is a burst, if a dull one; a Get that would wait does not return."""
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


# How they speak.


class Silent(Right):
    def write(self, text):
        pass


class WritesNoNewline(Right):
    def write(self, text):
        super().write(text.rstrip("\n"))


class WritesHalfALine(Right):
    def write(self, text):
        super().write(text[: len(text) // 2])


class DoesNotFlush(Right):
    kept = ""

    def write(self, text):
        self.kept += text

    def serve(self):
        super().serve()
        super().write(self.kept)


class EndsLinesWithCrLf(Right):
    def write(self, text):
        super().write(text.replace("\n", "\r\n"))


class WritesAByteOrderMark(Right):
    def on_hello(self, id_, request):
        self.write("\ufeff")
        super().on_hello(id_, request)


class WritesLatin1(Right):
    def write(self, text):
        sys.stdout.buffer.write(text.replace("ailing", "Grüße").encode("latin-1"))
        sys.stdout.buffer.flush()


class WritesOverSeveralLines(Right):
    def say(self, message):
        self.write(json.dumps(message, indent=2) + "\n")


class WritesTwoOnALine(Right):
    def say(self, message):
        self.write(json.dumps(message) * 2 + "\n")


class WritesALineWithoutEnd(Right):
    def on_add(self, id_, request):
        while True:
            self.write("x" * (1 << 20))


class NestsWithoutEnd(Right):
    def on_add(self, id_, request):
        self.write(f'{{"id": {id_}, "ok": true, "val": {"[" * 100_000}{"]" * 100_000}}}\n')


class PrintsWhatItDoes(Right):
    def on_add(self, id_, request):
        self.write(f"adding {request['item']}\n")
        super().on_add(id_, request)


class AnswersTwice(Right):
    def on_add(self, id_, request):
        super().on_add(id_, request)
        self.answer(id_)


class AnswersAnotherRequest(Right):
    def on_add(self, id_, request):
        super().on_add(id_ + 1000, request)


class TurnsIdsIntoTexts(Right):
    def answer(self, id_, val=None):
        super().answer(str(id_), val)


class SaysNoOk(Right):
    def say(self, message):
        del message["ok"]
        super().say(message)


class RefusesInItsOwnWords(Right):
    def refuse(self, id_, kind, text):
        self.say({"id": id_, "ok": False, "error": f"{kind}: {text}"})


class Garbles(Right):
    def add(self, item):
        super().add(item.encode("ascii", "replace").decode())


class Slow(Right):
    def handle(self, request):
        time.sleep(0.06)
        super().handle(request)


class Dies(Right):
    def on_add(self, id_, request):
        sys.stderr.write("Segmentation fault\n")
        sys.exit(3)


# What they say of themselves.


class SpeaksAnotherProtocol(Right):
    def hello(self):
        return super().hello() | {"protocol": 2}


class IsTakenForAList(Right):
    def hello(self):
        return list(super().hello())


class HasNoName(Right):
    def hello(self):
        return super().hello() | {"name": None}


class MisspellsAnOp(Right):
    ops = (*Right.ops[:4], "shutDown", "shutting_down")


class MisspellsACapability(Right):
    claims = ("virtualClock", "settle")


class ClaimsInWords(Right):
    def hello(self):
        return super().hello() | {"capabilities": {"settle": "yes"}}


class OffersTooLittle(Right):
    ops = ("add", "get", "done")


class ComesFromTheFuture(Right):
    def hello(self):
        return super().hello() | {"kubernetes": "newest"}


class ClaimsWhatItRefuses(Right):
    ops = (*Right.ops, "shut_down_with_drain")


class ClaimsAClockThatStandsStill(Right):
    def on_advance(self, id_, request):
        self.answer(id_, self.clock())


class ClaimsAClockThatGoesByItself(Right):
    def clock(self):
        return {"now_ns": time.time_ns()}


class ClaimsAClockThatIsNotRead(Right):
    def clock(self):
        return None


class StepsTheWrongWay(Right):
    def on_step(self, id_, request):
        self.on_advance(id_, {"ns": -request["ns"]})


class SettlesTooEarly(Right):
    """What a Get hands out comes after settle has been answered."""

    def hand_out(self):
        if self.waiting and self.queue:
            threading.Timer(0.01, super().hand_out).start()


class BurstsWithoutStamps(Right):
    def on_burst(self, id_, request):
        self.answer(id_, {"calls": [{"lane": "p1", "op": "add", "item": "a"}]})


class BurstsWithStampsDrawnTwice(Right):
    def on_burst(self, id_, request):
        add = {"lane": "p1", "op": "add", "item": "a", "start": 1, "end": 2}
        self.answer(id_, {"calls": [add, add | {"item": "b"}]})


class Chooses(Right):
    """Nothing is wrong with it, and it can be told in which order to go on, of which there is one."""

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
            val["choices"] = self.choices()
        super().answer(id_, val)

    def choices(self):
        return [["p1", 1], ["w1", None]]


class TellsNoChoices(Chooses):
    def choices(self):
        return None


class GoesAnotherWayEachTime(Chooses):
    times = 0

    def choices(self):
        self.times += 1
        return [["p1", self.times]]


class ForgetsCallsOfABurst(Right):
    def on_burst(self, id_, request):
        self.answer(id_, {"calls": []})


# What they do.


class AnswersOkToEverything(Right):
    def handle(self, request):
        self.answer(request["id"], self.hello() if request["op"] == "hello" else None)


class MakesWhateverIsAskedFor(Right):
    def on_new(self, id_, request):
        super().on_new(id_, {"impl": "work_queue"})


class AnswersUnknownOps(Right):
    def on_unknown(self, id_, request):
        self.answer(id_)


class RefusesAsRaised(Right):
    def refuse(self, id_, kind, text):
        super().refuse(id_, "raised", text)


class MakesNothing(Right):
    def on_new(self, id_, request):
        self.on_unknown(id_, request)


class HasFormsOfItsOwn(Right):
    def on_len(self, id_, request):
        self.answer(id_, str(len(self.queue)))


class MakesNoSenseOfDone(Right):
    def on_done(self, id_, request):
        self.refuse(id_, "protocol", "no key")


class StandsStillWhileAGetWaits(Right):
    def hand_out(self):
        super().hand_out()
        while self.waiting:
            time.sleep(1)


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
    """A lane whose call has not returned is never used again."""

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
    """At new, it tells what becomes of the calls that wait."""

    def on_new(self, id_, request):
        released = self.waiting
        super().on_new(id_, request)
        for old in released:
            self.answer(old, {"item": None, "shutdown": True})


class StaysAfterBye(Right):
    def on_bye(self, id_, request):
        self.answer(id_)


class FailsAfterBye(Right):
    def on_bye(self, id_, request):
        self.answer(id_)
        os._exit(5)


class GoesWithoutAWord(Right):
    def on_bye(self, id_, request):
        os._exit(0)


# Nothing is wrong with these drivers, but with what they drive.


class DrivesOneThatLosesItems(Right):
    def add(self, item):
        pass


class DrivesOneThatNeverWaits(Right):
    def hand_out(self):
        while self.waiting:
            self.answer(self.waiting.pop(0), {"item": "phantom", "shutdown": False})


class DrivesOneThatBlocksWhileAGetWaits(Right):
    def handle(self, request):
        if not (request["op"] in self.ops and request["op"] != "get" and self.waiting):
            super().handle(request)


class DrivesOneThatCountsWrongly(Right):
    def on_len(self, id_, request):
        self.answer(id_, 7)


class DrivesOneThatRaises(Right):
    def on_done(self, id_, request):
        self.refuse(id_, "raised", "KeyError")


if __name__ == "__main__":
    globals()[sys.argv[1]]().serve()
