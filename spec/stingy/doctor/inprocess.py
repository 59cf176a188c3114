"""What can be said of a candidate in this process: what it offers, how it is run, and what escapes control."""

from __future__ import annotations

from stingy.contract import PROFILES
from stingy.doctor import Condition, Doubt, Examination, Found, Ill
from stingy.doctor.samples import SAMPLES
from stingy.language.session import CandidateError, NotOffered, Session, Uncontrolled
from stingy.transport.coroutines import Coroutines
from stingy.transport.inprocess import InProcess
from stingy.transport.realthreads import RealThreads


def examine(target: str) -> Examination:
    candidate = InProcess(target)
    examination = Examination(f"{candidate.name} {candidate.version}".strip())
    offered: list[str] = []
    lacking: list[tuple[str, str]] = []
    try:
        for name, profile in PROFILES.items():
            if name not in SAMPLES and name != "cancel":
                continue
            looked_at = f"offers {profile.name}" if name == profile.name else f"offers {profile.name}: {name}"
            try:
                says = _try(candidate, name)
                examination.found.append(Found(looked_at, Condition.WELL, says))
                offered.append(name)
            except NotOffered as why:
                if name == profile.name:
                    lacking.append((f"not {name}", str(why)))
            except Doubt as doubt:
                examination.found.append(Found(looked_at, Condition.DOUBTFUL, str(doubt)))
                offered.append(name)
            except (Ill, CandidateError) as ill:
                examination.found.append(Found(looked_at, Condition.ILL, str(ill)))
        if not examination.found:
            examination.found.append(Found("offers a profile", Condition.ILL, _tell_what_lacks(lacking)))
            lacking = []
        examination.summary = lacking
    finally:
        candidate.close()
    return examination


def _tell_what_lacks(lacking: list[tuple[str, str]]) -> str:
    why = next((why for name, why in lacking if name == "not queue"), "")
    return f"{why}: name its methods as the contract does, or write an adapter that does"


def _try(candidate: InProcess, name: str) -> str:
    """Make one, call it, and say how it is run."""
    profile = PROFILES[name]
    sample = SAMPLES.get(name, SAMPLES["queue"])
    try:
        session = candidate.open(profile, sample.options)
        try:
            _queue_up(session, profile.ops)
        finally:
            session.close()
    except Uncontrolled as lost:
        if not candidate.release_control():
            raise Ill(str(lost)) from None
        if candidate.controlled:
            return _try(candidate, name)
        raise Doubt(
            f"{lost}; so it is run on real threads, and what must not happen is judged after a short wait "
            "(evidence timed)"
        ) from None
    return _tell_how_it_runs(session)


def _queue_up(session: Session, ops: frozenset[str]) -> None:
    """One item through a queue, and whatever else may lose control."""
    if not {"add", "get", "done"} <= ops:
        return
    waiting = session.call("w1", "get")
    session.settle()
    session.call("p1", "add", "a")
    session.settle(waiting)
    if waiting.returned and not waiting.raised:
        session.call("w1", "done", "a")
        session.settle()


def _tell_how_it_runs(session: Session) -> str:
    if isinstance(session, Coroutines):
        return "for asyncio, on an event loop in virtual time"
    if isinstance(session, RealThreads):
        return "on real threads, judged after a short wait (evidence timed)"
    return "on threads, under control, in virtual time"
