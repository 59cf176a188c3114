"""A control plane whose controller asks the candidate for a Service's trigger time at each sync.

A rule describes what happens to a Service and the Pods it selects. Times are nanoseconds after an
origin that the candidate does not know. The candidate is called only when a Service is synced or
deleted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from stingy.contract import Condition, Nanoseconds, Pod, Service
from stingy.contract.kinds import is_a
from stingy.contract.testimony import show
from stingy.language.answer import answer
from stingy.language.order import Order
from stingy.language.session import OWN_COPIES, NotOffered, Operation, Session
from stingy.language.story import Story, Told
from stingy.language.values import format_span

NAMESPACE = "shop"
READY = "Ready"

Key = tuple[str, str]
"""Namespace and name of a Service."""


class ControlPlane:
    def __init__(self, session: Session, story: Story, order: Order) -> None:
        self._session = session
        self._story = story
        self._order = order
        self._origin = story.instant()
        self._services: dict[Key, Service] = {}
        self._pods: defaultdict[Key, dict[str, Pod]] = defaultdict(dict)
        self._edits = 0
        self._altered: list[str] = []
        """Syncs in which the candidate altered its arguments, as text: "as web is synced"."""

    # Events.

    def create(self, service: str = "web", *, at: Nanoseconds | None, namespace: str = NAMESPACE) -> None:
        """Create the Service, or replace it; with ``at=None`` it has no creation time."""
        self._services[namespace, service] = Service(service, self._instant(at), ports=(80,))
        self._story.tell("api server", f"{_name(namespace, service)} is created {_at(at)}")

    def edit(self, service: str = "web", **fields: Any) -> None:
        """Change fields of the Service; its creation time stays."""
        self._edits += 1
        before = self._services[NAMESPACE, service]
        self._services[NAMESPACE, service] = replace(
            before, **{"resource_version": str(self._edits)} | fields
        )
        self._story.tell("api server", f"{service} gets other {' and '.join(fields)}")

    def turn(
        self,
        *pods: str,
        at: Nanoseconds | None,
        ready: str = "True",
        before: Mapping[str, Nanoseconds] | None = None,
        after: Mapping[str, Nanoseconds] | None = None,
        uid: str = "",
        service: str = "web",
        namespace: str = NAMESPACE,
    ) -> None:
        """Change the Ready condition of Pods of the Service.

        A Pod that is new is selected from now on. ``at``: the transition time, None if not
        recorded. ``before`` and ``after``: other conditions in the Pod's status, listed before and
        after Ready, with their transition times.
        """
        conditions = (
            *self._conditions(before or {}),
            Condition(READY, ready, self._instant(at)),
            *self._conditions(after or {}),
        )
        for name in pods:
            self._pods[namespace, service][name] = Pod(name, conditions, uid)
        others = "".join(
            f", {kind} at {format_span(time)}" for kind, time in {**(before or {}), **(after or {})}.items()
        )
        one = f"{', '.join(pods)}{f' (uid {uid})' if uid else ''} of {_name(namespace, service)}"
        self._story.tell("kubelet", f"{one}: Ready={ready} {_at(at)}{others}")

    def no_condition(self, pod: str, *, service: str = "web") -> None:
        """Remove all conditions of the Pod, Ready included."""
        self._pods[NAMESPACE, service][pod] = Pod(pod)
        self._story.tell("kubelet", f"{pod} of {service} has no Ready condition")

    def leave(self, *pods: str, service: str = "web") -> None:
        """End the selection of these Pods, as if their labels or the selector had changed."""
        for name in pods:
            del self._pods[NAMESPACE, service][name]
        self._story.tell("api server", f"{', '.join(pods)} of {service} selected no longer")

    # Calls to the candidate.

    def sync(self, service: str = "web", *, namespace: str = NAMESPACE) -> Nanoseconds | None:
        """Sync the Service; return the trigger time that its slices get, or None for none."""
        pods = self._pods[namespace, service].values()
        question = self._question(namespace, service)
        trigger = self._trigger(self._call("compute", *question))
        if question != self._question(namespace, service):
            self._altered.append(f"as {service} is synced")
        names = ", ".join(pod.name for pod in pods) or "no Pods"
        self._story.tell(
            "controller", f"syncs {_name(namespace, service)} with {names}", _format_times(trigger)
        )
        return trigger

    def altered(self) -> list[str]:
        """Return the syncs in which the candidate altered its arguments, as text; empty if none.

        Raises NotOffered if the candidate receives copies.
        """
        if not self._session.shares:
            raise NotOffered(OWN_COPIES)
        return self._altered

    def sync_at_once(self, *services: str, deleted: str = "") -> list[Nanoseconds | None]:
        """Sync several Services at once, as a race; return their trigger times.

        ``deleted``: another Service, whose deletion is reported to the candidate at the same time.
        """
        syncs = {f"controller {n}": service for n, service in enumerate(services, 1)}
        programs: dict[str, Sequence[Operation]] = {
            lane: [("compute", *self._question(NAMESPACE, service))] for lane, service in syncs.items()
        }
        if deleted:
            programs["informer"] = [
                ("delete", self._story.salt_name(NAMESPACE), self._story.salt_name(deleted))
            ]
        calls = {call.lane: call for call in self._session.race(programs, self._order)}
        told: list[Told] = []
        found = []
        if deleted:
            call = calls["informer"]
            assert not call.fault, f"delete of {deleted} {call.fault}"
            told.append((call.start, "informer", f"{deleted} is deleted", "", None))
        for lane, service in syncs.items():
            call = calls[lane]
            assert not call.fault, f"compute for {service} {call.fault}"
            found.append(self._trigger(call.result))
            told.append((call.start, lane, f"syncs {service}", _format_times(found[-1]), None))
        self._story.tell_in_order(told, self._order.asides)
        return found

    def delete(self, service: str = "web", *, namespace: str = NAMESPACE) -> None:
        """Delete the Service and report that to the candidate; the Pods stay."""
        self._services.pop((namespace, service), None)
        self._call("delete", self._story.salt_name(namespace), self._story.salt_name(service))
        self._story.tell("controller", f"{_name(namespace, service)} is deleted")

    def restart(self) -> None:
        """Replace the candidate by a fresh one; the Services and their Pods stay."""
        self._session.restart()
        self._story.tell("controller", "is started anew")

    def _question(self, namespace: str, service: str) -> tuple[str, Service, Sequence[Pod]]:
        salted = self._story.salt_name
        asked = self._services[namespace, service]
        pods = [replace(pod, name=salted(pod.name)) for pod in self._pods[namespace, service].values()]
        labels, annotations = dict(asked.labels), dict(asked.annotations)
        service_ = replace(asked, name=salted(asked.name), labels=labels, annotations=annotations)
        return salted(namespace), service_, pods

    def _call(self, op: str, *args: Any) -> Any:
        return answer(self._session, self._story, "controller", op, *args)

    def _trigger(self, found: object) -> Nanoseconds | None:
        assert found is None or is_a(found, int), f"compute returned {show(found)}, which is no time"
        return None if found is None else found - self._origin

    def _instant(self, at: Nanoseconds | None) -> Nanoseconds | None:
        return None if at is None else self._origin + at

    def _conditions(self, times: Mapping[str, Nanoseconds]) -> list[Condition]:
        return [Condition(kind, "True", self._instant(at)) for kind, at in times.items()]


def _name(namespace: str, service: str) -> str:
    return service if namespace == NAMESPACE else f"{service} in {namespace}"


def _at(at: Nanoseconds | None) -> str:
    return "at no time" if at is None else f"at {format_span(at)}"


def _format_times(trigger: Nanoseconds | None) -> str:
    return "no trigger time" if trigger is None else f"triggered at {format_span(trigger)}"
