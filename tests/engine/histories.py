"""Histories written as text, for the tests of what is found in them."""

from stingy.language.call import Call

TAKES_AN_ITEM = ("add", "add_after", "done")


def calls(text):
    """Return the calls of ``p add a 1 2; w get 3 4 a; v get 5 6 shutdown; w get 7 -``.

    Each has a lane, an op, an item if the op takes one, a start, an end or ``-``, and an answer, if it has one.
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
