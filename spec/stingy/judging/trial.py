"""Judge a candidate by a rule: run the rule, and turn its result or any error into a verdict."""

from __future__ import annotations

import ast
import linecache
import os
import re
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from math import inf
from pathlib import Path
from tempfile import gettempdir
from typing import Protocol

from msgspec.structs import replace

from stingy.contract import Profile
from stingy.contract.kubernetes import NEWEST, ways, when
from stingy.contract.testimony import VALUE, cut_short, describe
from stingy.engine import scarcity
from stingy.guarantees import all_rules
from stingy.judging.printing import overheard
from stingy.judging.verdict import LIMIT, Evidence, Finding, Verdict
from stingy.language.account import Line, account, find_wrong, mark
from stingy.language.allowance import LADDER, NOTHING, Allowance
from stingy.language.deadline import Clock, Deadline, real_clock
from stingy.language.memory import Memory
from stingy.language.rule import Performed, Row, Rule, Unmet
from stingy.language.session import (
    NO_OPTIONS,
    CandidateError,
    Jumped,
    Limited,
    NotOffered,
    Options,
    Raised,
    Session,
    Uncontrolled,
    Undecided,
    Unsteady,
)
from stingy.language.story import Story
from stingy.language.values import format_span
from stingy.language.ways import ways_of
from stingy.process.originals import APART, Originals
from stingy.transport import GRACE_BEFORE_ACCUSING, Candidate, Reached, stop
from stingy.transport.target import method

# Otherwise Hypothesis leaves a folder in the user's current folder.
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(Path(gettempdir()) / "stingy-hypothesis"))

_SHUTDOWN = re.compile(r"(.+) is shutdown|shutdown (?:==|is) .+")
"""pytest's text for a failed comparison with the shutdown; ``_because`` makes it readable."""
_BRACKET = re.compile(r"(?<=[(\[{]) |,? (?=[)\]}])")
"""A blank, or a last comma, that remains at a bracket where the lines of an assertion are joined."""
_EXTRA_ITEM = re.compile(r"Left contains .*item: (['\"].*['\"])")
"""pytest's text for a list that should be empty; the group is an item of it, in full."""
_DIFFERENCES = (
    (re.compile(r"At index (\d+) diff: (.+) != (.+)"), "{1} == {2} at index {0}"),
    (re.compile(r"Differing items:\n *(.+) != (.+)"), "{0} == {1}"),
    (re.compile(r"Extra items in the (left|right) set:\n *(.+)"), "only the {0} side has {1}"),
    (re.compile(r"Left contains .+ items?(?:, first extra item)?:\s+(.+)"), "only the left side has {0}"),
    (re.compile(r"Right contains .+ items?(?:, first extra item)?:\s+(.+)"), "only the right side has {0}"),
)
"""pytest's texts for the first difference of two collections, and what ``_because`` makes of each."""
_PRODUCT = re.compile(r"\((-?\d+) \* (1(?:000){1,3})\)")
"""pytest's text for a span that a rule writes as a product, such as ``2 * SECOND``."""
_NUMBER = re.compile(r"""'[^']*'|"[^"]*"|(?<![\w.])(?<!index )-?\d+(?![\w.])""")
"""A whole number other than an index; or quoted text, in which a number is a part of a name."""
SMALL = 1_000
"""Smaller numbers are never read as spans in nanoseconds: they may be counts."""

DOUBTFUL = frozenset({Finding.FAIL, Finding.BLOCKED, Finding.INCONCLUSIVE, Finding.ERROR})
"""Findings that do not count if virtual time has jumped over polls; the rule is then run again."""


class Elsewhere(Reached, Protocol):
    """A candidate in a process of its own, which judges rules there and returns the verdicts."""

    def judge(
        self, rule: Rule, row: Row | None, order: str = "", allowance: Allowance = NOTHING
    ) -> Verdict: ...


class Judge:
    """Judges one candidate, rule by rule.

    Rules that a rule builds on are judged first, each of them once. If one of them is broken, the
    rule is still judged, but tolerates the known defect. With ``goes_on=False`` it is BLOCKED
    instead.
    """

    def __init__(
        self,
        candidate: Candidate | Elsewhere,
        seed: int = 0,
        rules: Mapping[str, Rule] | None = None,
        *,
        goes_on: bool = True,
        clock: Clock = real_clock,
    ) -> None:
        self._clock = clock
        self.candidate: Reached = candidate
        self._judge = candidate.judge if hasattr(candidate, "judge") else Trial(candidate, seed).judge
        self._rules = rules if rules is not None else all_rules()
        self._goes_on = goes_on
        self._verdicts: dict[tuple[str, str], Verdict] = {}
        self._took: dict[tuple[str, str], float] = {}
        """Seconds that each verdict took."""
        self._broken: dict[str, tuple[Rule, ...]] = {}
        self._allowances: dict[str, Allowance | None] = {}

    def verdict(self, rule: Rule, row: Row | None = None) -> Verdict:
        """Return the verdict on a rule, or on one row of its table; judge it only the first time."""
        key = rule.id, row.name if row else ""
        if key not in self._verdicts:
            broken = self._broken_before(rule)
            began = self._clock()
            verdict = self._behind(broken, rule, row) if broken else _unblock(self._judge(rule, row))
            self._took[key] = self._clock() - began
            self._verdicts[key] = _hold_nothing_against(verdict) if rule.probe else verdict
        return self._verdicts[key]

    def knows(self, verdicts: Iterable[Verdict]) -> None:
        """Use these verdicts, on the same candidate with the same seed, instead of judging again."""
        self._verdicts.update({(verdict.rule, verdict.case): verdict for verdict in verdicts})

    def verdicts(self, rule: Rule) -> list[Verdict]:
        return [self.verdict(rule, row) for row in rule.cases]

    def again(self, rule: Rule, row: Row | None, order: str, allowance: Allowance = NOTHING) -> Verdict:
        """Judge a rule once more, without judging the rules that it builds on; return the verdict.

        ``order``: token of the only order in which to run a race; empty for all orders.
        ``allowance``: a known defect to tolerate.
        """
        return _unblock(self._judge(rule, row, order, allowance))

    def _broken_before(self, rule: Rule) -> tuple[Rule, ...]:
        """Return the broken rules that this rule builds on, directly or not, most basic first."""
        if rule.id not in self._broken:
            found: dict[str, Rule] = {}
            for earlier in (self._rules[id_] for id_ in rule.after):
                found |= {far.id: far for far in self._broken_before(earlier)}
                if self._findings(earlier) & {Finding.FAIL, Finding.ERROR}:
                    found[earlier.id] = earlier
            self._broken[rule.id] = tuple(found.values())
        return self._broken[rule.id]

    def _behind(self, broken: Sequence[Rule], rule: Rule, row: Row | None) -> Verdict:
        """Judge a rule that builds on these ``broken`` rules, and return the verdict.

        BLOCKED if this rule fails and the broken rules may be the cause.
        """
        first = broken[0].id
        blocked = make_verdict(rule, row, Finding.BLOCKED, because=f"{first} is not kept", behind=first)
        if not self._goes_on or any(Finding.ERROR in self._findings(before) for before in broken):
            return blocked
        deadline = Deadline(self.candidate.limit, self._clock)
        attempts = Deadline(self.candidate.limit / 2, self._clock)  # the other half is for the rule itself
        allowance = self._allowance(
            [before for before in broken if not self._keeps_row(before, row)], attempts
        )
        if allowance and rule.races:
            allowance = None  # the check at the end of a race tolerates no extra lateness
        verdict = self._judge_within(deadline.left, rule, row, allowance or NOTHING)
        if verdict.fault:
            return blocked  # the rule relied on what is broken
        if verdict.verdict in (Finding.NOT_OFFERED, Finding.INCONCLUSIVE):
            return verdict
        if verdict.verdict is Finding.PASS or (
            allowance is not None and verdict.verdict is not Finding.BLOCKED
        ):
            return replace(verdict, behind=first, allowing=allowance or NOTHING)
        because = f"{blocked.because}, which may be why: {verdict.because}"
        return replace(blocked, because=because, story=verdict.story, printed=verdict.printed)

    def _judge_within(self, seconds: float, rule: Rule, row: Row | None, allowance: Allowance) -> Verdict:
        """Judge a rule within these seconds instead of those of ``--limit``, and return the verdict."""
        whole, self.candidate.limit = self.candidate.limit, max(round(seconds, 2), 0.01)
        try:
            return self._judge(rule, row, "", allowance)
        finally:
            self.candidate.limit = whole

    def _allowance(self, broken: Iterable[Rule], deadline: Deadline) -> Allowance | None:
        """Return one allowance that tolerates the defects of all broken rules.

        None if there is none, or if it is not found before the deadline.
        """
        made = NOTHING
        for rule in broken:
            if rule.id not in self._allowances:
                self._allowances[rule.id] = self._making_good(rule, deadline)
            one = self._allowances[rule.id]
            if one is None:
                return None
            made = made.and_also(one)
        return made

    def _making_good(self, rule: Rule, deadline: Deadline) -> Allowance | None:
        """Return the allowance (tolerated defect) with which this broken rule passes, or None.

        It is the first allowance of ``LADDER`` that is enough, with its lateness doubled, together
        with those for the broken rules that this rule builds on. None, too, if the rule was not
        judged deterministically, or if the time until the deadline is too short to judge it again.
        """
        so_far = self._allowance(self._broken_before(rule), deadline)
        broken = [row for row in rule.cases if self.verdict(rule, row).verdict is Finding.FAIL]
        if so_far is None or any(
            self.verdict(rule, row).evidence is not Evidence.DETERMINISTIC for row in broken
        ):
            return None
        for step in LADDER:
            if all(self._passes_with(so_far.and_also(step), rule, row, deadline) for row in broken):
                return so_far.and_also(step.amply)
        return None

    def _passes_with(self, allowance: Allowance, rule: Rule, row: Row | None, deadline: Deadline) -> bool:
        """Return True if the rule is kept with this allowance; False as well if no time is left to judge it."""
        left = deadline.left
        if left <= 0 or left < self._took.get((rule.id, row.name if row else ""), 0.0):
            return False
        return self._judge_within(left, rule, row, allowance).verdict is Finding.PASS

    def _keeps_row(self, rule: Rule, row: Row | None) -> bool:
        """Return True if the broken rule has a row of this name in its table and passes for it."""
        return row is not None and row in rule.each and self.verdict(rule, row).verdict is Finding.PASS

    def _findings(self, rule: Rule) -> set[Finding]:
        return {verdict.verdict for verdict in self.verdicts(rule)}


def _hold_nothing_against(verdict: Verdict) -> Verdict:
    """Turn a failure of a probe into a PASS whose reason says what was seen.

    A probe breaks a precondition on purpose, so no behaviour of the candidate is wrong. A probe
    that could not run, or that is itself faulty, keeps its verdict.
    """
    if verdict.verdict not in DOUBTFUL - {Finding.BLOCKED} or verdict.fault:
        return verdict
    if verdict.verdict is Finding.INCONCLUSIVE and not verdict.limit:
        return verdict
    return replace(
        verdict,
        verdict=Finding.PASS,
        evidence=verdict.evidence or Evidence.DETERMINISTIC,
        because=f"seen: {verdict.because}",
        limit="",
        printed=(),
    )


def _unblock(verdict: Verdict) -> Verdict:
    """Turn BLOCKED into INCONCLUSIVE: a precondition is not met, and no broken rule may be the cause."""
    return replace(verdict, verdict=Finding.INCONCLUSIVE) if verdict.verdict is Finding.BLOCKED else verdict


class Trial:
    """Judges one rule at a time, ignoring the rules it builds on; the candidate runs in this process.

    BLOCKED here means that a precondition of the rule is not met; the Judge knows whether a broken
    rule may be the cause.
    """

    def __init__(
        self,
        candidate: Candidate,
        seed: int = 0,
        memory: Memory | None = None,
        clock: Clock = real_clock,
    ) -> None:
        """Judge this candidate; ``seed`` chooses names, times and orders.

        ``memory`` has the histories of races already recorded for the candidate; None for a new
        memory.
        """
        self.candidate = candidate
        self.seed = seed
        self.has_opened = False
        """True once the candidate has opened a session."""
        self.replaced = ""
        """The builtin that the candidate has replaced, as in "builtins.len"; empty if none.

        It has been put back, but parts of the suite may have failed meanwhile, so no further rule is judged.
        """
        self._memory = memory or Memory()
        self._clock = clock
        self._deadline = Deadline(inf, clock)
        self._took = 0.0
        """Seconds that the last attempt took."""

    def judge(self, rule: Rule, row: Row | None, order: str = "", allowance: Allowance = NOTHING) -> Verdict:
        """Judge a rule, as often as the evidence needs it and ``limit`` of the candidate allows."""
        shares = (self.candidate.share or 0.0) * rule.shares
        self._deadline = Deadline(self.candidate.limit + shares, self._clock)
        if self.replaced:
            because = f"not tried: the candidate has replaced {self.replaced}: {APART}"
            return make_verdict(rule, row, Finding.INCONCLUSIVE, because=because)
        verdict = None
        with Originals() as originals:
            verdict = self._settle(rule, row, order, allowance)
        self.replaced = originals.replaced
        if verdict is None or self.replaced:
            because = f"the candidate replaced {self.replaced}"
            return make_verdict(rule, row, Finding.ERROR, because=because)
        return verdict

    def _settle(self, rule: Rule, row: Row | None, order: str, allowance: Allowance) -> Verdict:
        scarcity.begins()
        try:
            verdict = self._on_sure_ground(rule, row, order, allowance)
            if verdict.verdict in (Finding.FAIL, Finding.ERROR) and self.candidate.shortcuts.inherited:
                verdict = self._again(verdict, lambda: self._try_cleanly(rule, row, order, allowance))
        except Uncontrolled as lost:
            if not self.candidate.release_control():
                return make_verdict(rule, row, Finding.ERROR, because=str(lost))
            verdict = self._settle(rule, row, order, allowance)
            undecided = verdict.verdict in (Finding.BLOCKED, Finding.INCONCLUSIVE, Finding.ERROR)
            if undecided and not verdict.because.startswith(str(lost)):
                verdict = replace(verdict, because=f"{lost}; {verdict.because}")
            return verdict
        suspicious = verdict.verdict in (Finding.FAIL, Finding.BLOCKED, Finding.INCONCLUSIVE)
        if suspicious and verdict.evidence is Evidence.TIMED:
            verdict = self._again(verdict, lambda: self._confirm(rule, row, allowance))
        if verdict.verdict in (Finding.FAIL, Finding.ERROR) and (lacks := scarcity.lacking()):
            return make_verdict(rule, row, Finding.INCONCLUSIVE, because=lacks)
        return verdict

    def _again(self, verdict: Verdict, attempt: Callable[[], Verdict]) -> Verdict:
        """Return the verdict of another attempt, which counts instead of this doubtful one.

        Return INCONCLUSIVE, with the finding of the first attempt, if the limit leaves no time for another.
        """
        if self._deadline.left >= self._took:
            second = attempt()
            if second.limit != LIMIT:
                return second
        because = (
            f"{verdict.because}; that counts only if a second attempt confirms it, "
            f"but {LIMIT} S leaves no time for one"
        )
        return replace(
            verdict,
            verdict=Finding.INCONCLUSIVE,
            evidence=Evidence.NONE,
            because=because,
            limit=LIMIT,
            hint="",
            order="",
            fault=False,
            conflict=None,
        )

    def _on_sure_ground(self, rule: Rule, row: Row | None, order: str, allowance: Allowance) -> Verdict:
        """Judge a rule; judge it again without jumps of virtual time if they may be the cause.

        That is so if the finding is doubtful and time has jumped; the second verdict counts. The
        replay of an order always runs without jumps.
        """
        shortcuts = self.candidate.shortcuts
        if not order:
            shortcuts.jumped = False
            found: Verdict | None = None
            with suppress(Jumped):
                found = self._try(rule, row, order, allowance)
            if found is not None:
                if found.verdict not in DOUBTFUL or not shortcuts.jumped:
                    return found
                return self._again(found, lambda: self._try_on_foot(rule, row, order, allowance))
        return self._try_on_foot(rule, row, order, allowance)

    def _try_on_foot(self, rule: Rule, row: Row | None, order: str, allowance: Allowance) -> Verdict:
        with self.candidate.shortcuts.on_foot():
            return self._try(rule, row, order, allowance)

    def _confirm(self, rule: Rule, row: Row | None, allowance: Allowance) -> Verdict:
        """Judge a rule again after a doubtful verdict, with a longer wait for events in real time.

        Returns the second verdict, which replaces the first.
        """
        grace, self.candidate.grace = self.candidate.grace, GRACE_BEFORE_ACCUSING
        try:
            return self._try(rule, row, "", allowance)
        finally:
            self.candidate.grace = grace

    def _try_cleanly(self, rule: Rule, row: Row | None, order: str, allowance: Allowance) -> Verdict:
        """Judge a rule again, without module state that earlier sessions left behind.

        Returns the second verdict, which replaces the first.
        """
        with self.candidate.shortcuts.inheriting_nothing():
            return self._on_sure_ground(rule, row, order, allowance)

    def _try(self, rule: Rule, row: Row | None, order: str, allowance: Allowance) -> Verdict:
        """Judge a rule once; a failure has what the candidate printed in the run that its story tells."""
        stories: list[Story] = []
        began = self._clock()
        may_shorten = self._deadline.for_shorter()
        with overheard(stories):
            verdict = self._perform(rule, row, order, allowance, stories, may_shorten)
            if verdict.verdict is Finding.FAIL and verdict.order and not order and not may_shorten():
                # The last run of the shortest order was left out, and its story needs the remarks of that run.
                runs = len(stories)
                again = self._perform(rule, row, verdict.order, allowance, stories, may_shorten)
                if again.verdict is Finding.FAIL:
                    verdict = replace(again, runs=verdict.runs)
                else:
                    del stories[runs:]
        self._took = self._clock() - began
        if not stories or verdict.verdict not in (Finding.FAIL, Finding.ERROR):
            return verdict
        return replace(verdict, printed=tuple(stories[-1].printed))

    def _perform(
        self,
        rule: Rule,
        row: Row | None,
        order: str,
        allowance: Allowance,
        stories: list[Story],
        may_shorten: Callable[[], bool],
    ) -> Verdict:
        """Judge a rule once, and append the story of each run to ``stories``.

        A failure is made shorter as long as ``may_shorten`` returns True.
        """
        timed = False

        def begin(story: Story) -> None:
            stories.append(story)
            if stop.current is not None:
                stop.current.follow(story)

        def open_session(profile: Profile, options: Options = NO_OPTIONS) -> Session:
            nonlocal timed
            session = self.candidate.open(profile, options)
            self.has_opened = True
            timed = session.timed
            return session

        try:
            _ask_only_for_its_ways(rule, self.candidate.kubernetes)
            number, _, turns = order.rpartition("#")
            explorer = self.candidate.explorer(rule.profile, self.seed, turns)
            exact, share = self.candidate.controlled, self.candidate.share
            remembers = exact and share is None and not order and allowance == NOTHING
            with self.candidate.held(self._deadline):
                done = rule.perform(
                    open_session,
                    row,
                    self.seed,
                    begin,
                    explorer,
                    exact=exact,
                    shrinks=self.candidate.shrinks,
                    may_shorten=may_shorten,
                    only=int(number) if number else None,
                    allowance=allowance,
                    share=share,
                    memory=self._memory if remembers else None,
                )
        except NotOffered as why:
            return make_verdict(rule, row, Finding.NOT_OFFERED, because=str(why))
        except Unmet as why:
            evidence = Evidence.TIMED if timed else Evidence.NONE
            story = _tell(stories)
            because = f"{_because(why.broken, story)[0]}; without that, this rule cannot be judged"
            return make_verdict(rule, row, Finding.BLOCKED, evidence, because=because, story=story)
        except Unsteady as why:
            evidence = Evidence.TIMED if timed else Evidence.NONE
            return make_verdict(rule, row, Finding.INCONCLUSIVE, evidence, because=str(why))
        except Limited as why:
            return make_verdict(rule, row, Finding.INCONCLUSIVE, because=str(why), limit=why.option)
        except Undecided as why:
            return make_verdict(rule, row, Finding.INCONCLUSIVE, because=str(why))
        except CandidateError as error:
            return make_verdict(rule, row, Finding.ERROR, because=str(error), story=_tell(stories))
        except (Uncontrolled, Jumped):
            raise
        except Exception as error:  # noqa: BLE001 - a fault of the suite must not count against the candidate
            scarcity.look_at(error)
            if _raised_by_the_candidate(error, rule):
                because = f"what it returned raises, when it is looked at: {describe(error)}"
                return make_verdict(rule, row, Finding.ERROR, because=because, story=_tell(stories))
            because = f"a fault of the suite: {''.join(traceback.format_exception(error)).strip()}"
            return make_verdict(rule, row, Finding.ERROR, because=because, story=_tell(stories), fault=True)
        if done.broken is not None:
            finding, story = Finding.FAIL, _mark(_tell(stories), done.broken)
            because, hint = _because(done.broken, story)
            if stories and stories[-1].deaths:
                because, hint = f"{because}; {stories[-1].deaths[0]}", ""
        else:
            finding, story = Finding.PASS, ()
            because, hint = f"seen: {done.outcome}" if done.outcome else "", ""
        evidence = Evidence.TIMED if timed else _evidence(rule, done)
        verdict = make_verdict(
            rule, row, finding, evidence, because=because, story=story, runs=done.runs, order=done.order
        )
        kept = finding is Finding.PASS and stories and not done.by_chance
        told = stories if any(it.walks for it in rule.for_all.values()) else stories[-1:]
        went = tuple(sorted({way for each in told for way in ways_of(each.steps)})) if kept else ()
        code = self._find_code(story)
        conflict = stories[-1].conflict if stories and finding is Finding.FAIL else None
        return replace(verdict, hint=hint, went=went, unseen=done.unseen, code=code, conflict=conflict)

    def _find_code(self, story: Iterable[Line]) -> tuple[tuple[str, str], ...]:
        """Return the candidate's methods that the story calls, and where each begins."""
        ops = dict.fromkeys(line.op for line in story if line.op)
        return tuple((method(op), place) for op in ops if (place := self.candidate.place(op)))


def make_verdict(
    rule: Rule,
    row: Row | None,
    finding: Finding,
    evidence: Evidence = Evidence.NONE,
    *,
    because: str = "",
    story: tuple[Line, ...] = (),
    runs: int = 0,
    order: str = "",
    fault: bool = False,
    behind: str = "",
    limit: str = "",
) -> Verdict:
    """Return a verdict on the rule, or on this row of its table, with the fields that depend on it."""
    return Verdict(
        rule=rule.id,
        case=row.name if row else "",
        profile=rule.profile.name,
        level=rule.level,
        verdict=finding,
        evidence=evidence,
        because=because,
        story=story,
        source=rule.cites[0].url,
        runs=runs,
        order=order,
        fault=fault,
        behind=behind,
        limit=limit,
    )


def _ask_only_for_its_ways(rule: Rule, claimed: str) -> None:
    has = ways(claimed)
    for way, value in rule.where.items():
        if has[way] != value:
            raise NotOffered(f"it is so {when(way, value)}, and this is judged as {claimed or NEWEST}")


def _evidence(rule: Rule, done: Performed) -> Evidence:
    if done.exhaustive:
        return Evidence.EXHAUSTIVE
    return Evidence.SAMPLED if rule.races else Evidence.DETERMINISTIC


def _tell(stories: list[Story]) -> tuple[Line, ...]:
    return account(stories[-1].steps) if stories else ()


_HAND_OUTS = re.compile(r"\w+\.(?:take_all|take_straight|hold_straight|work_off)\([^=]*\) == ")
"""Beginning of an assertion that compares hand-outs, in their order, with those that are due."""
_AT_INDEX = re.compile(r"At index \d+ diff: (.+) != (.+)")


def _mark(story: tuple[Line, ...], broken: AssertionError) -> tuple[Line, ...]:
    """Return the story with a mark at the first hand-out that the rule's assertion says is wrong.

    Unchanged if a line is marked already, or if it is not clear which line that is.
    """
    differs = _AT_INDEX.search(str(broken))
    if differs is None or find_wrong(story) is not None or not _HAND_OUTS.match(_find_claim(broken)[0]):
        return story
    rows = [n for n, line in enumerate(story) if line.op == "get" and line.outcome == differs[1]]
    return mark(story, rows[0], differs[2]) if len(rows) == 1 else story


def _raised_by_the_candidate(error: Exception, rule: Rule) -> bool:
    """Return True if the error comes from the candidate's code, such as its ``__repr__``.

    It does unless the suite, the rule, Python's standard library or Hypothesis raised it.
    """
    frames = traceback.extract_tb(error.__traceback__)
    raised_in = Path(frames[-1].filename)
    suite, python = Path(__file__).parent.parent, Path(os.__file__).parent
    installed = any(part.endswith("-packages") for part in raised_in.parts)
    return not (
        raised_in == Path(rule.check.__code__.co_filename)
        or raised_in.is_relative_to(suite)
        or (raised_in.is_relative_to(python) and not installed)
        or "hypothesis" in raised_in.parts
    )


def _find_difference(explained: str, found: str, told: str) -> str:
    """Return pytest's comparison ``found``; only the first difference if elements are left out of it.

    ``explained`` is the whole of pytest's text. ``told`` is the story, whose units are used.
    """
    if "..." in found:
        for pattern, said in _DIFFERENCES:
            if difference := pattern.search(explained):
                found = said.format(*(cut_short(part, VALUE) for part in difference.groups()))
                break
    return _name_units(found, told)


def _name_units(found: str, told: str) -> str:
    """Return a comparison with its nanoseconds as spans, such as ``5 ms``, if they are spans.

    They are taken for spans if the story ``told`` shows one of them as a span.
    """
    whole = _PRODUCT.sub(lambda it: str(int(it[1]) * int(it[2])), found)
    numbers = [int(it[0]) for it in _NUMBER.finditer(whole) if it[0][-1].isdigit()]
    spans = [format_span(number) for number in numbers if abs(number) >= SMALL]
    if not any(re.search(rf"(?<![\d,.−]){re.escape(span)}(?!\w)", told) for span in spans):
        return found
    return _NUMBER.sub(lambda it: _name_unit(it[0]), whole)


def _name_unit(said: str) -> str:
    is_span = said[-1].isdigit() and abs(int(said)) >= SMALL
    return format_span(int(said)) if is_span else said


def _because(broken: AssertionError, story: Iterable[Line]) -> tuple[str, str]:
    """Return, for a failed assertion of a rule, what was expected and found, and its hint.

    The expectation is quoted from the rule's assert statement if that can be read. The hint is the
    statement's message; empty if it has none. A span that ``story`` shows with a unit has that
    unit in the returned text, too.
    """
    claim, hint = _find_claim(broken)
    whole = str(broken).strip().removeprefix(hint).lstrip()
    said = whole.partition("\n")[0]
    if isinstance(broken, Raised):
        hint = ""  # it asks why an answer is wrong, and there was none
    if not claim:
        return said, hint
    claimed = f"expected {claim}"
    extra = _EXTRA_ITEM.search(whole) if claim.endswith("== []") else None
    found = (
        extra[1]
        if extra
        else _find_difference(whole, said.removeprefix("assert "), "\n".join(map(str, story)))
    )
    if shut := _SHUTDOWN.fullmatch(found):
        found = f"it is {shut[1] or 'the shutdown'}"
    return claimed if found in ("", "False", "not True") else f"{claimed}, but {found}", hint


def _find_claim(broken: AssertionError) -> tuple[str, str]:
    """Return what the failed assertion of a rule asserts, and its message; both empty if unknown."""
    frames = reversed(traceback.extract_tb(broken.__traceback__))
    frame = next((frame for frame in frames if "guarantees" in frame.filename), None)
    return _read_assertion(frame.filename, frame.lineno or 0) if frame else ("", "")


def _read_assertion(filename: str, line: int) -> tuple[str, str]:
    """Return what the assert statement at this line of a Python file asserts, and its message.

    Both are empty if there is no such statement. A message that is computed counts as empty.
    """
    source, nodes = _find_assertions(filename)
    node = next((node for node in nodes if node.lineno <= line <= (node.end_lineno or node.lineno)), None)
    if node is None:
        return "", ""
    hint = node.msg.value if isinstance(node.msg, ast.Constant) else ""
    # Python splits the whole file into lines for each segment, so only the one that is needed is read.
    claim = " ".join((ast.get_source_segment(source, node.test) or "").split())
    return _BRACKET.sub("", claim), str(hint)


@cache
def _find_assertions(filename: str) -> tuple[str, Sequence[ast.Assert]]:
    """Return the text of a Python file, and its assert statements."""
    source = "".join(linecache.getlines(filename))
    return source, [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Assert)]
