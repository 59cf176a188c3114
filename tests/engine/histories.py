"""Histories written as text, for the tests of checks on histories."""

from stingy.language.call import Call
from stingy.language.model import SHUTDOWN, State, step

TAKES_AN_ITEM = ("add", "add_after", "done")


def calls(text):
    """Return the calls in a text such as ``p add a 1 2; w get 3 4 a; v get 5 6 shutdown; w get 7 -``.

    Each call has a lane, an op, an item if the op takes one, a start, an end and an answer. The end
    of a call that never returns is ``-``.
    """
    return [read_call(line) for line in text.split(";") if line.strip()]


def read_call(line):
    lane, op, *rest = line.split()
    item = rest.pop(0) if op in TAKES_AN_ITEM else None
    start, end, *answer = rest
    said = answer[0] if answer else None
    shutdown = said == "shutdown"
    result = {"shutdown": None, "True": True, "False": False}.get(said, said)
    result = int(said) if op == "len" and said else result
    return Call(lane, op, item, int(start), None if end == "-" else int(end), result, shutdown=shutdown)


OPS = ("add", "add", "get", "get", "done", "shut_down", "shutting_down", "len")


def overlapping(random, most):
    """Return up to ``most`` random calls of four lanes, and the state of the model after them.

    Each call takes effect in the model at a moment between its start and its end, so some order
    explains them.
    """
    state, made, free, held, now = State(), [], dict.fromkeys("vwxy", 0), {}, 0
    for _ in range(random.randint(1, most)):
        lane, op = random.choice(sorted(free)), random.choice(OPS)
        now += random.randint(1, 5)
        moment = now * 10
        if (op in ("get", "done") and (op == "done") != (lane in held)) or free[lane] >= moment:
            continue
        item = held.get(lane) if op == "done" else random.choice("ab") if op == "add" else None
        taken = state.queue[0] if state.queue else SHUTDOWN
        answers = {"get": taken, "shutting_down": state.shutting_down, "len": len(state.queue)}
        after = step(state, op, item, answers.get(op))
        if after is None:
            continue
        state, home = after, op == "get" and taken is SHUTDOWN
        start, free[lane] = random.randint(free[lane] + 1, moment), moment + random.randint(1, 40)
        if op == "get" and not home:
            held[lane] = taken
        elif op == "done":
            del held[lane]
        answer = None if home else answers.get(op)
        made.append(Call(lane, op, item, start, free[lane], answer, shutdown=home))
    return made, state
