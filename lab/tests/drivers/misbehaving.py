"""Drivers that misbehave, each in the way its name says: python misbehaving.py NAME."""

import json
import os
import signal
import sys
import time
from pathlib import Path

HELLO = {
    "protocol": 1,
    "name": "misbehaving",
    "ops": ["add", "get", "done", "len", "shut_down", "shutting_down"],
    "capabilities": {"virtual_clock": True, "settle": True, "burst": False, "resolution_ns": 1},
}


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def answer(id_, val=None):
    say(json.dumps({"id": id_, "ok": True, "val": val}))


def dies_at_hello(_):
    sys.stderr.write("cannot find my library\n")
    sys.exit(7)


def panics_at_hello(_):
    sys.stderr.write("panic: no configuration\n")
    sys.exit(2)


def prints_at_hello(_):
    say("Hello, world!")


def speaks_another_protocol(request):
    answer(request["id"], HELLO | {"protocol": 2})


def says_nothing(_):
    time.sleep(60)


def says_hello_once(request):
    """And ends at whatever it is asked next."""
    said = Path(sys.argv[2])
    if request["op"] != "hello":
        os._exit(3)
    if said.exists():
        time.sleep(60)
    said.touch()
    polite(request)


def polite(request):
    """Not what is wrong: hello and new go well."""
    if request["op"] in ("hello", "new"):
        answer(request["id"], HELLO if request["op"] == "hello" else {"now_ns": 1})
        return True
    return False


def dies_at_add(request):
    if not polite(request):
        sys.stderr.write("goroutine 1 [running]\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGABRT)


def prints_at_add(request):
    if not polite(request):
        say(f"adding {request.get('item')}")


def writes_a_line_without_end(request):
    if not polite(request):
        while True:
            sys.stdout.write("x" * (1 << 20))


def nested(request, depth):
    if not polite(request):
        say(
            json.dumps({"id": request["id"], "ok": True}).replace(
                "}", f', "val": {"[" * depth}{"]" * depth}}}'
            )
        )


def nests_without_end(request):
    nested(request, 100_000)


def nests_deep(request):
    nested(request, 900)


def answers_twice(request):
    if not polite(request):
        answer(request["id"])
        answer(request["id"])


def answers_another_request(request):
    if not polite(request):
        answer(request["id"] + 1000)


def refuse(request, text):
    say(json.dumps({"id": request["id"], "ok": False, "error": {"kind": "unsupported", "text": text}}))


def refuses_new(request):
    if request["op"] == "hello":
        answer(request["id"], HELLO)
    else:
        refuse(request, "no such impl")


def refuses_add(request):
    if request["op"] == "add":
        refuse(request, "no such call")
    elif not polite(request):
        answer(request["id"], {"now_ns": 1})


def forms_of_its_own(request):
    if not polite(request):
        answer(request["id"], {"value": "a"} if request["op"] == "get" else {"now_ns": 1})


def shows(request, clock):
    """In every answer that says what time it is."""
    if request["op"] == "hello":
        answer(request["id"], HELLO | {"capabilities": {"settle": True, "virtual_clock": True}})
    elif request["op"] in ("new", "settle", "advance"):
        answer(request["id"], {"now_ns": clock})
    elif not polite(request):
        answer(request["id"], None)


def turns_its_clock_back(request):
    shows(request, 10**18 - request["id"])


def shows_a_time_that_is_none(request):
    shows(request, 1e30)


def shows_a_time_beyond_all(request):
    shows(request, 10**30 if request["op"] == "settle" else 1)


def tells_half_of_a_burst(request):
    if request["op"] == "hello":
        answer(request["id"], HELLO | {"capabilities": {"settle": True, "burst": True}})
    elif request["op"] == "burst":
        answer(request["id"], {"calls": [{"lane": "p1", "op": "add", "item": "a"}]})
    elif not polite(request):
        answer(request["id"], {"now_ns": 1})


if __name__ == "__main__":
    misbehave = globals()[sys.argv[1]]
    for line in sys.stdin:
        misbehave(json.loads(line))
