"""A driver whose answers are right, but for one that is given: python mutated.py NUMBER LINE, in Python's bytes."""

import ast
import json
import sys
from collections import deque

HELLO = {
    "protocol": 1,
    "name": "mutated",
    "ops": ["add", "get", "done", "len", "shut_down", "shutting_down"],
    "capabilities": {"virtual_clock": True, "settle": True},
}
queue = deque()


def answered(request):
    match request["op"]:
        case "hello":
            return HELLO
        case "add":
            return queue.append(request["item"])
        case "get":
            return {"item": queue.popleft(), "shutdown": False}
        case "new" | "settle":
            return {"now_ns": 1}
    return None


def lines(requests):
    for line in requests:
        request = json.loads(line)
        yield json.dumps({"id": request["id"], "ok": True, "val": answered(request)}).encode()


if __name__ == "__main__":
    number, mutated = int(sys.argv[1]), ast.literal_eval(sys.argv[2])
    for n, line in enumerate(lines(sys.stdin)):
        sys.stdout.buffer.write((mutated if n == number else line) + b"\n")
        sys.stdout.buffer.flush()
