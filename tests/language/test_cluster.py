"""A cluster whose clocks disagree."""

from types import SimpleNamespace

import pytest

from stingy.contract import LAST_CHANGE_TRIGGER_TIME, SECOND
from stingy.language.cluster import Cluster
from stingy.language.rfc3339 import write_rfc3339
from stingy.language.story import Story

NOON = 1_700_000_000 * SECOND


class Machine:
    """Session whose candidate only records its requests."""

    def __init__(self, begins=NOON + 123, resets=False):
        self.begins = self.wall = begins
        self.resets = resets
        self.heard = []

    def now_ns(self):
        return self.wall

    def advance(self, span):
        self.wall += span

    step = advance

    def restart(self):
        self.heard.append("made")
        if self.resets:
            self.wall = self.begins

    def call(self, _, op, *args):
        if op == "update":
            self.heard.append(args[0].annotations[LAST_CHANGE_TRIGGER_TIME])
        if op == "sync":
            self.wall += args[0].takes_ns + args[0].step_ns
        return SimpleNamespace(returned=True, raised=None, value=[] if op == "sync" else None)

    def settle(self, awaiting, patience=0):
        """Do nothing: this session is always quiescent."""


@pytest.fixture
def machine():
    return Machine()


@pytest.fixture
def cluster(machine):
    return Cluster(machine, Story("cluster"))


def stamps(machine):
    return [text for text in machine.heard if text != "made"]


def test_a_cluster_begins_on_a_whole_second(cluster, machine):
    assert (cluster.now, machine.now_ns()) == (0, NOON + SECOND)


def test_a_host_stamps_by_its_own_clock(cluster, machine):
    cluster.elapse(10 * SECOND)
    change = cluster.host("kubelet", ahead=3 * SECOND).changes("web")
    cluster.hears()
    assert stamps(machine) == [write_rfc3339(NOON + 14 * SECOND)]
    assert (change.happened, change.ahead, change.cut) == (10 * SECOND, 3 * SECOND, 0)


def test_kubernetes_writes_whole_seconds(cluster, machine):
    cluster.elapse(1_700_000_000)
    change = cluster.host("kubelet", ahead=600_000_000, whole_seconds=True).changes("web")
    cluster.hears()
    assert (change.stamp, change.cut) == (2 * SECOND, 300_000_000)
    assert stamps(machine) == [write_rfc3339(NOON + 3 * SECOND)]


def test_a_clock_drifts_and_is_set(cluster):
    host = cluster.host("kubelet", gains=100)
    cluster.elapse(10_000 * SECOND)
    assert host.ahead == 1 * SECOND
    host.steps(-4 * SECOND)
    assert host.ahead == -3 * SECOND


def test_true_time_is_not_set(cluster):
    cluster.boots(ahead=60 * SECOND)
    cluster.elapse(5 * SECOND)
    cluster.steps(-100 * SECOND)
    cluster.sync(takes=2 * SECOND, clock_steps=30 * SECOND)
    assert (cluster.now, cluster.ahead) == (7 * SECOND, -10 * SECOND)


def test_the_node_stamps_by_the_clock_that_its_proxy_reads(cluster, machine):
    cluster.boots(ahead=-60 * SECOND)
    cluster.elapse(5 * SECOND)
    cluster.here.changes("web")
    cluster.hears()
    assert stamps(machine) == [write_rfc3339(machine.now_ns())]


@pytest.mark.parametrize("resets", [False, True])
def test_a_restarted_proxy_is_shown_the_current_slices(resets):
    machine = Machine(resets=resets)
    cluster = Cluster(machine, Story("cluster"))
    host = cluster.host("kubelet")
    for _ in range(2):
        host.changes("web")
        cluster.elapse(5 * SECOND)
    cluster.hears()
    machine.heard.clear()

    (shown,) = cluster.restarts()

    assert shown.happened == 5 * SECOND
    assert machine.heard == ["made", write_rfc3339(machine.now_ns() - 5 * SECOND)]
    assert (cluster.now, cluster.started) == (10 * SECOND, 10 * SECOND)
    assert cluster.hears() == []
