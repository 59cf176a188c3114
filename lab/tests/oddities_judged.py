"""Judge a part of the oddities: ``python oddities_judged.py PART PARTS FILE``.

This is a separate process, because oddities change the process that they run in. It writes JSON
into the file: for each oddity that is accused, the id of each rule that accuses it, and the reason.
"""

import json
import os
import re
import sys
from pathlib import Path

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Finding
from stingy.language import Level
from stingy.transport.inprocess import InProcess
from stingy_sound.oddities import oddities

SEED = 1
QUICK = [
    rule
    for rule in all_rules().values()
    if rule.level is Level.MUST and not rule.for_all and not re.search("/of-many-|/however-many-", rule.id)
]
"""Rules of level MUST that take one run.

Rules with drawn examples, or about thousands of items, are left out.
"""
OUTSIDE = {
    *("KeptByAManager", "ConditionOfProcesses", "TellsThroughAPipe", "SelectsAPipe"),
}
"""Oddities whose waits the engine cannot follow.

Each wait takes real time, so only the rules of one guarantee are tried.
"""
REAL_TIME = ("it cannot be controlled", "it reads no clock that can be moved")
"""Reasons for which a delay of an hour cannot be judged with real threads.

A rule that is undecided for any other reason counts as an accusation.
"""


def accusations(odd):
    """Return the findings of each rule against the class, with one order of each race."""
    candidate = InProcess(f"{odd.__module__}:{odd.__name__}", SEED)
    candidate.shrinks, candidate.share = False, 0.0
    judge = Judge(candidate, SEED, goes_on=False)
    rules = [rule for rule in QUICK if rule.guarantee == "handing_out" or odd.__name__ not in OUTSIDE]
    verdicts = [verdict for rule in rules for verdict in judge.verdicts(rule)]
    candidate.close()
    return {it.rule: f"{it.verdict}: {it.because}" for it in verdicts if is_accusation(it)}


def is_accusation(verdict):
    if verdict.verdict is Finding.INCONCLUSIVE:
        return not verdict.because.startswith(REAL_TIME)
    return verdict.verdict not in (Finding.PASS, Finding.NOT_OFFERED)


if __name__ == "__main__":
    part, parts = map(int, sys.argv[1:3])
    found = {odd.__name__: accusations(odd) for odd in list(oddities())[part::parts]}
    Path(sys.argv[3]).write_text(json.dumps({name: why for name, why in found.items() if why}))
    os._exit(0)  # threads that an oddity has left behind would keep the process alive
