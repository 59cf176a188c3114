"""Who catches whom: every broken candidate judged by every rule, and again only where something may have changed.

A cell of this matrix depends on the source of the candidate, on that of the rule and those it builds on, and on the engine. Each has a fingerprint
in the record; a cell of which none has changed is read there.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from itertools import chain

from stingy.faults import Failures, Fault, Record, failures
from stingy.fingerprint import fingerprint, fingerprint_of_modules, modules_used
from stingy.guarantees import all_rules
from stingy.judge import Judge
from stingy.language.rule import Rule
from stingy.transport.inprocess import InProcess
from stingy.verdict import Evidence, Finding, Verdict

SEED = 1

_ELSEWHERE = (
    *("stingy.guarantees", "stingy.sources"),
    *(f"stingy.transport.{name}" for name in ("driver", "wire", "connection", "processes", "realthreads")),
)
"""No part of what judges a class in this process."""
_STAGE = "stingy.language.stage"
"""What a rule asks for by name. It knows every word of the language; a rule's own source tells which of them it uses."""


class UnsoundError(Exception):
    """A broken candidate was judged otherwise than by what is wrong with it: a sentence."""


@dataclass(frozen=True)
class Broken:
    """A broken candidate, by where it stands; ``about``: the rule that its fault is about."""

    module: str
    name: str
    about: str
    says: str

    @property
    def target(self) -> str:
        return f"{self.module}:{self.name}"

    @property
    def family(self) -> str:
        return self.module.rpartition(".")[2]


@dataclass(frozen=True)
class Task:
    """One broken candidate, and the rules to judge it by; ``whole``: those whose races are run in every order."""

    broken: Broken
    rules: tuple[str, ...]
    whole: frozenset[str]


def broken_in(package: str) -> list[Broken]:
    """All that a package's ``broken_candidates()`` names."""
    classes: Iterable[type] = import_module(package).broken_candidates()
    return [Broken(cls.__module__, cls.__name__, cls.about, _says(cls)) for cls in classes]  # type: ignore[attr-defined]


def _says(cls: type) -> str:
    return " ".join(inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0].split())


@cache
def engine_key() -> str:
    return fingerprint_of_modules({*_engine(), _STAGE})


@cache
def _engine() -> frozenset[str]:
    return modules_used("stingy.judge", but=(*_ELSEWHERE, _STAGE))


@cache
def rule_key(id_: str) -> str:
    """Of a rule and all that it builds on."""
    return fingerprint([_place(rule) for rule in _with_what_it_builds_on(id_)], apart=_engine())


def _place(rule: Rule) -> tuple[str, str]:
    return rule.check.__module__, rule.check.__name__


def _with_what_it_builds_on(id_: str) -> Iterator[Rule]:
    rule = all_rules()[id_]
    yield rule
    for earlier in rule.after:
        yield from _with_what_it_builds_on(earlier)


@cache
def candidate_key(broken: Broken) -> str:
    return fingerprint([(broken.module, broken.name)], apart=_engine())


def current(faults: Iterable[Fault] = ()) -> Record:
    """A record of these faults, as the code is now."""
    return Record(tuple(faults), engine_key(), {id_: rule_key(id_) for id_ in all_rules()})


def tasks(everybody: Iterable[Broken], known: Record, rules: Sequence[str]) -> list[Task]:
    """What has to be judged, of these candidates by these rules.

    Races are run in every order where one of the two is new, and where something was found; in one order elsewhere.
    """
    recorded = {(fault.family, fault.name): fault for fault in known.faults}
    same_engine = known.engine == engine_key()
    found = []
    for broken in everybody:
        fault = recorded.get((broken.family, broken.name))
        same = same_engine and fault is not None and fault.source == candidate_key(broken)
        asked = tuple(id_ for id_ in rules if not same or known.rules.get(id_) != rule_key(id_))
        new = (
            set(rules) if fault is None else {broken.about, *fault.failures, *(set(rules) - set(known.rules))}
        )
        if asked:
            found.append(Task(broken, asked, frozenset(new.intersection(asked))))
    return found


def judge_all(todo: Sequence[Task], processes: int | None = None) -> Iterator[tuple[Task, Failures]]:
    """Each as soon as it is judged; UnsoundError if one could not be."""
    if processes == 1:
        yield from ((task, judge(task)) for task in todo)
        return
    with ProcessPoolExecutor(processes) as pool:
        ahead = {pool.submit(judge, task): task for task in todo}
        try:
            for done in as_completed(ahead):
                yield ahead[done], done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def judge(task: Task) -> Failures:
    """By which of the rules it is found, and how."""
    judging = judge_of(task.broken.target)
    try:
        verdicts = list(chain.from_iterable(_judged(judging, task)))
    finally:
        judging.candidate.close()
    unsound = [it for it in verdicts if it.verdict in _UNSOUND or it.evidence is Evidence.TIMED]
    if unsound:
        first = unsound[0]
        raise UnsoundError(
            f"{task.broken.target} by {first.rule} {first.case}: {first.verdict} {first.evidence}: {first.because}"
        )
    return failures(verdicts)


_UNSOUND = (Finding.ERROR, Finding.INCONCLUSIVE)


def judge_of(target: str, seed: int = SEED) -> Judge:
    """A judge that neither stops to make a failing order short nor goes on behind what is broken."""
    candidate = InProcess(target, seed)
    candidate.shrinks = False
    return Judge(candidate, seed, goes_on=False)


def _judged(judging: Judge, task: Task) -> Iterator[Sequence[Verdict]]:
    for id_ in task.rules:
        judging.candidate.share = None if id_ in task.whole else 0.0
        yield judging.verdicts(all_rules()[id_])


def merged(
    everybody: Iterable[Broken], known: Record, found: Mapping[Broken, tuple[Task, Failures]]
) -> Record:
    """What is recorded of these candidates, with what was found now in its place."""
    recorded = {(fault.family, fault.name): fault for fault in known.faults}
    faults = []
    for broken in everybody:
        fault = recorded.get((broken.family, broken.name), Fault(broken.name, "", broken.family, {}))
        task, new = found.get(broken, (Task(broken, (), frozenset()), {}))
        kept = {
            id_: how for id_, how in fault.failures.items() if id_ in all_rules() and id_ not in task.rules
        }
        all_of_it = dict(sorted({**kept, **new}.items()))
        faults.append(replace(fault, says=broken.says, failures=all_of_it, source=candidate_key(broken)))
    return current(faults)
