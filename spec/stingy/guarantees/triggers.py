"""Trigger times: what is a trigger.

An EndpointSlice tells when that happened which it was changed for, its *trigger time*: the Ready condition of
a Pod turned, or the Service was created. The controller finds it out anew at each sync of a Service: it
compares the times that it is shown with those of the sync before.

Two things are often told otherwise. No *change* of a Service is a trigger, its creation alone is. And only
that creation is stamped by the control plane: the time of a Pod comes from the kubelet of the Pod's node, or
from the controller that gave that node up. The skew that spoils a latency is one between two nodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from stingy.contract import MILLISECOND
from stingy.contract.sources import INFORMERS, SLI, TRIGGER_TESTS, TRIGGERS
from stingy.guarantees.handing_out import MANY
from stingy.language import (
    SECOND,
    AtOnce,
    Compound,
    ControlPlane,
    Nanoseconds,
    Row,
    format_span,
    forms,
    rule,
    steps,
)

COMPUTE = TRIGGERS["ComputeEndpointLastChangeTriggerTime"]
EARLIEST = TRIGGERS["minChangedTriggerTime"]
FIRST_SEEN = TRIGGERS["wasKnown"]
POD = TRIGGERS["getPodTriggerTime"]
PODS = TRIGGERS["lastPodTriggerTimes"]

HAPPENINGS = forms(
    *("POD turns [at NUMBER]", "POD goes", "POD starts"),
    *("web is created again", "web is edited", "sync"),
)


@dataclass(frozen=True)
class Happening(Row):
    """Seconds after the origin."""

    case: str
    pods: Mapping[str, int] = field(default_factory=dict)
    """When the Ready condition of each turned."""

    def cells(self) -> dict[str, str]:
        return {"case": self.case, "pods": ", ".join(f"{pod} at {at} s" for pod, at in self.pods.items())}


def known(control_plane: ControlPlane, *, created: Nanoseconds = 0, **pods: int) -> None:
    """The Service has been created, its Pods turned so many seconds after the origin, and a sync has seen it all."""
    control_plane.create("web", at=created)
    for pod, at in pods.items():
        control_plane.turn(pod, at=at * SECOND)
    control_plane.sync("web")


@rule(cites=FIRST_SEEN)
def a_new_service_was_triggered_by_its_creation(control_plane: ControlPlane) -> None:
    """The first sync of a Service MUST find its creation time."""
    control_plane.create("web", at=10 * SECOND)

    assert control_plane.sync("web") == 10 * SECOND


@rule(
    cites=(TRIGGER_TESTS["TestNewServiceExistingPods"], TRIGGERS["wasKnown"]),
    after="triggers/a-new-service-was-triggered-by-its-creation",
    each=[
        Happening("earlier", {"a": 1}),
        Happening("later", {"a": 50}),
        Happening("both", {"a": 50, "b": 1}),
    ],
)
def the_pods_of_a_new_service_do_not_count_yet(control_plane: ControlPlane, row: Happening) -> None:
    """The first sync of a Service MUST find its creation time, whenever its Pods became ready.

    They may be days older than the Service that now selects them.
    """
    control_plane.create("web", at=10 * SECOND)
    for pod, at in row.pods.items():
        control_plane.turn(pod, at=at * SECOND)

    assert control_plane.sync("web") == 10 * SECOND


@rule(
    cites=(TRIGGER_TESTS["TestPodsUpdatedNoOp"], TRIGGERS["minChangedTriggerTime"]),
    after="triggers/a-new-service-was-triggered-by-its-creation",
)
def the_first_sync_has_seen_the_pods_of_a_new_service(control_plane: ControlPlane) -> None:
    """What the first sync of a Service was shown MUST NOT trigger the second one."""
    known(control_plane, a=1, b=50)

    assert control_plane.sync("web") is None


@rule(
    cites=TRIGGERS["wasKnown"].in_code,
    after="triggers/a-new-service-was-triggered-by-its-creation",
)
def a_service_that_was_created_at_no_time(control_plane: ControlPlane) -> None:
    """The first sync of a Service without a creation time SHOULD find none, whatever its Pods say.

    No API server leaves it out, so a port may do as it pleases.
    """
    control_plane.create("web", at=None)
    control_plane.turn("a", at=7 * SECOND)

    assert control_plane.sync("web") is None


@rule(
    cites=(TRIGGER_TESTS["TestPodsUpdatedNoOp"], TRIGGERS["minChangedTriggerTime"]),
    after="triggers/the-first-sync-has-seen-the-pods-of-a-new-service",
)
def what_has_not_changed_is_no_trigger(control_plane: ControlPlane) -> None:
    """A sync MUST NOT find a trigger time while nothing has changed since the one before.

    A controller syncs again and again: after errors, at each resync, for what concerns no endpoint.
    """
    known(control_plane, a=1, b=5)
    control_plane.turn("b", at=60 * SECOND, ready="False")
    control_plane.sync("web")

    assert control_plane.sync("web") is None
    assert control_plane.sync("web") is None


@dataclass(frozen=True)
class Turn(Row):
    from_: str
    to: str

    @property
    def name(self) -> str:
        return f"{self.from_} to {self.to}"


@rule(
    cites=(SLI["pod condition"], TRIGGERS["getPodTriggerTime"]),
    after="triggers/the-first-sync-has-seen-the-pods-of-a-new-service",
    each=[
        Turn("False", "True"),
        Turn("True", "False"),
        Turn("True", "Unknown"),
        Turn("Unknown", "True"),
        Turn("False", "Unknown"),
    ],
)
def a_pod_triggers_when_it_turns(control_plane: ControlPlane, row: Turn) -> None:
    """A Pod MUST trigger with the time at which its Ready condition last turned, whichever way.

    That a Pod is *not* ready any more is what a node has to hear of soonest.
    """
    control_plane.create("web", at=0)
    control_plane.turn("a", at=1 * SECOND, ready=row.from_)
    control_plane.sync("web")

    control_plane.turn("a", at=60 * SECOND, ready=row.to)

    assert control_plane.sync("web") == 60 * SECOND


@rule(
    cites=(TRIGGER_TESTS["TestPodsAdded"], TRIGGERS["getPodTriggerTime"]),
    after="triggers/the-first-sync-has-seen-the-pods-of-a-new-service",
)
def a_pod_that_is_new_triggers(control_plane: ControlPlane) -> None:
    """A Pod that has become ready since the last sync, and was not there then, MUST trigger with that time."""
    known(control_plane, a=1)

    control_plane.turn("b", at=60 * SECOND)

    assert control_plane.sync("web") == 60 * SECOND


@dataclass(frozen=True)
class Others(Row):
    """Seconds after the origin at which another condition turned; the Ready condition did so at 60 s."""

    the_other_one: str
    before: Mapping[str, int] = field(default_factory=dict)
    after: Mapping[str, int] = field(default_factory=dict)

    def cells(self) -> dict[str, str]:
        times = [f"{kind} at {at} s" for kind, at in {**self.before, **self.after}.items()]
        return {"the other one": self.the_other_one, "turned": ", ".join(times)}


@rule(
    cites=(SLI["pod condition"], TRIGGERS["getPodTriggerTime"]),
    after="triggers/a-pod-triggers-when-it-turns",
    each=[
        Others("earlier, listed first", before={"PodScheduled": 30}),
        Others("later, listed first", before={"ContainersReady": 90}),
        Others("earlier, listed last", after={"Initialized": 30}),
        Others("later, listed last", after={"ContainersReady": 90}),
    ],
)
def only_the_ready_condition_counts(control_plane: ControlPlane, row: Others) -> None:
    """No other condition of a Pod MUST count, wherever its status lists it.

    A Pod gets its traffic by *Ready*, which waits for its readiness gates, and for nothing else by that name.
    """
    known(control_plane, a=1)

    control_plane.turn(
        "a",
        at=60 * SECOND,
        before={kind: at * SECOND for kind, at in row.before.items()},
        after={kind: at * SECOND for kind, at in row.after.items()},
    )

    assert control_plane.sync("web") == 60 * SECOND


@rule(
    cites=(SLI["pod condition"], TRIGGERS["getPodTriggerTime"]),
    after="triggers/a-pod-triggers-when-it-turns",
)
def a_condition_that_is_not_ready_triggers_nothing(control_plane: ControlPlane) -> None:
    """A Pod MUST NOT trigger when only another of its conditions has turned."""
    known(control_plane, a=1)

    control_plane.turn("a", at=1 * SECOND, after={"ContainersReady": 60 * SECOND})

    assert control_plane.sync("web") is None


@rule(
    cites=(SLI["pod condition"], TRIGGERS["getPodTriggerTime"]),
    after="triggers/a-pod-that-is-new-triggers",
)
def a_pod_without_the_condition_triggers_nothing(control_plane: ControlPlane) -> None:
    """A Pod without a Ready condition, or with one that has no time, MUST trigger nothing."""
    known(control_plane, a=1)

    control_plane.no_condition("b")
    control_plane.turn("c", at=None, ready="False")

    assert control_plane.sync("web") is None


@dataclass(frozen=True)
class NotLater(Row):
    it_turned: str
    at: int


@rule(
    cites=TRIGGERS["lastPodTriggerTimes"].in_code,
    after=(
        "triggers/what-has-not-changed-is-no-trigger",
        "triggers/a-condition-that-is-not-ready-triggers-nothing",
    ),
    each=[NotLater("at the very time", 60), NotLater("before", 50)],
)
def only_what_is_later_is_a_trigger(control_plane: ControlPlane, row: NotLater) -> None:
    """A Pod SHOULD NOT trigger with a time that is not later than the one seen before.

    The clock of a node may be set back. A trigger time before the last one would be measured as a long latency.
    """
    known(control_plane, a=60)

    control_plane.turn("a", at=row.at * SECOND, ready="False")

    assert control_plane.sync("web") is None


@rule(
    cites=TRIGGERS["lastPodTriggerTimes"].in_code,
    after="triggers/only-what-is-later-is-a-trigger",
)
def a_time_that_went_back_is_remembered(control_plane: ControlPlane) -> None:
    """A time that went back SHOULD be what the next one is compared with, so that the former one triggers again."""
    known(control_plane, a=60)
    control_plane.turn("a", at=50 * SECOND, ready="False")
    control_plane.sync("web")

    control_plane.turn("a", at=60 * SECOND)

    assert control_plane.sync("web") == 60 * SECOND


@rule(
    cites=(TRIGGERS["minChangedTriggerTime"], SLI["oldest"], TRIGGER_TESTS["TestPodsUpdated"]),
    after=("triggers/a-pod-triggers-when-it-turns", "triggers/a-pod-that-is-new-triggers"),
    each=[
        Happening("the first", {"a": 60, "b": 70, "c": 80}),
        Happening("one in the middle", {"a": 70, "b": 60, "c": 80}),
        Happening("the last", {"a": 80, "b": 70, "c": 60}),
        Happening("two at once", {"a": 70, "b": 60, "c": 60}),
        Happening("one that is new", {"a": 70, "d": 60}),
        Happening("one that was there", {"d": 70, "b": 60}),
    ],
)
def the_earliest_of_several_counts(control_plane: ControlPlane, row: Happening) -> None:
    """If several Pods have turned since the last sync, the earliest of these times MUST be found.

    One annotation has to do for all of them, and it is the one that has waited longest that is late.
    """
    known(control_plane, a=1, b=2, c=3)

    for pod, at in row.pods.items():
        control_plane.turn(pod, at=at * SECOND)

    assert control_plane.sync("web") == 60 * SECOND


@rule(cites=EARLIEST, after="triggers/the-earliest-of-several-counts")
def what_was_seen_before_does_not_count(control_plane: ControlPlane) -> None:
    """Only times that have changed since the last sync MUST count: an older one has been told already."""
    known(control_plane, created=5 * SECOND, a=1, b=2)
    control_plane.turn("a", at=60 * SECOND)
    control_plane.sync("web")

    control_plane.turn("b", at=90 * SECOND)

    assert control_plane.sync("web") == 90 * SECOND


@rule(
    cites=(TRIGGERS["minChangedTriggerTime"], TRIGGERS["service trigger time"]),
    after="triggers/what-has-not-changed-is-no-trigger",
)
def a_service_created_again_triggers(control_plane: ControlPlane) -> None:
    """A Service whose creation time is later than the one seen before MUST trigger with it.

    It was deleted and created between two syncs, and nobody said so.
    """
    known(control_plane, created=10 * SECOND, a=1)

    control_plane.create("web", at=100 * SECOND)

    assert control_plane.sync("web") == 100 * SECOND


@rule(cites=TRIGGERS["getServiceTriggerTime"], after="triggers/a-service-created-again-triggers")
def a_service_created_earlier_triggers_nothing(control_plane: ControlPlane) -> None:
    """A Service whose creation time is earlier than the one seen before SHOULD NOT trigger."""
    known(control_plane, created=10 * SECOND, a=1)

    control_plane.create("web", at=5 * SECOND)

    assert control_plane.sync("web") is None


@dataclass(frozen=True)
class ServiceAndPod(Row):
    earlier: str
    created: int
    turned: int


@rule(
    cites=(TRIGGERS["minChangedTriggerTime"], TRIGGERS["service trigger time"]),
    after=("triggers/a-service-created-again-triggers", "triggers/the-earliest-of-several-counts"),
    each=[ServiceAndPod("the Pod", 200, 150), ServiceAndPod("the Service", 150, 200)],
)
def service_and_pods_count_alike(control_plane: ControlPlane, row: ServiceAndPod) -> None:
    """If the Service was created again and a Pod has turned as well, the earlier of the two times MUST be found."""
    known(control_plane, a=1)

    control_plane.create("web", at=row.created * SECOND)
    control_plane.turn("a", at=row.turned * SECOND)

    assert control_plane.sync("web") == 150 * SECOND


@dataclass(frozen=True)
class Edit(Row):
    what: str
    fields: Mapping[str, object]

    def cells(self) -> dict[str, str]:
        return {"what": self.what}


@rule(
    cites=(TRIGGER_TESTS["TestServiceUpdatedNoPodChange"], TRIGGERS["getServiceTriggerTime"]),
    after="triggers/what-has-not-changed-is-no-trigger",
    each=[
        Edit("its ports", {"ports": (80, 443)}),
        Edit("its labels", {"labels": {"tier": "front"}}),
        Edit("its annotations", {"annotations": {"note": "moved"}}),
        Edit("its resource version alone", {}),
    ],
)
def a_change_of_the_service_is_no_trigger(control_plane: ControlPlane, row: Edit) -> None:
    """A change of anything but the creation time of a Service MUST NOT trigger.

    The object does not tell when that was; the SLI leaves it to be defined (kubernetes/kubernetes#81360).
    """
    known(control_plane, created=10 * SECOND, a=1)

    control_plane.edit("web", **row.fields)

    assert control_plane.sync("web") is None


@rule(
    cites=(TRIGGER_TESTS["TestPodDeletedThenAdded"], TRIGGERS["lastPodTriggerTimes"]),
    after="triggers/what-has-not-changed-is-no-trigger",
)
def a_pod_that_goes_is_no_trigger(control_plane: ControlPlane) -> None:
    """A Pod that is gone since the last sync MUST NOT trigger, nor make another one do so.

    When it went nobody has noted. Upstream knows that removals are not measured (kubernetes/kubernetes#81360).
    """
    known(control_plane, a=1, b=60)

    control_plane.leave("b")

    assert control_plane.sync("web") is None
    assert control_plane.sync("web") is None


@rule(
    cites=TRIGGERS["lastPodTriggerTimes"].in_code,
    after=("triggers/a-pod-that-goes-is-no-trigger", "triggers/a-pod-that-is-new-triggers"),
)
def a_pod_that_comes_back_counts_again(control_plane: ControlPlane) -> None:
    """A Pod that was gone at one sync and is back at the next SHOULD trigger again, with its old time.

    Only the Pods of the last sync are remembered. To remember them longer would be more exact, and take more room.
    """
    known(control_plane, a=60)
    control_plane.leave("a")
    control_plane.sync("web")

    control_plane.turn("a", at=60 * SECOND)

    assert control_plane.sync("web") == 60 * SECOND


@rule(
    cites=TRIGGERS["getPodTriggerTime"].in_code,
    after="triggers/a-pod-without-the-condition-triggers-nothing",
)
def without_the_condition_a_pod_is_forgotten(control_plane: ControlPlane) -> None:
    """A Pod that had no Ready condition at one sync SHOULD trigger with the one it has at the next, however old."""
    known(control_plane, a=60)
    control_plane.no_condition("a")
    control_plane.sync("web")

    control_plane.turn("a", at=60 * SECOND)

    assert control_plane.sync("web") == 60 * SECOND


@rule(
    cites=PODS,
    after="triggers/a-pod-that-is-new-triggers",
    contested=("the oldest of their times", "the latest of their times", "none"),
)
def what_a_new_selector_triggers(control_plane: ControlPlane) -> str:
    """Where a Service has come to select other Pods, the trigger time MAY be one of theirs, or none.

    Upstream takes the oldest, which may be days ago: each Pod is new to the Service. Nothing tells when the
    selector was changed.
    """
    known(control_plane, created=50 * SECOND, a=60)

    control_plane.leave("a")
    control_plane.turn("x", at=2 * SECOND)
    control_plane.turn("y", at=3 * SECOND)

    found = control_plane.sync("web")
    times = {2 * SECOND: "the oldest of their times", 3 * SECOND: "the latest of their times", None: "none"}
    return times[found] if found in times else format_span(found or 0)


@rule(
    cites=PODS,
    after="triggers/only-what-is-later-is-a-trigger",
    contested=("it is taken for the one before", "it is another Pod"),
)
def a_pod_of_the_same_name(control_plane: ControlPlane) -> str:
    """A Pod of a name that is known but of another uid MAY be taken for the one before, or for a new one.

    Upstream goes by the name. Where the node of the new one has a slower clock, its becoming ready is not told.
    """
    control_plane.create("web", at=0)
    control_plane.turn("db-0", at=60 * SECOND, uid="1")
    control_plane.sync("web")

    control_plane.turn("db-0", at=59 * SECOND, uid="2")

    return "it is taken for the one before" if control_plane.sync("web") is None else "it is another Pod"


@dataclass(frozen=True)
class RunTogether(Row):
    """Of two Services, whose namespaces and names are the same parts, divided at another place."""

    joined_by: str
    between: str


RUN_TOGETHER = (RunTogether("nothing", ""), RunTogether("a dash", "-"))


@dataclass(frozen=True)
class Other(Row):
    another: str
    service: str
    namespace: str


@rule(
    cites=TRIGGERS["ServiceKey"],
    after="triggers/a-new-service-was-triggered-by-its-creation",
    each=[
        Other("namespace", "web", "test"),
        Other("name", "db", "shop"),
        Other("name and namespace", "db", "test"),
    ],
)
def each_service_is_seen_for_itself(control_plane: ControlPlane, row: Other) -> None:
    """Services that differ in their namespace or their name MUST be kept apart: each has a first sync of its own."""
    known(control_plane, created=20 * SECOND, a=1)

    control_plane.create(row.service, at=10 * SECOND, namespace=row.namespace)

    assert control_plane.sync(row.service, namespace=row.namespace) == 10 * SECOND


@rule(
    cites=TRIGGERS["ServiceKey"],
    after="triggers/each-service-is-seen-for-itself",
    each=RUN_TOGETHER,
)
def names_that_run_together_are_kept_apart(control_plane: ControlPlane, row: RunTogether) -> None:
    """Services MUST be kept apart even if namespace and name, one behind the other, read the same."""
    service, namespace = Compound(f"b{row.between}", "c"), Compound(f"a{row.between}", "b")
    control_plane.create(service, at=20 * SECOND, namespace="a")
    control_plane.sync(service, namespace="a")

    control_plane.create("c", at=10 * SECOND, namespace=namespace)

    assert control_plane.sync("c", namespace=namespace) == 10 * SECOND, (
        "are namespace and name joined to one text as the key?"
    )


@rule(cites=INFORMERS["ResourceEventHandler"], after="triggers/a-pod-triggers-when-it-turns")
def what_is_handed_in_stays_as_it_was(control_plane: ControlPlane) -> None:
    """A tracker MUST NOT alter the Service and the Pods that it is handed: the informer hands the same objects to others."""
    control_plane.create("web", at=0)
    control_plane.turn("a", at=2 * SECOND)
    control_plane.turn("b", at=1 * SECOND)
    control_plane.sync("web")
    control_plane.turn("a", at=60 * SECOND)
    control_plane.sync("web")

    assert control_plane.altered() == []


@rule(
    cites=(TRIGGERS["lastPodTriggerTimes"], TRIGGERS["minChangedTriggerTime"]),
    after=("triggers/what-has-not-changed-is-no-trigger", "triggers/each-service-is-seen-for-itself"),
)
def of_many_services_none_is_forgotten(control_plane: ControlPlane) -> None:
    """However many Services there are, what was seen of each MUST be remembered: unchanged, none of them triggers again.

    Who has forgotten one finds its creation time, which may be years ago, and every node measures that.
    """
    services = [f"web-{n}" for n in range(1, MANY + 1)]
    for service in services:
        control_plane.create(service, at=0)
        control_plane.sync(service)

    assert [service for service in services if control_plane.sync(service) is not None] == [], (
        "is there a cache of Services that can be full?"
    )


@rule(
    cites=(TRIGGERS["lastPodTriggerTimes"], TRIGGERS["minChangedTriggerTime"]),
    after=(
        "triggers/what-has-not-changed-is-no-trigger",
        "triggers/the-earliest-of-several-counts",
        "triggers/what-was-seen-before-does-not-count",
    ),
)
def of_many_pods_each_counts(control_plane: ControlPlane) -> None:
    """However many Pods a Service selects, each MUST be looked at, and remembered.

    A Service can have thousands, in a slice for each hundred.
    """
    control_plane.create("web", at=0)
    pods = [f"pod-{n}" for n in range(1, MANY + 1)]
    for n, pod in enumerate(pods, 1):
        control_plane.turn(pod, at=n * SECOND)
    control_plane.sync("web")
    assert control_plane.sync("web") is None

    for after, pod in enumerate((pods[0], pods[MANY // 2], pods[-1]), MANY + 1):
        control_plane.turn(pod, at=after * SECOND)

        assert control_plane.sync("web") == after * SECOND, (
            "is there a limit to the Pods that are looked at, or remembered?"
        )


@rule(
    cites=(TRIGGERS["ServiceKey"], TRIGGERS["minChangedTriggerTime"]),
    after=("triggers/a-pod-triggers-when-it-turns", "triggers/each-service-is-seen-for-itself"),
)
def a_pod_triggers_each_of_its_services(control_plane: ControlPlane) -> None:
    """A Pod that several Services select MUST trigger each of them: what one sync has seen is no news to that Service alone."""
    for service in ("web", "admin"):
        control_plane.create(service, at=0)
        control_plane.turn("a", at=1 * SECOND, service=service)
        control_plane.sync(service)

    for service in ("web", "admin"):
        control_plane.turn("a", at=60 * SECOND, service=service)

    assert control_plane.sync("web") == 60 * SECOND
    assert control_plane.sync("admin") == 60 * SECOND


@rule(
    cites=(TRIGGERS["DeleteService"], TRIGGER_TESTS["TestServiceDeletedThenAdded"]),
    after=(
        "triggers/the-pods-of-a-new-service-do-not-count-yet",
        "triggers/a-pod-that-is-new-triggers",
    ),
)
def a_deleted_service_is_forgotten(control_plane: ControlPlane) -> None:
    """After Delete, a Service of the same name MUST be a new one: its first sync finds its creation time, and no Pod has been seen.

    A tracker that forgets nothing also grows with every Service there ever was.
    """
    known(control_plane, created=10 * SECOND, a=60)

    control_plane.delete("web")
    control_plane.leave("a")
    control_plane.create("web", at=3 * SECOND)

    assert control_plane.sync("web") == 3 * SECOND

    control_plane.turn("a", at=60 * SECOND)

    assert control_plane.sync("web") == 60 * SECOND, "are the Pods of a deleted Service forgotten with it?"


@rule(
    cites=(TRIGGERS["DeleteService"], TRIGGERS["ServiceKey"]),
    after=("triggers/each-service-is-seen-for-itself", "triggers/what-has-not-changed-is-no-trigger"),
)
def to_delete_a_service_concerns_no_other(control_plane: ControlPlane) -> None:
    """Delete MUST forget this Service alone, and none of the same name elsewhere."""
    others = (("db", "shop"), ("web", "test"))
    known(control_plane, created=10 * SECOND)
    for service, namespace in others:
        control_plane.create(service, at=20 * SECOND, namespace=namespace)
        control_plane.sync(service, namespace=namespace)

    control_plane.delete("web")

    assert [control_plane.sync(service, namespace=namespace) for service, namespace in others] == [None, None]


@rule(cites=TRIGGERS["DeleteService"], after="triggers/a-deleted-service-is-forgotten")
def to_delete_an_unknown_service_changes_nothing(control_plane: ControlPlane) -> None:
    """Delete of a Service that is not known, or not any more, MUST change nothing, and be no error.

    A controller hears of a deletion also if it has never synced the Service.
    """
    control_plane.delete("web")
    known(control_plane, created=10 * SECOND)
    control_plane.delete("web")
    control_plane.delete("web")

    control_plane.create("web", at=20 * SECOND)

    assert control_plane.sync("web") == 20 * SECOND


@rule(
    cites=COMPUTE,
    after=(
        "triggers/each-service-is-seen-for-itself",
        "triggers/the-first-sync-has-seen-the-pods-of-a-new-service",
    ),
)
def several_services_can_be_synced_at_once(control_plane: Annotated[ControlPlane, AtOnce]) -> None:
    """Trigger times MUST be found for several Services at once as they are for one after the other.

    A controller has several workers, of which no two have the same Service.
    """
    for second, service in enumerate(("web", "db", "mail"), 1):
        control_plane.create(service, at=second * SECOND)

    found = control_plane.sync_at_once("web", "db", "mail")

    assert found == [1 * SECOND, 2 * SECOND, 3 * SECOND]
    assert [control_plane.sync(service) for service in ("web", "db", "mail")] == [None, None, None]


@rule(
    cites=(TRIGGERS["DeleteService"], TRIGGERS["ServiceKey"]),
    after=("triggers/several-services-can-be-synced-at-once", "triggers/a-deleted-service-is-forgotten"),
)
def a_service_can_be_deleted_while_others_are_synced(control_plane: Annotated[ControlPlane, AtOnce]) -> None:
    """A Delete of one Service MUST NOT touch what is known of others that are synced at the same time, nor be undone by them.

    Whoever writes back what he has read of all Services brings the deleted one back, too.
    """
    for second, service in enumerate(("web", "db", "mail"), 1):
        control_plane.create(service, at=second * SECOND)
    control_plane.sync("mail")

    found = control_plane.sync_at_once("web", "db", deleted="mail")

    assert found == [1 * SECOND, 2 * SECOND]
    assert [control_plane.sync(service) for service in ("web", "db")] == [None, None]
    assert control_plane.sync("mail") == 3 * SECOND


@rule(
    cites=TRIGGERS["lastPodTriggerTimes"].in_code,
    after="triggers/only-what-is-later-is-a-trigger",
)
def a_time_may_be_finer_than_a_second(control_plane: ControlPlane) -> None:
    """Times SHOULD be compared, and found, to the nanosecond.

    The API server hands out whole seconds, so that a real trigger time is up to a second early; a port whose
    times end there loses nothing.
    """
    known(control_plane, a=60)

    control_plane.turn("a", at=60 * SECOND + 500 * MILLISECOND + 1, ready="False")

    assert control_plane.sync("web") == 60 * SECOND + 500 * MILLISECOND + 1


@rule(cites=FIRST_SEEN, after="triggers/what-has-not-changed-is-no-trigger")
def two_trackers_know_nothing_of_each_other(two: tuple[ControlPlane, ControlPlane]) -> None:
    """A tracker MUST NOT know what another one in the same process has seen."""
    control_plane, other = two
    known(other, created=10 * SECOND, a=20)
    control_plane.create("web", at=10 * SECOND)

    assert control_plane.sync("web") == 10 * SECOND, "is something kept on the class, or in the module?"

    other.delete("web")
    control_plane.turn("a", at=30 * SECOND)

    assert control_plane.sync("web") == 30 * SECOND, "is something kept on the class, or in the module?"


@rule(
    cites=TRIGGERS["wasKnown"].in_code,
    after="triggers/the-first-sync-has-seen-the-pods-of-a-new-service",
)
def a_restart_makes_everything_new(control_plane: ControlPlane) -> None:
    """A tracker that was just made SHOULD know nothing: each Service has its first sync again.

    Its creation may be long ago, and was told then. What a controller has seen dies with it; to keep it
    somewhere would be better.
    """
    known(control_plane, created=1 * SECOND)
    control_plane.turn("a", at=5000 * SECOND)

    control_plane.restart()

    assert control_plane.sync("web") == 1 * SECOND


@rule(
    cites=EARLIEST,
    after=("triggers/what-was-seen-before-does-not-count", "triggers/service-and-pods-count-alike"),
    for_all={
        "happenings": steps(
            *("a turns", "b turns", "c turns", "web is created again", "web is edited", "sync"),
            least=20,
            most=40,
        )
    },
)
def whatever_happens_the_earliest_that_is_new_counts(
    control_plane: ControlPlane, happenings: list[str]
) -> None:
    """Whatever happens one second after the other, each sync MUST find the earliest of what is new since the last.

    Of a Pod that has turned twice, the second time counts: that is all it tells.
    """
    known(control_plane)
    new: dict[str, Nanoseconds] = {}

    for second, happening in enumerate([*happenings, "sync"], 1):
        match HAPPENINGS.read(happening):
            case ["sync"]:
                assert control_plane.sync("web") == min(new.values(), default=None)
                new.clear()
            case ["web is edited"]:
                control_plane.edit("web", labels={"edited": str(second)})
            case ["web is created again"]:
                control_plane.create("web", at=second * SECOND)
                new["web"] = second * SECOND
            case ["turns", pod, _]:
                control_plane.turn(pod, at=second * SECOND)
                new[pod] = second * SECOND


@rule(
    cites=TRIGGERS["minChangedTriggerTime"].in_code,
    after=(
        "triggers/whatever-happens-the-earliest-that-is-new-counts",
        "triggers/a-time-that-went-back-is-remembered",
        "triggers/a-pod-that-comes-back-counts-again",
        "triggers/without-the-condition-a-pod-is-forgotten",
    ),
    for_all={
        "happenings": steps(
            *(f"{pod} {did}" for pod in "ab" for did in ("turns at 7", "turns at 8", "goes", "starts")),
            *("sync", "sync", "sync", "sync"),
            least=30,
            most=60,
        )
    },
)
def only_the_last_sync_is_remembered(control_plane: ControlPlane, happenings: list[str]) -> None:
    """In whatever order Pods come, go and turn, a sync SHOULD compare with what the last one has seen, and nothing else."""
    known(control_plane)
    last: dict[str, int] = {}
    now: dict[str, int] = {}
    there: set[str] = set()

    for happening in [*happenings, "sync"]:
        match HAPPENINGS.read(happening):
            case ["sync"]:
                new = [at for pod, at in now.items() if at > last.get(pod, 0)]
                assert control_plane.sync("web") == min((at * SECOND for at in new), default=None)
                last = dict(now)
            case ["turns", pod, at]:
                control_plane.turn(pod, at=at * SECOND)
                now[pod] = at
                there.add(pod)
            case ["starts", pod]:
                control_plane.no_condition(pod)
                now.pop(pod, None)
                there.add(pod)
            case ["goes", pod] if pod in there:
                control_plane.leave(pod)
                now.pop(pod, None)
                there.discard(pod)
