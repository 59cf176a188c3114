"""A driver for a candidate in Python: the in-process transport at the other end of a pipe.

python served.py stingy_reference
"""

import json
import sys

from msgspec import convert

from stingy.contract import PROFILES, EndpointSlice, Pod, Service, forms
from stingy.contract.ops import OPS, READ_AGAIN
from stingy.engine.strategies import Sparse
from stingy.language.order import Order
from stingy.language.session import CandidateError, NotOffered
from stingy.transport import locate

OUT = sys.stdout
sys.stdout = sys.stderr


def answer(id_, val=None, error=None):
    text = {"id": id_, "ok": error is None}
    text |= {"val": val} if error is None else {"error": error}
    OUT.write(json.dumps(text) + "\n")
    OUT.flush()


TYPES = {forms.Slice: EndpointSlice, forms.Service: Service, list[forms.Pod]: list[Pod]}
"""Class that a candidate gets for each form of the protocol."""


def arguments(op, request):
    given = ((it.form, request[it.key]) for it in OPS[op].arguments if it.key in request)
    return [program(told) if form is forms.Program else as_given(form, told) for form, told in given]


def as_given(form, told):
    return convert(told, TYPES[form]) if form in TYPES else told


def program(told):
    arrivals = [
        forms.Arrival(it["op"], as_given(forms.Slice, it["slice"])) for it in told.get("meanwhile", ())
    ]
    return forms.Program(**told | {"meanwhile": arrivals})


def step(op, *goes_with):
    keys = goes_with and isinstance(goes_with[0], dict)
    return op, *(arguments(op, goes_with[0]) if keys else goes_with)


class Served:
    def __init__(self, target):
        self.candidate = locate(target)
        self.offered = {}
        self.session = None
        self.waiting = {}
        self.handed_over = []

    def handle(self, request):
        call = self.call if request["op"] in OPS else self.refuse
        getattr(self, "on_" + request["op"], call)(request["id"], request)
        if self.session is not None:
            self.flush()

    def on_hello(self, id_, _):
        offered = [profile for profile in PROFILES.values() if self.offers(profile)]
        ops = sorted({op for profile in offered for op in profile.ops | profile.tells} | {READ_AGAIN})
        claims = dict.fromkeys(("virtual_clock", "settle", "burst", "step", "meanwhile"), True)
        told = {"protocol": 1, "name": "served", "version": "1", "ops": ops}
        answer(id_, told | {"capabilities": claims | {"cancel": False, "resolution_ns": 1}})

    def offers(self, profile):
        if profile.name not in self.offered:
            self.offered[profile.name] = self.opens(profile)
        return self.offered[profile.name]

    def opens(self, profile):
        try:
            self.candidate.open(profile).close()
        except NotOffered:
            return False
        except CandidateError:
            return True  # it needs arguments, which come with new
        return True

    def on_new(self, id_, request):
        if self.session is not None:
            self.session.close()
            self.session = None
        options = request["options"]
        told = options.keys() | {"reconcile"}
        fitting = [
            p for p in PROFILES.values() if p.maker == request["impl"] and p.takes <= told and self.offers(p)
        ]
        if not fitting:
            answer(id_, error={"kind": "unsupported", "text": request["impl"]})
            return
        self.waiting = {}
        self.handed_over = []
        self.session = self.candidate.open(max(fitting, key=lambda p: (len(p.takes), len(p.ops))), options)
        answer(id_, {"now_ns": self.session.now_ns()})

    def on_settle(self, id_, _):
        self.session.settle()
        self.flush()
        answer(id_, {"now_ns": self.session.now_ns()})

    def on_advance(self, id_, request):
        self.session.advance(request["ns"])
        self.flush()
        answer(id_, {"now_ns": self.session.now_ns(), "steps": self.session.looks})

    def on_step(self, id_, request):
        self.session.step(request["ns"])
        answer(id_, {"now_ns": self.session.now_ns()})

    def on_burst(self, id_, request):
        programs = {
            lane: [step(*written) for written in program] for lane, program in request["programs"].items()
        }
        calls = self.session.race(programs, Order(0, Sparse(str(request["seed"]), 60, 4)))
        for call in calls:
            self.note(call.op, call.result)
        answer(id_, {"calls": [self.told(call) for call in calls]})

    def on_serve(self, id_, request):
        """Serve another candidate from now on; the client sends hello again."""
        if self.session is not None:
            self.session.close()
            self.session = None
        self.candidate.close()
        self.candidate = locate(request["target"])
        self.offered = {}
        answer(id_)

    def on_read_again(self, id_, request):
        answer(id_, self.value("checkout", self.handed_over[request["number"]]))

    def on_bye(self, id_, _):
        answer(id_)
        sys.exit(0)

    def refuse(self, id_, request):
        answer(id_, error={"kind": "unsupported", "text": request["op"]})

    def call(self, id_, request):
        self.waiting[id_] = (
            request["op"],
            self.session.call(request["lane"], request["op"], *arguments(request["op"], request)),
        )

    def flush(self):
        self.session.settle()
        for id_, (op, pending) in list(self.waiting.items()):
            if pending.returned:
                del self.waiting[id_]
                if pending.raised:
                    answer(id_, error={"kind": "raised", "text": pending.raised})
                else:
                    self.note(op, pending.value)
                    answer(id_, self.value(op, pending.value))

    def note(self, op, value):
        if op == "checkout":
            self.handed_over.append(value)

    def value(self, op, value):
        match op:
            case "get":
                return {"item": value[0], "shutdown": value[1]}
            case "get_with_priority":
                return {"item": value[0], "priority": value[1], "shutdown": value[2]}
            case "checkout":
                times = {service: list(times) for service, times in value.trigger_times.items()}
                return {"services": sorted(value.services), "trigger_times": times}
            case "metric":
                buckets = [[None if it == float("inf") else it, count] for it, count in value.buckets]
                told = {"name": value.name, "buckets": buckets, "count": value.count, "sum": value.sum}
                return told | {key: getattr(value, key) for key in ("kind", "labels") if hasattr(value, key)}
        return value

    def told(self, call):
        told = {"lane": call.lane, "op": call.op, "item": call.item, "start": call.start, "end": call.end}
        if call.raised:
            return told | {"error": {"kind": "raised", "text": call.raised}}
        if OPS[call.op].hands_out:
            return told | {"val": {"item": call.result, "shutdown": call.shutdown}}
        return told | {"val": self.value(call.op, call.as_returned)}


def serve(served):
    for line in sys.stdin:
        served.handle(json.loads(line))


if __name__ == "__main__":
    serve(Served(sys.argv[1]))
