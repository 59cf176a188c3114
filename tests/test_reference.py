"""The reference compared with observed results of upstream's tracker, and with Prometheus' own histogram."""

import sys
import threading
from math import inf
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry
from prometheus_client import Histogram as PrometheusHistogram
from prometheus_client.parser import text_string_to_metric_families

from stingy.contract import Condition, Pod, Service
from stingy.language.rfc3339 import write_rfc3339
from stingy_reference import DelayingQueue, Histogram, PriorityQueue, Proxy, TriggerTimeTracker, WorkQueue
from stingy_reference.annotation import parsed
from stingy_reference.prometheus import PrometheusMetrics

LATENCIES = st.lists(
    st.floats(-1000, 1000) | st.sampled_from([0.0, 0.25, 0.5, 1.0, 60.0, 115.0, 120.0, 300.0])
)


UPSTREAM_FOUND = (
    (10, {"a": 1, "b": 50}, 10),
    (10, {"a": 1, "b": 50}, None),
    (10, {"a": 0, "b": 50}, None),
    (10, {"a": 1, "b": 50}, 1),
    (10, {"a": 60, "b": 50}, 60),
    (10, {"a": 60, "b": 50}, None),
    (10, {"x": 2, "y": 3}, 2),
    (10, {"a": 60, "b": 50}, 50),
    (10, {"b": 50}, None),
    (10, {"a": 60, "b": 50}, 60),
    (100, {"a": 60, "b": 50}, 100),
    (200, {"a": 150, "b": 50}, 150),
    (5, {"a": 150, "b": 50}, None),
    (5, {"a": None, "b": 50}, None),
    (5, {"a": 150, "b": 50}, 150),
)
"""For each call: when the Service was created, when each Pod became ready, and what upstream returned."""


def test_the_tracker_finds_what_upstream_found():
    tracker = TriggerTimeTracker()
    found = [
        tracker.compute(
            "shop",
            Service("web", created),
            [Pod(name, (Condition("Ready", "True", at),)) for name, at in pods.items()],
        )
        for created, pods, _ in UPSTREAM_FOUND
    ]
    assert found == [trigger for *_, trigger in UPSTREAM_FOUND]


@given(LATENCIES)
def test_the_histogram_is_exposed_as_by_prometheus(values):
    ours = Histogram("latency_seconds", "[ALPHA] How long it took", {"ip_family": "IPv4"})
    registry = CollectorRegistry()
    theirs = PrometheusHistogram(
        "latency_seconds",
        "[ALPHA] How long it took",
        ["ip_family"],
        buckets=[bound for bound, _ in ours.buckets],
        registry=registry,
    )
    theirs.labels(ip_family="IPv4")
    for value in values:
        ours.observe(value)
        theirs.labels(ip_family="IPv4").observe(value)
    (read,) = text_string_to_metric_families(ours.exposition())
    expected = next(iter(registry.collect()))
    assert (read.name, read.documentation, read.type) == (expected.name, expected.documentation, "histogram")
    assert sorted(told(read)) == sorted(told(expected))


def told(family):
    """Return the samples of a metric, without its time of creation, which only Prometheus exposes."""
    return [
        (sample.name, sample.labels["ip_family"], float(sample.labels.get("le", 0)), sample.value)
        for sample in family.samples
        if not sample.name.endswith("_created")
    ]


def test_the_latency_of_a_proxy_is_exposed_under_upstreams_name():
    proxy = Proxy(clock=SimpleNamespace(time_ns=lambda: 1))
    (family,) = text_string_to_metric_families(proxy.metric().exposition())
    assert family.name == "kubeproxy_network_programming_duration_seconds"
    assert len(family.samples) == 81 + 1 + 2
    assert {sample.labels["ip_family"] for sample in family.samples} == {"IPv4"}


@given(st.integers(-62_135_596_800_000_000_000, 253_402_300_799_999_999_999))
def test_a_trigger_time_is_read_as_it_was_written(instant):
    assert parsed(write_rfc3339(instant)) == instant


def test_the_metrics_of_a_queue_are_exposed_under_upstreams_names():
    registry = CollectorRegistry()
    queue = WorkQueue(metrics=PrometheusMetrics(registry), name="pods")
    queue.add("a")
    queue.add("b")
    queue.add("a")
    queue.get()
    queue.add("a")
    queue.done("a")
    queue.shut_down()

    def value(name):
        return registry.get_sample_value(f"workqueue_{name}", {"name": "pods"})

    assert (value("adds_total"), value("depth"), value("retries_total")) == (3, 2, 0)
    assert (value("queue_duration_seconds_count"), value("work_duration_seconds_count")) == (1, 1)
    assert value("work_duration_seconds_sum") > 0
    assert value("queue_duration_seconds_sum") > 0
    assert value("unfinished_work_seconds") == value("longest_running_processor_seconds") == 0


@pytest.mark.parametrize("seconds", [1e10, inf])
@pytest.mark.parametrize(
    ("kind", "add"),
    [
        (DelayingQueue, lambda queue, seconds: queue.add_after("a", seconds)),
        (PriorityQueue, lambda queue, seconds: queue.add_with_opts("a", after=seconds)),
    ],
)
def test_a_delay_longer_than_python_can_wait_ends_no_thread(kind, add, seconds, monkeypatch):
    waits, ended = threading.Event(), []

    class Noted(threading.Condition):
        def wait(self, timeout=None):
            waits.set()
            return super().wait(timeout)

    monkeypatch.setattr(sys.modules[kind.__module__], "Condition", Noted)
    monkeypatch.setattr(threading, "excepthook", ended.append)
    before = {*threading.enumerate()}
    queue = kind()
    add(queue, seconds)
    waits.wait()
    queue.shut_down()
    for clerk in {*threading.enumerate()} - before:
        clerk.join()
    assert ended == []
