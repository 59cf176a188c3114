"""Judge races over a driver whose lanes run in chosen orders."""

import shlex

from stingy.contract import PROFILES
from stingy.guarantees import all_rules
from stingy.judging.trial import Judge, Trial
from stingy.judging.verdict import Finding
from stingy.language.order import Order
from stingy.transport import locate

WORK = "interleavings/work-is-done-in-every-order"
SHUTDOWN = "interleavings/work-ends-in-every-order"
HOME = "interleavings/nobody-is-sent-home-unasked"
EXPLAINED = "interleavings/some-order-of-the-calls-explains-every-answer"
SUCCESSION = "succession/what-was-added-can-be-taken-at-once"
COUNT = "layers/whatever-is-done-a-queue-keeps-count"
MANY = {"producer": [("add", str(number)) for number in range(8_000)]}


def command(*words):
    return "cmd:" + shlex.join(map(str, words))


def reaching(*words):
    """Yield a function that starts this driver with further words; each candidate is closed at the end."""
    opened = []

    def reach(*further):
        opened.append(locate(command(*words, *further)))
        return opened[-1]

    yield reach
    for candidate in opened:
        candidate.close()


def returned(candidate, lanes):
    """Return how many calls of these lanes return in a race."""
    session = candidate.open(PROFILES["queue"])
    returned = sum(call.end is not None for call in session.race(lanes, Order(1)))
    session.close()
    return returned


def broken(candidate, id_, seed=1):
    """Return the first verdict on a row of this rule that is not PASS; None if all rows pass."""
    rule = all_rules()[id_]
    verdicts = (Trial(candidate, seed).judge(rule, row) for row in rule.cases)
    return next((verdict for verdict in verdicts if verdict.verdict is not Finding.PASS), None)


def first(candidate, id_=WORK):
    """Return the verdict on the first row of this rule."""
    rule = all_rules()[id_]
    return Trial(candidate, 1).judge(rule, rule.cases[0])


def again(candidate, verdict, seed=1):
    """Return the verdict on the same row, run in the order of the given verdict."""
    rule = all_rules()[verdict.rule]
    row = next(row for row in rule.cases if row is None or row.name == verdict.case)
    return Judge(candidate, seed).again(rule, row, verdict.order)


def told(verdict):
    return "\n".join(str(line) for line in verdict.story)
