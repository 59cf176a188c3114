"""Examines a candidate in this process: what it offers, how it is run, and what escapes control."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from inspect import iscoroutine

from stingy.contract import PROFILES
from stingy.contract.kinds import is_a
from stingy.doctor import Condition, Doubt, Examination, Found, Ill
from stingy.doctor.samples import SAMPLES
from stingy.language.queue import pair
from stingy.language.session import CandidateError, NotOffered, Session, Uncontrolled
from stingy.process.originals import Originals
from stingy.transport.coroutines import Coroutines
from stingy.transport.inprocess import InProcess
from stingy.transport.realthreads import RealThreads
from stingy.transport.target import missing


def examine(candidate: InProcess) -> Examination:
    """Create the candidate in each profile that it may offer, and return the results of all checks."""
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
            says, adapter = _tell_what_lacks(candidate, dict(lacking).get("not queue", ""))
            examination.found.append(Found("offers a profile", Condition.ILL, says, adapter))
            lacking = []
        examination.summary = lacking
    finally:
        candidate.close()
    return examination


def find_refusal(candidate: InProcess) -> str:
    """Return why no profile of a candidate can be judged, and what to do; empty if one can."""
    lacking: dict[str, str] = {}
    for name in (name for name in PROFILES if name in SAMPLES):
        try:
            _try(candidate, name)
        except NotOffered as why:
            lacking[name] = str(why)
        except (Ill, CandidateError) as ill:
            lacks_arguments = isinstance(ill, CandidateError) and "TypeError" in str(ill)
            hint = ": name a function that makes it" if lacks_arguments else ""
            return f"{candidate.target} cannot be judged: {ill}{hint}"
        except Doubt:
            return ""
        else:
            return ""
    says, adapter = _tell_what_lacks(candidate, lacking["queue"])
    return "\n".join((f"{candidate.target} offers no profile that stingy can judge: {says}", *adapter))


def _tell_what_lacks(candidate: InProcess, why: str) -> tuple[str, Sequence[str]]:
    """Return what to do about methods that a work queue lacks, and code lines of an adapter for it.

    ``why`` is used where the lacking methods are unknown. There are no lines if no method of the
    class has a similar name.
    """
    thing = candidate.thing
    if not is_a(thing, type):
        return f"{why}: name a class or a function that makes a queue, or a module that has one", ()
    lacks = missing(thing, PROFILES["queue"])
    why = f"it has no {', '.join(lacks)}" if lacks else why
    near = _near_names(thing, lacks)
    if not near:
        return (
            f"{why}: name its methods as the contract does, or write an adapter that does (stingy init python)",
            (),
        )
    alike = ", ".join(f"{theirs} may be {ours}" for ours, theirs in near.items())
    return f"{why}, but {alike}: judge an adapter, as in", tuple(
        _adapter(thing, near, [it for it in lacks if it not in near])
    )


def _near_names(kind: type, lacks: Sequence[str]) -> Mapping[str, str]:
    """Map each method that the class lacks to a method of it whose name may mean the same."""
    there = {_plain(name): name for name in dir(kind) if not name.startswith("_")}
    found = ((name, there.get(_plain(also))) for name in lacks for also in (*SYNONYMS[name], name))
    return {name: theirs for name, theirs in found if theirs and theirs != name}


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _adapter(kind: type, near: Mapping[str, str], more: Sequence[str]) -> Iterator[str]:
    yield from ("", f"    from {kind.__module__} import {kind.__name__}", "")
    yield f"    class {'Adapted' if kind.__name__ == 'WorkQueue' else 'WorkQueue'}({kind.__name__}):"
    for ours, theirs in near.items():
        yield f"        {ours} = {kind.__name__}.{theirs}"
    if more:
        yield f"        # and its own {', '.join(more)}"


SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "add": ("put", "push", "enqueue", "append", "offer", "submit"),
    "get": ("take", "pop", "dequeue", "poll"),
    "done": ("finish", "ack", "complete", "task_done"),
    "__len__": ("size", "qsize", "length"),
    "shut_down": ("stop", "close"),
    "shutting_down": ("closed", "is_closed", "is_shut_down", "is_shutting_down"),
}
"""Other names for the methods of a work queue, in any case and with or without underscores.

If a class has several of them for one method, the last one is taken.
"""


def _try(candidate: InProcess, name: str) -> str:
    """Make a candidate of the profile ``name``, call it, and return how it is run, as text.

    Raises NotOffered, Doubt, Ill or CandidateError if that fails.
    """
    says = ""
    with Originals() as originals:
        says = _call(candidate, name)
    if originals.replaced:
        raise Ill(f"it replaced {originals.replaced}")
    return says


def _call(candidate: InProcess, name: str) -> str:
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
            return _call(candidate, name)
        raise Doubt(
            f"{lost}; so it is run on real threads, and stingy waits a short time before it judges that something "
            "did not happen (evidence timed)"
        ) from None
    return _tell_how_it_runs(session)


def _queue_up(session: Session, ops: frozenset[str]) -> None:
    """Add one item to the candidate and get it again; raise Doubt or Ill if that fails.

    Does nothing for a profile without these ops. Raises Uncontrolled if the candidate does
    something that cannot be controlled.
    """
    if not {"add", "get", "done"} <= ops:
        return
    waiting = session.call("w1", "get")
    session.settle()
    session.call("p1", "add", "a")
    session.settle(waiting)
    if not waiting.returned:
        raise Doubt("its get does not return although an item has been added: the rules will show why")
    if not waiting.raised:
        if iscoroutine(waiting.value):
            waiting.value.close()
            raise Ill(
                "its get returns a coroutine, but is not a coroutine function: write async def, "
                "and use it in each of its decorators as well"
            )
        try:
            pair(waiting.value)
        except AssertionError as wrong:
            raise Ill(f"{wrong}: return both, as in item, False") from None
        session.call("w1", "done", "a")
        session.settle()


def _tell_how_it_runs(session: Session) -> str:
    if isinstance(session, Coroutines):
        return "for asyncio, on an event loop in virtual time"
    if isinstance(session, RealThreads):
        return "on real threads, judged after a short wait (evidence timed)"
    return "on threads, under control, in virtual time"
