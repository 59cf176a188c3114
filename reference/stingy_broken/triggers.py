"""Trigger-time trackers that find the wrong times."""

from __future__ import annotations

from dataclasses import replace

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_reference import TriggerTimeTracker
from stingy_reference.trigger import Seen, _later, _turned


@breaks("triggers/a-new-service-was-triggered-by-its-creation")
class FindsNothingAtFirst(TriggerTimeTracker):
    """At first sight there is nothing to compare with, so nothing is new."""

    def compute(self, namespace, service, pods):
        first = (namespace, service.name) not in self._seen
        found = super().compute(namespace, service, pods)
        return None if first else found


@breaks("triggers/names-that-run-together-are-kept-apart")
class JoinsTheNamesByADash(TriggerTimeTracker):
    """Knows a Service by its namespace and its name with a dash between them."""

    def compute(self, namespace, service, pods):
        return super().compute("", replace(service, name=f"{namespace}-{service.name}"), pods)

    def delete(self, namespace, name):
        super().delete("", f"{namespace}-{name}")


@breaks("triggers/the-pods-of-a-new-service-do-not-count-yet")
class CountsThePodsAtOnce(TriggerTimeTracker):
    """At first sight, takes the earliest of the Service and its Pods."""

    def compute(self, namespace, service, pods):
        first = (namespace, service.name) not in self._seen
        found = super().compute(namespace, service, pods)
        times = [time for time in map(_turned, pods) if time is not None]
        return min([found, *times]) if first and found is not None else found


@breaks("triggers/a-restart-makes-everything-new")
class TakesTheLatestAtOnce(TriggerTimeTracker):
    """At first sight, takes the latest of the Service and its Pods."""

    def compute(self, namespace, service, pods):
        first = (namespace, service.name) not in self._seen
        found = super().compute(namespace, service, pods)
        times = [time for time in map(_turned, pods) if time is not None]
        return max([found, *times]) if first and found is not None else found


@breaks("triggers/a-service-that-was-created-at-no-time")
class FindsAPodAtFirst(TriggerTimeTracker):
    """At first sight of a Service without a creation time, takes the earliest of its Pods."""

    def compute(self, namespace, service, pods):
        first = (namespace, service.name) not in self._seen
        found = super().compute(namespace, service, pods)
        times = [time for time in map(_turned, pods) if time is not None]
        return min(times, default=None) if first and service.created is None else found


@breaks("triggers/what-has-not-changed-is-no-trigger")
class TellsItTwice(TriggerTimeTracker):
    """If nothing has changed, finds what it found before."""

    def __init__(self):
        super().__init__()
        self._found = {}

    def compute(self, namespace, service, pods):
        first = (namespace, service.name) not in self._seen
        found = super().compute(namespace, service, pods)
        if first:
            return found
        if found is not None:
            self._found[namespace, service.name] = found
        return self._found.get((namespace, service.name))


@breaks("triggers/a-pod-triggers-when-it-turns")
class CountsReadyPodsAlone(TriggerTimeTracker):
    """A Pod that is not ready has no time."""

    def _look(self, service, pods):
        return super()._look(service, [pod for pod in pods if _status(pod) == "True"])


@breaks("triggers/a-pod-triggers-when-it-turns")
class PassesOverTheUnknown(TriggerTimeTracker):
    """A Pod of which nobody knows whether it is ready has no time: its node is gone."""

    def _look(self, service, pods):
        return super()._look(service, [pod for pod in pods if _status(pod) != "Unknown"])


def _status(pod):
    return next((it.status for it in pod.conditions if it.type == "Ready"), None)


@breaks("triggers/a-pod-that-is-new-triggers")
class KnowsNoNewPods(TriggerTimeTracker):
    """Only a Pod that was there before can trigger."""

    def _news(self, before, now):
        known = {name: time for name, time in now.turned.items() if name in before.turned}
        return super()._news(before, replace(now, turned=known))


@breaks("triggers/a-pod-triggers-when-it-turns")
class KnowsOnlyNewPods(TriggerTimeTracker):
    """Only a Pod that was not there before can trigger."""

    def _news(self, before, now):
        new = {name: time for name, time in now.turned.items() if name not in before.turned}
        return super()._news(before, replace(now, turned=new))


@breaks("triggers/only-the-ready-condition-counts")
class GoesByTheFirstCondition(TriggerTimeTracker):
    """Takes the first condition of a Pod for the one that counts."""

    def _look(self, service, pods):
        return super()._look(service, [replace(pod, conditions=_ready(pod.conditions[:1])) for pod in pods])


@breaks("triggers/only-the-ready-condition-counts")
class GoesByTheLastCondition(TriggerTimeTracker):
    """Takes the last condition of a Pod for the one that counts."""

    def _look(self, service, pods):
        return super()._look(service, [replace(pod, conditions=_ready(pod.conditions[-1:])) for pod in pods])


@breaks("triggers/only-the-ready-condition-counts")
class GoesByTheLatestCondition(TriggerTimeTracker):
    """Takes the condition that has turned last for the one that counts."""

    def _look(self, service, pods):
        def latest(pod):
            with_time = [it for it in pod.conditions if it.last_transition is not None]
            return sorted(with_time, key=lambda it: it.last_transition)[-1:]

        return super()._look(service, [replace(pod, conditions=_ready(latest(pod))) for pod in pods])


def _ready(conditions):
    return tuple(replace(it, type="Ready") for it in conditions)


@breaks("triggers/a-condition-that-is-not-ready-triggers-nothing")
class TriggersByAnyCondition(TriggerTimeTracker):
    """A Pod triggers with its Ready condition, at any change of its status."""

    def __init__(self):
        super().__init__()
        self._pods = {}

    def compute(self, namespace, service, pods):
        before = self._pods.get((namespace, service.name), {})
        self._pods[namespace, service.name] = {pod.name: pod for pod in pods}
        found = super().compute(namespace, service, pods)
        changed = [_turned(pod) for pod in pods if pod.name in before and before[pod.name] != pod]
        return min([it for it in [found, *changed] if it is not None], default=None)


@breaks("triggers/a-pod-without-the-condition-triggers-nothing")
class TakesMissingFor1970(TriggerTimeTracker):
    """A condition without a time turned in 1970, it thinks."""

    def _look(self, service, pods):
        return replace(super()._look(service, pods), turned={pod.name: _turned(pod) or 0 for pod in pods})


@breaks("triggers/only-what-is-later-is-a-trigger")
class TakesAnyOtherTimeForNews(TriggerTimeTracker):
    """A time that differs from the one before is new to it, also if it is earlier."""

    def _news(self, before, now):
        turned = {name: time for name, time in now.turned.items() if time != before.turned.get(name)}
        return super()._news(replace(before, turned={}), replace(now, turned=turned))


@breaks("triggers/a-time-that-went-back-is-remembered")
class RemembersTheHighestTime(TriggerTimeTracker):
    """Compares with the highest time that a Pod had, not with its last."""

    def _look(self, service, pods):
        now = super()._look(service, pods)
        before = next((seen for (_, name), seen in self._seen.items() if name == service.name), Seen())
        highest = {name: max(time, before.turned.get(name, time)) for name, time in now.turned.items()}
        return replace(now, turned=highest)


@breaks("triggers/without-the-condition-a-pod-is-forgotten")
class RemembersOnlyWhatItTold(TriggerTimeTracker):
    """Takes note of what it has seen only if it has found a time."""

    def compute(self, namespace, service, pods):
        before = self._seen.get((namespace, service.name))
        found = super().compute(namespace, service, pods)
        if found is None and before is not None:
            self._seen[namespace, service.name] = before
        return found


@breaks("triggers/the-earliest-of-several-counts")
class TakesTheFirst(TriggerTimeTracker):
    """Of several Pods, finds the first one's in the list."""

    def _news(self, before, now):
        pods = super()._news(before, replace(now, created=None))[:1]
        return pods + [time for time in super()._news(before, now)[-1:] if time == now.created]


@breaks("triggers/what-was-seen-before-does-not-count")
class KeepsTheEarliest(TriggerTimeTracker):
    """If anything is new, finds the earliest of all that was ever new."""

    def __init__(self):
        super().__init__()
        self._told = []

    def _news(self, before, now):
        news = super()._news(before, now)
        self._told += news
        return self._told if news else []


@breaks("triggers/whatever-happens-the-earliest-that-is-new-counts")
class KnowsAServiceTwice(TriggerTimeTracker):
    """Takes a later creation time for news once."""

    def __init__(self):
        super().__init__()
        self._told = set()

    def compute(self, namespace, service, pods):
        before = self._seen.get((namespace, service.name))
        if before is not None and _later(service.created, before.created):
            if (namespace, service.name) in self._told:
                service = replace(service, created=before.created)
            self._told.add((namespace, service.name))
        return super().compute(namespace, service, pods)


@breaks("triggers/service-and-pods-count-alike")
class PrefersTheService(TriggerTimeTracker):
    """If the Service was created again, its Pods do not count."""

    def _news(self, before, now):
        created = super()._news(before, replace(now, turned={}))
        return created or super()._news(before, now)


@breaks("triggers/service-and-pods-count-alike")
class PrefersThePods(TriggerTimeTracker):
    """If a Pod has turned, the Service does not count."""

    def _news(self, before, now):
        turned = super()._news(before, replace(now, created=None))
        return turned or super()._news(before, now)


@breaks("triggers/a-change-of-the-service-is-no-trigger")
class NoticesEdits(TriggerTimeTracker):
    """A Service that has changed in any way triggers with its creation time."""

    def __init__(self):
        super().__init__()
        self._services = {}

    def compute(self, namespace, service, pods):
        before = self._services.get((namespace, service.name), service)
        self._services[namespace, service.name] = service
        found = super().compute(namespace, service, pods)
        edited = before != service and before.created == service.created
        return service.created if found is None and edited else found


@breaks("triggers/a-pod-that-goes-is-no-trigger")
class NoticesRemovals(TriggerTimeTracker):
    """A Pod that is gone triggers with the time it had."""

    def _news(self, before, now):
        gone = [time for name, time in before.turned.items() if name not in now.turned]
        return super()._news(before, now) + gone


@breaks("triggers/a-pod-that-goes-is-no-trigger")
class BeginsAnewWhenOneGoes(TriggerTimeTracker):
    """When a Pod is gone, takes note of none of the others."""

    def compute(self, namespace, service, pods):
        before = self._seen.get((namespace, service.name), Seen())
        found = super().compute(namespace, service, pods)
        now = self._seen[namespace, service.name]
        if before.turned.keys() - now.turned.keys():
            self._seen[namespace, service.name] = replace(now, turned={})
        return found


@breaks("triggers/to-delete-a-service-concerns-no-other")
class ForgetsAServiceWithoutPods(TriggerTimeTracker):
    """A Service that selects nothing is a new one when it comes again."""

    def compute(self, namespace, service, pods):
        found = super().compute(namespace, service, pods)
        if not pods:
            self.delete(namespace, service.name)
        return found


@breaks("triggers/a-pod-that-comes-back-counts-again")
class RemembersWhoLeft(TriggerTimeTracker):
    """Never forgets a Pod of a Service."""

    def _look(self, service, pods):
        gone = {}
        for (_, name), seen in self._seen.items():
            if name == service.name:
                gone = {pod: time for pod, time in seen.turned.items() if pod not in {it.name for it in pods}}
        now = super()._look(service, pods)
        return replace(now, turned={**gone, **now.turned})


@breaks("triggers/without-the-condition-a-pod-is-forgotten")
class RemembersWhoHasNoCondition(TriggerTimeTracker):
    """A Pod that has lost its Ready condition keeps its time."""

    def _look(self, service, pods):
        kept = {}
        for (_, name), seen in self._seen.items():
            if name == service.name:
                kept = {it.name: seen.turned[it.name] for it in pods if it.name in seen.turned}
        now = super()._look(service, pods)
        return replace(now, turned={**kept, **now.turned})


@breaks("triggers/only-the-last-sync-is-remembered")
class RemembersWhoLeftTheOthers(TriggerTimeTracker):
    """Forgets the Pods of a Service only when there are none any more."""

    def compute(self, namespace, service, pods):
        before = self._seen.get((namespace, service.name), Seen())
        found = super().compute(namespace, service, pods)
        now = self._seen[namespace, service.name]
        if now.turned:
            self._seen[namespace, service.name] = replace(now, turned={**before.turned, **now.turned})
        return found


@breaks("triggers/a-pod-triggers-each-of-its-services")
class SharesThePods(TriggerTimeTracker):
    """A Pod that was seen with one Service is known to all of them."""

    def __init__(self):
        super().__init__()
        self._turned = {}

    def compute(self, namespace, service, pods):
        self._shared = dict(self._turned)
        self._turned.update({pod.name: _turned(pod) for pod in pods})
        return super().compute(namespace, service, pods)

    def _news(self, before, now):
        return super()._news(replace(before, turned=before.turned | self._known(now)), now)

    def _known(self, now):
        return {name: time for name, time in self._shared.items() if now.turned.get(name) == time is not None}


@breaks("triggers/several-services-can-be-synced-at-once")
class WritesBackAnOldCopy(TriggerTimeTracker):
    """Works on a copy of all it knows, and forgets what was noted of other Services meanwhile."""

    def compute(self, namespace, service, pods):
        copy = TriggerTimeTracker()
        copy._seen = dict(self._seen)
        found = copy.compute(namespace, service, pods)
        self._seen = copy._seen
        return found


@breaks("triggers/a-time-may-be-finer-than-a-second")
class CountsWholeSeconds(TriggerTimeTracker):
    """Knows whole seconds only."""

    def _look(self, service, pods):
        now = super()._look(service, pods)
        second = 1_000_000_000
        return replace(now, turned={name: time // second * second for name, time in now.turned.items()})


@breaks("triggers/a-restart-makes-everything-new")
class SharesItsMemory(TriggerTimeTracker):
    """What it has seen is kept in its class, and so shared with every other one."""

    _all = {}  # noqa: RUF012

    def __init__(self):
        super().__init__()
        self._seen = self._all


define(globals())
