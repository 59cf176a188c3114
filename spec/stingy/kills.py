"""Who catches whom: every specimen, broken or sound, judged by every rule, and again only where something may have changed.

A cell of this matrix depends on the source of the specimen, on that of the rule and those it builds on, and on the engine. Each has a fingerprint
in the record; a cell of which none has changed is read there.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from itertools import chain

from stingy.faults import Failures, Fault, Record, failures
from stingy.fingerprint import fingerprint, fingerprint_of_modules, modules_used
from stingy.guarantees import all_rules, with_what_they_build_on
from stingy.language.allowance import NOTHING, Allowance
from stingy.language.rule import Level, Row, Rule
from stingy.transport.inprocess import InProcess
from stingy.trial import Judge, Trial
from stingy.verdict import Evidence, Finding, Verdict

SEED = 1

_ELSEWHERE = (
    *("stingy.guarantees", "stingy.sources", "stingy.request"),
    *(f"stingy.transport.{name}" for name in ("driver", "wire", "connection", "processes", "realthreads")),
)
"""No part of what judges a class in this process."""
_STAGE = "stingy.language.stage"
"""What is set out for a rule. It knows all of the language; a rule's own source tells what of it is used."""
_WORDS = "stingy.language.words"
"""What a rule can ask for; its own source tells what it does."""


@dataclass(frozen=True)
class Specimen:
    """A class whose faults are known, by where it stands; ``about``: the rule that its fault is about, none if it is sound."""

    module: str
    name: str
    says: str
    about: str = ""

    @property
    def target(self) -> str:
        return f"{self.module}:{self.name}"

    @property
    def family(self) -> str:
        return self.module.rpartition(".")[2]


@dataclass(frozen=True)
class Task:
    """A specimen, and the rules to judge it by; ``whole``: those whose races are run in every order."""

    specimen: Specimen
    rules: tuple[str, ...]
    whole: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Judged:
    """How a specimen fails, and what must not have come of it: that makes it no result."""

    task: Task
    failures: Failures
    complaints: tuple[str, ...] = ()


def broken_in(package: str) -> list[Specimen]:
    """All that a package's ``broken_candidates()`` names."""
    return [_specimen(cls, cls.about) for cls in import_module(package).broken_candidates()]


def sound_in(package: str) -> list[Specimen]:
    """All that a package's ``sound_candidates()`` names."""
    return [_specimen(cls) for cls in import_module(package).sound_candidates()]


def _specimen(cls: type, about: str = "") -> Specimen:
    says = inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0]
    return Specimen(cls.__module__, cls.__name__, " ".join(says.split()), about)


@cache
def engine_key() -> str:
    return fingerprint_of_modules({*_engine(), _STAGE})


@cache
def _engine() -> frozenset[str]:
    return modules_used("stingy.trial", but=(*_ELSEWHERE, _STAGE, _WORDS))


@cache
def rule_key(id_: str) -> str:
    """Of a rule and all that it builds on."""
    rules = with_what_they_build_on([all_rules()[id_]]).values()
    places = [(rule.check.__module__, rule.check.__name__) for rule in rules]
    return fingerprint(places, apart={*_engine(), _STAGE})


@cache
def source_key(specimen: Specimen) -> str:
    return fingerprint([(specimen.module, specimen.name)], apart=_engine())


def tasks(everybody: Iterable[Specimen], known: Record, rules: Sequence[str]) -> list[Task]:
    """What has to be judged, of these specimens by these rules.

    Races are run in every order where one of the two is new, and where something was found; in one order elsewhere, and
    with what is sound, which takes a whole run to be accused of a race.
    """
    same_engine = known.engine == engine_key()
    todo = []
    for specimen in everybody:
        fault = known.of(specimen.family, specimen.name, sound=not specimen.about)
        same = same_engine and fault is not None and fault.source == source_key(specimen)
        asked = tuple(id_ for id_ in rules if not same or known.rules.get(id_) != rule_key(id_))
        if asked:
            todo.append(
                Task(specimen, asked, frozenset(asked).intersection(_found_by(specimen, fault, known)))
            )
    return todo


def _found_by(specimen: Specimen, fault: Fault | None, known: Record) -> Iterable[str]:
    """The rules that may find it, as far as is known."""
    if not specimen.about:
        return ()
    if fault is None or not (fault.source or fault.failures):
        return all_rules()
    return {specimen.about, *fault.failures, *(all_rules().keys() - known.rules.keys())}


def judge_all(todo: Sequence[Task], processes: int | None = None) -> Iterator[Judged]:
    """Each as soon as it is judged."""
    if processes == 1:
        yield from map(judge, todo)
        return
    with ProcessPoolExecutor(processes) as pool:
        try:
            for done in as_completed([pool.submit(judge, task) for task in todo]):
                yield done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def judge(task: Task) -> Judged:
    candidate = _Spared(task)
    judging = Judge(candidate, SEED, goes_on=False)
    try:
        verdicts = list(chain.from_iterable(judging.verdicts(all_rules()[id_]) for id_ in task.rules))
    finally:
        candidate.close()
    wrong = (it for it in verdicts if _is_wrong(it, task.specimen))
    complaints = (
        f"{task.specimen.target} by {it.rule} {it.case}: {it.verdict} {it.evidence}: {it.because}"
        for it in wrong
    )
    return Judged(task, failures(verdicts), tuple(complaints))


def _is_wrong(verdict: Verdict, specimen: Specimen) -> bool:
    """Whether this says nothing of what is wrong with a specimen, or accuses one that is sound."""
    if verdict.verdict in (Finding.ERROR, Finding.INCONCLUSIVE) or verdict.evidence is Evidence.TIMED:
        return True
    accused = verdict.verdict in (Finding.FAIL, Finding.BLOCKED)
    return accused and not specimen.about and verdict.level is not Level.SHOULD


class _Spared:
    """A specimen whose races are run in every order only for the rules that may find something; nor are they made short."""

    share: float | None = None

    def __init__(self, task: Task) -> None:
        self.target = self.name = task.specimen.target
        self.version = ""
        self._whole = task.whole
        self._candidate = InProcess(self.target, SEED)
        self._candidate.shrinks = False
        self.kubernetes = self._candidate.kubernetes
        self._trial = Trial(self._candidate, SEED)

    def judge(self, rule: Rule, row: Row | None, order: str = "", allowance: Allowance = NOTHING) -> Verdict:
        self._candidate.share = None if rule.id in self._whole else 0.0
        return self._trial.judge(rule, row, order, allowance)

    def close(self) -> None:
        self._candidate.close()


def merge(
    broken: Iterable[Specimen],
    sound: Iterable[Specimen],
    known: Record,
    judged: Iterable[Judged] = (),
    left: Collection[Specimen] = (),
) -> Record:
    """What is recorded of these specimens, with what was found now in its place.

    What there are complaints about stays open, and so does who is ``left`` to be judged; until nobody is, the rules stay known as
    they were when everybody had been.
    """
    found = {it.task.specimen: it for it in judged}
    open_ = {*left, *(it for it, result in found.items() if result.complaints)}

    def enter(specimens: Iterable[Specimen]) -> tuple[Fault, ...]:
        return tuple(_enter(it, known, found.get(it), settled=it not in open_) for it in specimens)

    return Record(
        enter(broken),
        enter(sound),
        engine_key(),
        known.rules if left else {id_: rule_key(id_) for id_ in all_rules()},
    )


def _enter(specimen: Specimen, known: Record, judged: Judged | None, *, settled: bool) -> Fault:
    fault = known.of(specimen.family, specimen.name, sound=not specimen.about) or Fault(
        specimen.name, "", specimen.family, {}
    )
    again = judged.task.rules if judged else ()
    kept = {id_: how for id_, how in fault.failures.items() if id_ in all_rules() and id_ not in again}
    by_rule = dict(sorted({**kept, **(judged.failures if judged else {})}.items()))
    return replace(
        fault, says=specimen.says, failures=by_rule, source=source_key(specimen) if settled else ""
    )
