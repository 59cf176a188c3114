"""Where each rule comes from: upstream files at pinned commits, cited by symbol, quoted with a hash.

What a rule cites first is what it stands on: words, a test, or else the code. Where the words at a place do not say it,
what is done there is cited: ``QUEUE["Done"].in_code``.

To move to a newer upstream, change the commit and the module version here; the tests then compare
every quote with the file in the module cache, and say which sentences have drifted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256


@dataclass(frozen=True)
class Upstream:
    """A repository at one commit or tag, and the Go module that carries the same files; none for Python's own."""

    repo: str
    commit: str
    module: str = ""


CLIENT_GO = Upstream(
    "kubernetes/client-go", "32ce75a7d6bc6960fd048d3d1e3b34185418d8c8", "k8s.io/client-go@v0.37.2"
)
CONTROLLER_RUNTIME = Upstream(
    "kubernetes-sigs/controller-runtime", "v0.25.2", "sigs.k8s.io/controller-runtime@v0.25.2"
)
KUBERNETES = Upstream(
    "kubernetes/kubernetes", "24e2b02af5543d7910c2bb074c7264df5a8f0467", "k8s.io/kubernetes@v1.36.2"
)
COMPONENT_BASE = Upstream(
    "kubernetes/component-base", "349fbe06359c4b39ca17bb9cabdf4a13d70b4b82", "k8s.io/component-base@v0.37.2"
)
ENDPOINTSLICE = Upstream("kubernetes/endpointslice", "v0.37.2", "k8s.io/endpointslice@v0.37.2")
API = Upstream("kubernetes/api", "v0.37.2", "k8s.io/api@v0.37.2")
TIME = Upstream("golang/time", "v0.15.0", "golang.org/x/time@v0.15.0")
PROMETHEUS = Upstream("prometheus/client_golang", "v1.24.0", "github.com/prometheus/client_golang@v1.24.0")
COMMUNITY = Upstream("kubernetes/community", "24e7d8f5409c1a0121394a613746e524f781e044")
"""Of which there is no module to be had."""
CPYTHON = Upstream("python/cpython", "5adf7fe81d616bf7b151c041f4fb342ece083f68")


class Ground(StrEnum):
    """What stands behind a rule, the firmest first."""

    SAID = "said"
    """Upstream promises it, in the words that are quoted."""
    TESTED = "tested"
    """A test of upstream's own asserts it."""
    OBSERVED = "observed"
    """Upstream does so, and nobody says it."""


@dataclass(frozen=True)
class Source:
    """A place in upstream's code, and the words that stand there."""

    upstream: Upstream
    path: str
    symbol: str = ""
    quote: str = ""
    digest: str = ""
    """The first 12 hex digits of the SHA-256 of the quote, white space folded."""

    def __str__(self) -> str:
        return f"{self.path.rpartition('/')[2]} {self.symbol}".strip()

    @property
    def ground(self) -> Ground:
        if self.quote:
            return Ground.SAID
        return Ground.TESTED if self.path.endswith("_test.go") else Ground.OBSERVED

    @property
    def in_code(self) -> Source:
        """The same place, for what is done there: the words do not say it."""
        return replace(self, quote="", digest="")

    @property
    def url(self) -> str:
        return f"https://github.com/{self.upstream.repo}/blob/{self.upstream.commit}/{self.path}"


def digest(quote: str) -> str:
    return sha256(" ".join(quote.split()).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class File:
    """An upstream file; ``file["Symbol"]`` cites what is declared there."""

    upstream: Upstream
    path: str
    quotes: tuple[tuple[str, str, str], ...] = ()

    def __getitem__(self, symbol: str) -> Source:
        for name, quote, digest_ in self.quotes:
            if name == symbol:
                return Source(self.upstream, self.path, symbol, quote, digest_)
        return Source(self.upstream, self.path, symbol)


DOC = File(
    CLIENT_GO,
    "util/workqueue/doc.go",
    (
        ("Fair", "Fair: items processed in the order in which they are added.", "f050cb27306b"),
        (
            "Stingy",
            (
                "Stingy: a single item will not be processed multiple times concurrently, and if an item is "
                "added multiple times before it can be processed, it will only be processed once."
            ),
            "427c28685e3a",
        ),
        (
            "Multiple consumers and producers",
            (
                "Multiple consumers and producers. In particular, it is allowed for an item to be reenqueued "
                "while it is being processed. In this case it will be processed again."
            ),
            "1278e054ffc9",
        ),
        ("Shutdown notifications", "Shutdown notifications.", "3b92d8201bfc"),
    ),
)

QUEUE = File(
    CLIENT_GO,
    "util/workqueue/queue.go",
    (
        (
            "Add",
            (
                "Add marks item as needing processing. When the queue is shutdown new items will silently be "
                "ignored and not queued or marked as dirty for reprocessing."
            ),
            "fe6019b4b3fa",
        ),
        ("Len", "Len returns the current queue length, for informational purposes only.", "cbfab10c2d66"),
        (
            "Get",
            (
                "Get blocks until it can return an item to be processed. If shutdown = true, the caller should "
                "end their goroutine. You must call Done with item when you have finished processing it."
            ),
            "299fa2dfc888",
        ),
        (
            "Done",
            (
                "Done marks item as done processing, and if it has been marked as dirty again while it was being "
                "processed, it will be re-added to the queue for re-processing."
            ),
            "f8e1e93d9340",
        ),
        (
            "ShutDown",
            (
                "ShutDown will cause q to ignore all new items added to it. Worker goroutines will continue "
                "processing items in the queue until it is empty and then receive the shutdown signal."
            ),
            "f503edf9a0b9",
        ),
        (
            "ShutDownWithDrain",
            (
                "ShutDownWithDrain is equivalent to ShutDown but waits until all items in the queue have been "
                "processed. ShutDown can be called after ShutDownWithDrain to force ShutDownWithDrain to stop "
                "waiting. Workers must call Done on an item after processing it, otherwise ShutDownWithDrain "
                "will block indefinitely."
            ),
            "d37aff7a0cc0",
        ),
        (
            "TypedQueueConfig",
            "Name for the queue. If unnamed, the metrics will not be registered.",
            "ade46eaa0b85",
        ),
        (
            "Typed",
            (
                "When we finish processing something and remove it from this set, we'll check if it's in the "
                "dirty set, and if so, add it to the queue."
            ),
            "81f390bc71aa",
        ),
        (
            "Queue",
            "Queue is the underlying storage for items. The functions below are always called from the same goroutine.",
            "e9584c1b2471",
        ),
        (
            "Queue.Touch",
            (
                "Touch can be hooked when an existing item is added again. This may be useful if the "
                "implementation allows priority change for the given item."
            ),
            "7377994182cb",
        ),
        ("Queue.Push", "Push adds a new item.", "3a46a0817157"),
        ("Queue.Len", "Len tells the total number of items.", "183a8d7c699f"),
        ("Queue.Pop", "Pop retrieves an item.", "856a84117474"),
        (
            "queue.Pop",
            (
                "The underlying array still exists and reference this object, so the object will not be garbage "
                "collected."
            ),
            "795713ab5e48",
        ),
        (
            "Typed.queue",
            (
                "queue defines the order in which we will work on items. Every element of queue should be in the "
                "dirty set and not in the processing set."
            ),
            "550d1a706716",
        ),
        (
            "Typed.wg",
            (
                "wg manages goroutines started by the queue to allow graceful shutdown ShutDown() will wait for "
                "goroutines to exit before returning."
            ),
            "a8d761b43d47",
        ),
        (
            "TypedQueueConfig.Name",
            "Name for the queue. If unnamed, the metrics will not be registered.",
            "ade46eaa0b85",
        ),
        ("Typed.stopOnce", "stopOnce guarantees we only signal shutdown a single time", "654cc8b34c07"),
        (
            "Add touches",
            "the same item is added again before it is processed, call the Touch function if the queue cares about it (for e.g, reset its priority)",
            "da86ac170c16",
        ),
        (
            "MetricsProvider",
            "MetricsProvider optionally allows specifying a metrics provider to use for the queue instead of the global provider.",
            "144b8014532c",
        ),
    ),
)

DELAYING = File(
    CLIENT_GO,
    "util/workqueue/delaying_queue.go",
    (
        (
            "TypedDelayingInterface",
            "TypedDelayingInterface is an Interface that can Add an item at a later time.",
            "4eda3395c5e1",
        ),
        ("AddAfter", "AddAfter adds the given item to the work queue after the given delay", "b793b5887f47"),
        ("AddAfter with no delay", "immediately add things with no delay", "0edf661eec7f"),
        ("AddAfter after a shutdown", "don't add if we're already shutting down", "d8734af8ef20"),
        (
            "insert",
            (
                "if the entry already exists, update the time only if it would cause the item to be queued "
                "sooner"
            ),
            "1f98c428a331",
        ),
        (
            "waitingLoop",
            "waitingLoop runs until the workqueue is shutdown and keeps a check on the list of items to be added.",
            "01df3a17652a",
        ),
        (
            "ShutDown",
            (
                "ShutDown stops the queue. After the queue drains, the returned shutdown bool on Get() will be "
                "true. This method may be invoked more than once."
            ),
            "33f85f3ccbd2",
        ),
        (
            "waitForPriorityQueue",
            "The item occurring next in time (i.e., the item with the smallest readyAt) is at the root (index 0).",
            "3eb629372260",
        ),
    ),
)

RATE_LIMITING = File(
    CLIENT_GO,
    "util/workqueue/rate_limiting_queue.go",
    (
        (
            "TypedRateLimitingInterface",
            "type TypedRateLimitingInterface[T comparable] interface { TypedDelayingInterface[T]",
            "da7cccc36890",
        ),
        (
            "AddRateLimited",
            "AddRateLimited AddAfter's the item based on the time when the rate limiter says it's ok",
            "8b80da6b3863",
        ),
        (
            "Forget",
            "This only clears the `rateLimiter`, you still have to call `Done` on the queue.",
            "74e0d148f1ae",
        ),
        (
            "NumRequeues",
            "NumRequeues returns back how many times the item was requeued",
            "02c5de7ddcbc",
        ),
    ),
)

LIMITERS = File(
    CLIENT_GO,
    "util/workqueue/default_rate_limiters.go",
    (
        ("When", "When gets an item and gets to decide how long that item should wait", "875dd43d05de"),
        (
            "Forget",
            (
                "Forget indicates that an item is finished being retried. Doesn't matter whether it's for "
                "failing or for success, we'll stop tracking it"
            ),
            "20954a67786e",
        ),
        ("NumRequeues", "NumRequeues returns back how many failures the item has had", "3833d9085dbf"),
        (
            "TypedItemExponentialFailureRateLimiter",
            "TypedItemExponentialFailureRateLimiter does a simple baseDelay*2^<num-failures> limit",
            "862f4b33cc79",
        ),
        (
            "TypedItemExponentialFailureRateLimiter.When",
            "The backoff is capped such that 'calculated' value never overflows.",
            "a6246093acad",
        ),
        (
            "TypedItemFastSlowRateLimiter",
            (
                "TypedItemFastSlowRateLimiter does a quick retry for a certain number of attempts, then a slow "
                "retry after that"
            ),
            "1ab4224d1d25",
        ),
        (
            "TypedBucketRateLimiter",
            "TypedBucketRateLimiter adapts a standard bucket to the workqueue ratelimiter API",
            "52f67b793058",
        ),
        (
            "TypedMaxOfRateLimiter",
            "TypedMaxOfRateLimiter calls every RateLimiter and returns the worst case response",
            "15371c991007",
        ),
        (
            "TypedWithMaxWaitRateLimiter",
            "TypedWithMaxWaitRateLimiter have maxDelay which avoids waiting too long",
            "9ef5ac300452",
        ),
        (
            "DefaultTypedControllerRateLimiter",
            (
                "It has both overall and per-item rate limiting. The overall is a token bucket and the per-item "
                "is exponential"
            ),
            "09b9ea095765",
        ),
    ),
)

QUEUE_METRICS = File(
    CLIENT_GO,
    "util/workqueue/metrics.go",
    (
        ("depth", "current depth of a workqueue", "65ede2ab234f"),
        ("adds", "total number of adds handled by a workqueue", "e1efe655a3db"),
        ("latency", "how long an item stays in a workqueue", "6854ef0dcf39"),
        ("workDuration", "how long processing an item from a workqueue takes", "37357bbd9dca"),
        ("unfinishedWorkSeconds", "how long have current threads been working?", "e952da2f3e12"),
    ),
)

INFORMERS = File(
    CLIENT_GO,
    "tools/cache/controller.go",
    (
        (
            "ResourceEventHandler",
            (
                "The handlers MUST NOT modify the objects received; this concerns not only the top level of "
                "structure but all the data structures reachable from it."
            ),
            "64575b2f2c73",
        ),
    ),
)

PRIORITY_QUEUE = File(
    CONTROLLER_RUNTIME,
    "pkg/controller/priorityqueue/priorityqueue.go",
    (
        (
            "PriorityQueue",
            (
                "It internally de-duplicates all items that are added to it. It will use the max of the "
                "passed priorities and the min of possible durations."
            ),
            "bb27994973d9",
        ),
        (
            "TypedRateLimitingInterface",
            "type PriorityQueue[T comparable] interface { workqueue.TypedRateLimitingInterface[T]",
            "3554c9dc40b4",
        ),
        (
            "placed at the end",
            (
                "When an item that is already enqueued at a lower priority is re-enqueued with a higher "
                "priority, it will be placed at the end among items of the new priority, in order to preserve "
                "FIFO semantics within each priority level."
            ),
            "ab986553db0b",
        ),
        (
            "ready time",
            (
                "The effective duration (i.e. the ready time) is still computed as the minimum across all "
                "enqueues."
            ),
            "3c540da517d6",
        ),
        (
            "AddOpts",
            "Priority is the priority of the item. Higher values indicate higher priority.",
            "c29d75f51076",
        ),
        (
            "addedCounter",
            "addedCounter is a counter of elements added, we need it to provide FIFO semantics.",
            "56f8350d6ca2",
        ),
        (
            "locked",
            (
                "locked contains the keys we handed out through Get() and that haven't yet been returned "
                "through Done()."
            ),
            "de5c547e3211",
        ),
        (
            "handleWaitingItems",
            "Bump added counter so items get sorted by when they became ready, not when they were added.",
            "c8c9e80695a3",
        ),
        (
            "Len",
            (
                "Len returns the number of items that are ready to be picked up. It does not include items "
                "that are not yet ready."
            ),
            "9c0c3cfa608a",
        ),
        (
            "GetWithPriority",
            "Return if the queue was shutdown while we were already waiting for an item here.",
            "c3a0fe1a09af",
        ),
        (
            "waiters",
            "waiters is the number of routines blocked in Get, we use it to determine if we can push items.",
            "b3e713af996c",
        ),
    ),
)

CONTROLLER_OPTIONS = File(
    CONTROLLER_RUNTIME,
    "pkg/controller/controller.go",
    (
        (
            "MaxConcurrentReconciles",
            (
                "MaxConcurrentReconciles is the maximum number of concurrent reconciliations that can be run. "
                "Defaults to 1."
            ),
            "1d5a3ad87d9a",
        ),
        (
            "TypedOptions",
            (
                "The workqueue ensures that the same item is not processed by multiple workers at the same "
                "time. If the same item is added again while it is being processed, it is processed again only "
                "after the current reconciliation finishes."
            ),
            "894ed172b49f",
        ),
    ),
)

CONTROLLER = File(
    CONTROLLER_RUNTIME,
    "pkg/internal/controller/controller.go",
    (
        (
            "processNextWorkItem",
            (
                "We call Done here so the workqueue knows we have finished processing this item. We also must "
                "remember to call Forget if we do not want this work item being re-queued."
            ),
            "74bbe7ecb327",
        ),
        (
            "reconcileHandler",
            (
                "Finally, if no error occurs we Forget this item so it does not get queued again until another "
                "change happens."
            ),
            "027b59af33fd",
        ),
        (
            "waits for its workers",
            "Shutdown signal received, waiting for all workers to finish",
            "73911eb54ccf",
        ),
        (
            "Forget",
            "We need to drive to stable reconcile loops before queuing due to result.RequestAfter",
            "00f2a496983f",
        ),
    ),
)

RECONCILE = File(
    CONTROLLER_RUNTIME,
    "pkg/reconcile/reconcile.go",
    (
        (
            "Reconciler",
            (
                "Reconciliation is level-based, meaning action isn't driven off changes in individual Events, "
                "but instead is driven by actual cluster state read from the apiserver or a local cache."
            ),
            "074fdd5ddc28",
        ),
        (
            "TypedReconciler",
            (
                "If the returned error is non-nil, the Result is ignored and the request will be requeued using "
                "exponential backoff. The only exception is if the error is a TerminalError in which case no "
                "requeuing happens."
            ),
            "c5cf0a031ca3",
        ),
        (
            "Requeue",
            (
                "Requeue tells the Controller to perform a ratelimited requeue using the workqueues "
                "ratelimiter."
            ),
            "c6d6e87d32d5",
        ),
        (
            "RequeueAfter",
            (
                "RequeueAfter if greater than 0, tells the Controller to requeue the reconcile key after the "
                "Duration. Implies that Requeue is true, there is no need to set Requeue to true at the same "
                "time as RequeueAfter."
            ),
            "b31fdfb231bd",
        ),
        (
            "TerminalError",
            (
                "TerminalError is an error that will not be retried but still be logged and recorded in "
                "metrics."
            ),
            "a989e77034ce",
        ),
        (
            "de-duplicates",
            "The workqueue then de-duplicates identical requests.",
            "37a6fadcf3cb",
        ),
        (
            "by RequeueAfter",
            "If the error is nil and the returned Result has a non-zero result.RequeueAfter, the request will be requeued after the specified duration.",
            "2a68fe83ce18",
        ),
        (
            "by Requeue",
            "If the error is nil and result.RequeueAfter is zero and result.Requeue is true, the request will be requeued using exponential backoff.",
            "f92bf9989ef6",
        ),
    ),
)

TRIGGERS = File(
    ENDPOINTSLICE,
    "util/trigger_time_tracker.go",
    (
        (
            "TriggerTimeTracker",
            (
                "Please note that this util may compute a wrong EndpointsLastChangeTriggerTime if the same "
                "object changes multiple times between two consecutive syncs."
            ),
            "bf350ab65587",
        ),
        (
            "lastPodTriggerTimes",
            (
                "lastPodTriggerTimes is a map (Pod name -> time) storing the pod trigger times that were "
                "observed during the most recent call of the ComputeEndpointLastChangeTriggerTime function."
            ),
            "cfd07cbfd83c",
        ),
        (
            "ServiceKey",
            "namespace, name composing a namespaced name - an unique identifier of every Service.",
            "c353c0ffd2af",
        ),
        (
            "ComputeEndpointLastChangeTriggerTime",
            "This method is go-routing safe but only when called for different keys.",
            "d5ab84e752c5",
        ),
        (
            "zero",
            (
                "If the method returns a 'zero' time the EndpointsLastChangeTriggerTime annotation shouldn't "
                "be exported."
            ),
            "b06b83b1d589",
        ),
        (
            "minChangedTriggerTime",
            (
                "minChangedTriggerTime is the min trigger time of all trigger times that have changed since "
                "the last sync."
            ),
            "2ff28205fd1e",
        ),
        (
            "wasKnown",
            "New Service, use Service creationTimestamp.",
            "1c0854278f85",
        ),
        (
            "DeleteService",
            "DeleteService deletes service state stored in this util.",
            "e87004f87be1",
        ),
        (
            "getPodTriggerTime",
            (
                "getPodTriggerTime returns the time of the pod change (trigger) that resulted or will result "
                "in the endpoint object change."
            ),
            "a122845bcba9",
        ),
        (
            "service trigger time",
            "Service trigger time has changed since the last sync, update minChangedTriggerTime.",
            "bd88904a9c95",
        ),
    ),
)

SLICE_WRITER = File(
    ENDPOINTSLICE,
    "utils.go",
    (
        (
            "addTriggerTimeAnnotation",
            "addTriggerTimeAnnotation adds a triggerTime annotation to an EndpointSlice",
            "efa814401b01",
        ),
        (
            "no trigger time",
            "No new trigger time, clear the annotation.",
            "8ec754e3f72d",
        ),
    ),
)

ANNOTATION_KEY = File(
    API,
    "core/v1/annotation_key_constants.go",
    (
        (
            "EndpointsLastChangeTriggerTime",
            (
                "represents the timestamp (stored as RFC 3339 date-time string, e.g. "
                "'2018-10-22T19:32:52.1Z') of the last change, of some Pod or Service object, that triggered "
                "the endpoints object change."
            ),
            "a832fc18b9bb",
        ),
    ),
)

TRACKER = File(
    KUBERNETES,
    "pkg/proxy/endpointschangetracker.go",
    (
        ("lock", "lock protects lastChangeTriggerTimes", "0692b8a1c2d1"),
        (
            "EndpointSliceUpdate",
            "It returns true if this update contained a change that needs to be synced",
            "c2d4a3240118",
        ),
        (
            "lastChangeTriggerTimes",
            (
                "lastChangeTriggerTimes maps from the Service's NamespacedName to the times of the triggers that "
                "caused its EndpointSlice objects to change. Used to calculate the network-programming-latency "
                "metric."
            ),
            "28ab9b8a8bda",
        ),
        (
            "trackerStartTime",
            (
                "trackerStartTime is the time when the EndpointsChangeTracker was created, so we can avoid "
                "generating network-programming-latency metrics for changes that occurred before that."
            ),
            "bd917be654e8",
        ),
        (
            "removeSlice",
            (
                "In case of Endpoints deletion, the LastChangeTriggerTime annotation is by-definition coming "
                "from the time of last update, which is not what we want to measure."
            ),
            "0c34ac9036c7",
        ),
        (
            "checkoutTriggerTimes",
            (
                "checkoutTriggerTimes applies the locally cached trigger times to a map of trigger times that "
                "have been passed in and empties the local cache."
            ),
            "a56307bb48a4",
        ),
        (
            "getLastChangeTriggerTime",
            (
                "getLastChangeTriggerTime returns the time.Time value of the EndpointsLastChangeTriggerTime "
                'annotation stored in the given endpoints object or the "zero" time if the annotation wasn\'t '
                "set or was set incorrectly."
            ),
            "3514404d53f5",
        ),
        (
            "UpdateEndpointsMapResult",
            (
                "UpdatedServices lists the names of all services with added/updated/deleted endpoints since the "
                "last Update."
            ),
            "573d9ef49c3a",
        ),
        (
            "zero value",
            "It's possible that the Endpoints object won't have the EndpointsLastChangeTriggerTime annotation set. In that case return the 'zero value', which is ignored in the upstream code.",
            "6d5aad41b237",
        ),
    ),
)

SLICE_CACHE = File(
    KUBERNETES,
    "pkg/proxy/endpointslicecache.go",
    (
        (
            "esDataChanged",
            (
                "esDataChanged returns true if the esData parameter should be set as a new pending value in the "
                "cache."
            ),
            "f1972dd51ce3",
        ),
        (
            "checkoutChanges",
            (
                "checkoutChanges returns a map of all endpointsChanges that are pending and then marks them as "
                "applied."
            ),
            "cf2c3cfe3e5f",
        ),
        (
            "pending value",
            "If there's already a pending value, return whether or not this would change that.",
            "b2b09cb4dfe2",
        ),
        (
            "applied value",
            "If there's already an applied value, return whether or not this would change that.",
            "0f74fc337ca4",
        ),
        (
            "marked for removal",
            "If this is marked for removal and does not exist in the cache, no changes are necessary.",
            "a3ca2404cbac",
        ),
        (
            "not in the cache",
            "If not in the cache, and not marked for removal, it should be added.",
            "a3cb5216c50c",
        ),
    ),
)

METRICS = File(
    KUBERNETES,
    "pkg/proxy/metrics/metrics.go",
    (
        (
            "NetworkProgrammingLatency",
            (
                "NetworkProgrammingLatency is defined as the time it took to program the network - from the time "
                "the service or pod has changed to the time the change was propagated and the proper kube-proxy "
                "rules were synced. Exported for each endpoints object that were part of the rules sync."
            ),
            "9a109682d12e",
        ),
        (
            "clock drift",
            (
                "The measurement may be inaccurate if there is a clock drift between the node and master "
                "machine."
            ),
            "4447580d6fed",
        ),
        (
            "name and help",
            'Name: "network_programming_duration_seconds", Help: "In Cluster Network Programming Latency in seconds",',
            "00b138ef76c0",
        ),
        (
            "histogram",
            "NetworkProgrammingLatency = metrics.NewHistogramVec(",
            "6cbcee3ef1f6",
        ),
        ("label", '[]string{"ip_family"}', "980c162d48cf"),
    ),
)

IPTABLES = File(
    KUBERNETES,
    "pkg/proxy/iptables/proxier.go",
    (
        (
            "servicesSynced",
            "endpointSlicesSynced, and servicesSynced are set to true when corresponding objects are synced after startup. This is used to avoid updating iptables with some partial data after kube-proxy restart.",
            "87c9e9fbde08",
        ),
    ),
)

BUCKETS = File(COMPONENT_BASE, "metrics/buckets.go")

ASYNCIO = File(
    CPYTHON,
    "Lib/asyncio/queues.py",
    (
        (
            "Queue.get",
            "We were woken up by put_nowait(), but can't take the call. Wake up the next in line.",
            "276e987201a7",
        ),
    ),
)

METRIC_HELP = File(
    COMPONENT_BASE,
    "metrics/prometheus/workqueue/metrics.go",
    (
        (
            "depth",
            "Current depth of workqueue",
            "0415ff66666f",
        ),
        (
            "adds",
            "Total number of adds handled by workqueue",
            "f4a5e910ba02",
        ),
        (
            "queue duration",
            "How long in seconds an item stays in workqueue before being requested.",
            "f597087c69f3",
        ),
        (
            "work duration",
            "How long in seconds processing an item from workqueue takes.",
            "6597a76ff074",
        ),
        (
            "unfinished work",
            "How many seconds of work has done that is in progress and hasn't been observed by work_duration.",
            "12d858fc7a04",
        ),
        (
            "longest running",
            "How many seconds has the longest running processor for workqueue been running.",
            "e551ec2107e2",
        ),
        (
            "retries",
            "Total number of retries handled by workqueue",
            "beabd1b00463",
        ),
    ),
)

TOKEN_BUCKET = File(
    TIME,
    "rate/rate.go",
    (
        (
            "Limiter",
            'It implements a "token bucket" of size b, initially full and refilled at rate r tokens per second. Informally, in any large enough time interval, the Limiter limits the rate to r tokens per second, with a maximum burst size of b events.',
            "dd517fd109ca",
        ),
        (
            "Reserve",
            "If no token is available, Reserve returns a reservation for a future token and the amount of time the caller must wait before using it.",
            "1af7533c953e",
        ),
        (
            "ReserveN",
            "The Limiter takes this Reservation into account when allowing future events.",
            "042244e02a2c",
        ),
        (
            "concurrency",
            "Limiter is safe for simultaneous use by multiple goroutines.",
            "73f5bad8c961",
        ),
    ),
)

DESIGN = File(
    CONTROLLER_RUNTIME,
    "designs/priorityqueue.md",
    (
        (
            "After",
            "After is a duration after which the object will be available for reconciliation. If the object is already in the workqueue, the lowest of existing and new After period will be used.",
            "867d754bcca8",
        ),
        (
            "RateLimited",
            "Ratelimited specifies if the ratelimiter should be used to determine a wait period. If the object is already in the workqueue, the lowest of existing and new wait period will be used.",
            "0c7fc993cdd9",
        ),
        (
            "Priority",
            "Objects with higher priority are returned before objects with lower priority. If the object is already in the workqueue, the priority will be updated to the highest of existing and new priority.",
            "6e0062c4c812",
        ),
    ),
)

SLI = File(
    COMMUNITY,
    "sig-scalability/slos/network_programming_latency.md",
    (
        (
            "latency",
            "The in-cluster load-balancing programmer will export a prometheus metric once done with programming. The latency of the operation is defined as difference between timestamp of then whe operation is done and timestamp recorded in the newly introduced annotation.",
            "eb5f0208d635",
        ),
        (
            "pod condition",
            "for pod transition between `Ready` and `NotReady` states, its timestamp is simply part of pod condition",
            "26bb6151912d",
        ),
        (
            "oldest",
            "Single `Endpoints` object may batch multiple pod state transition. <br/> In that case, we simply choose the oldest one",
            "ca54a9adeb5e",
        ),
    ),
)

HISTOGRAM = File(
    PROMETHEUS,
    "prometheus/histogram.go",
    (
        (
            "Buckets",
            "Buckets defines the buckets into which observations are counted. Each element in the slice is the upper inclusive bound of a bucket.",
            "f0eac4845f30",
        ),
    ),
)

QUEUE_TESTS = File(CLIENT_GO, "util/workqueue/queue_test.go")
DELAYING_TESTS = File(CLIENT_GO, "util/workqueue/delaying_queue_test.go")
RATE_LIMITING_TESTS = File(CLIENT_GO, "util/workqueue/rate_limiting_queue_test.go")
LIMITER_TESTS = File(CLIENT_GO, "util/workqueue/default_rate_limiters_test.go")
METRIC_TESTS = File(CLIENT_GO, "util/workqueue/metrics_test.go")
PRIORITY_TESTS = File(CONTROLLER_RUNTIME, "pkg/controller/priorityqueue/priorityqueue_test.go")
CONTROLLER_TESTS = File(CONTROLLER_RUNTIME, "pkg/internal/controller/controller_test.go")
TRIGGER_TESTS = File(ENDPOINTSLICE, "util/trigger_time_tracker_test.go")
SLICE_TESTS = File(ENDPOINTSLICE, "reconciler_test.go")
TRACKER_TESTS = File(KUBERNETES, "pkg/proxy/endpointschangetracker_test.go")
SLICE_CACHE_TESTS = File(KUBERNETES, "pkg/proxy/endpointslicecache_test.go")

FILES = (
    *(DOC, QUEUE, DELAYING, RATE_LIMITING, LIMITERS, QUEUE_METRICS, INFORMERS),
    *(PRIORITY_QUEUE, CONTROLLER_OPTIONS, CONTROLLER, RECONCILE),
    *(TRIGGERS, SLICE_WRITER, ANNOTATION_KEY),
    TRACKER,
    SLICE_CACHE,
    METRICS,
    IPTABLES,
    BUCKETS,
    *(METRIC_HELP, TOKEN_BUCKET, DESIGN, SLI, HISTOGRAM),
    ASYNCIO,
)
