"""Every behaviour of the workqueue family that is known, and where the specification has it.

The names are those of a reading of upstream's code, its tests, its bugs and its open questions. A behaviour
is covered by rules and probes, by their ids, or there is a reason why it cannot be.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Behaviour:
    name: str
    said: str
    """What upstream does."""
    rules: tuple[str, ...] = ()
    """The ids of the rules that are about it."""
    why_not: str = ""
    """Why no rule is."""


@dataclass(frozen=True)
class Part:
    title: str
    behaviours: tuple[Behaviour, ...]


def by(name: str, said: str, *rules: str) -> Behaviour:
    return Behaviour(name, said, rules)


def not_by(name: str, said: str, why: str) -> Behaviour:
    return Behaviour(name, said, why_not=why)


WORKING = "interleavings/work-is-done-in-every-order"
EXPLAINED = "interleavings/some-order-of-the-calls-explains-it"

CORE = Part(
    "Add, Get, Done, Len",
    (
        by("core-add-get", "An added item is handed out.", "handing_out/an-added-item-is-handed-out"),
        by(
            "core-fifo",
            "Items are handed out in the order in which they were first added.",
            "fair/first-come-first-served",
            "fair/the-order-holds-for-several-workers",
            "fair/what-comes-back-does-not-jump-the-queue",
        ),
        by(
            "core-duplicate-keeps-place",
            "A duplicate does not move the item.",
            "fair/a-duplicate-keeps-its-place",
        ),
        by(
            "core-dedupe-queued",
            "Many Adds of a queued item are one hand-out.",
            "stingy/added-many-times-is-handed-out-once",
            "stingy/the-sequence-that-made-the-name",
        ),
        by(
            "core-dedupe-per-item",
            "Each item is counted for itself.",
            "stingy/added-many-times-is-handed-out-once",
            "once_more/each-item-is-remembered-for-itself",
        ),
        by(
            "core-item-equality",
            "Items are the same if they are equal.",
            "handing_out/equal-items-are-one-item",
            "handing_out/different-items-are-different",
            "handing_out/an-item-may-hold-any-text",
        ),
        by("core-falsy-item", "An empty item is an item.", "handing_out/an-empty-item-is-an-item"),
        by(
            "core-get-blocks",
            "Get waits while nothing is queued.",
            "handing_out/get-waits-while-nothing-is-queued",
        ),
        by(
            "core-get-takes",
            "Get takes the item out, in one step.",
            "handing_out/get-takes-the-item-out",
            EXPLAINED,
        ),
        by(
            "core-done-clean",
            "Done does not bring back what was not added again.",
            "handing_out/a-finished-item-stays-away",
        ),
        by(
            "core-add-after-done",
            "A finished item can be added again.",
            "handing_out/a-finished-item-can-come-again",
        ),
        by(
            "core-held-while-processing",
            "An item is not handed out while a worker has it.",
            "stingy/one-worker-at-a-time",
            "stingy/no-item-is-with-two-workers",
        ),
        by(
            "core-redelivered-on-done",
            "What was added while it was processed comes back after its Done.",
            "once_more/added-while-processed-comes-back-after-done",
        ),
        by(
            "core-processing-adds-collapse",
            "Any number of Adds during a run are one more run.",
            "once_more/once-more-not-once-per-event",
        ),
        by(
            "core-redelivery-repeats",
            "So in every run, not only the first.",
            "once_more/in-every-run-not-only-the-first",
            "once_more/what-came-back-is-held-like-any-other",
        ),
        by(
            "core-redelivery-to-tail",
            "What comes back joins the tail.",
            "once_more/an-item-that-comes-back-joins-the-tail",
        ),
        by(
            "core-redelivery-order-by-done",
            "Several come back in the order of their Done.",
            "once_more/items-come-back-in-the-order-of-their-done",
        ),
        by("core-len-queued", "Len counts what is queued.", "length/len-counts-what-is-queued"),
        by(
            "core-len-excludes-processing",
            "Len leaves out what is in processing.",
            "length/len-leaves-out-what-is-in-processing",
        ),
        by(
            "core-len-excludes-held",
            "Len leaves out what waits for its Done.",
            "length/len-leaves-out-what-waits-for-its-done",
        ),
        not_by(
            "core-len-advisory",
            "Len is for information only.",
            "It is advice to callers: nothing that a candidate does could go against it.",
        ),
        by(
            "core-parallel-distinct",
            "Different items are processed side by side.",
            "workers/different-items-are-processed-side-by-side",
        ),
        by(
            "core-no-head-of-line",
            "An item that is held back does not hold up others.",
            "once_more/it-does-not-hold-up-the-others",
            "stingy/other-items-do-not-let-it-out",
        ),
        by("core-done-by-other-thread", "Any thread may call Done.", "workers/another-thread-may-say-done"),
        by(
            "core-done-unpaired",
            "Done of what nobody holds is the caller's error.",
            "handing_out/done-of-an-item-nobody-holds",
            "handing_out/a-second-done-while-another-worker-holds-it",
        ),
        by(
            "seed-row1-new",
            "Add of a new item: dirty, and queued.",
            "stingy/add-depends-on-where-the-item-is",
        ),
        by("seed-row2-queued", "Add of a queued item: nothing.", "stingy/add-depends-on-where-the-item-is"),
        by(
            "seed-row3-processing",
            "Add of an item in processing: dirty.",
            "stingy/add-depends-on-where-the-item-is",
        ),
        by(
            "seed-row4-held",
            "Add of an item in processing that is dirty: nothing.",
            "stingy/add-depends-on-where-the-item-is",
        ),
        by("seed-row5-shutdown", "Add after a shutdown: nothing.", "stingy/add-depends-on-where-the-item-is"),
        not_by(
            "core-unhashable",
            "An item that cannot be hashed is refused, and the queue is as before.",
            "Items are strings wherever a candidate may be in another language, and there are no others.",
        ),
    ),
)

SHUTDOWN = Part(
    "Shutdown and drain",
    (
        by(
            "shut-add-ignored", "Add after ShutDown is ignored.", "shutdown/what-is-added-after-it-is-ignored"
        ),
        by(
            "shut-add-ignored-in-flight",
            "So for an item in processing.",
            "shutdown/also-for-an-item-in-processing",
        ),
        by(
            "shut-remaining-delivered",
            "What was queued is still handed out.",
            "shutdown/what-was-queued-is-still-handed-out",
        ),
        by(
            "shut-held-redelivered",
            "What was added again before it still comes back.",
            "shutdown/what-was-owed-is-still-handed-out",
        ),
        by(
            "shut-get-empty",
            "Get of an empty queue reports the shutdown.",
            "shutdown/get-reports-the-shutdown",
        ),
        by("shut-flag-means-no-item", "No item comes with the flag.", "shutdown/the-flag-means-no-item"),
        by(
            "shut-not-sticky",
            "After the flag an item may yet come.",
            "shutdown/the-flag-is-not-the-last-word",
        ),
        by("shut-wakes-all", "Every waiting Get is woken.", "shutdown/shutdown-wakes-every-waiting-worker"),
        by(
            "shut-idempotent",
            "ShutDown may be called again.",
            "shutdown/a-second-shutdown-changes-nothing",
            "drain/what-is-shut-down-can-be-shut-down-again",
        ),
        by("shut-does-not-wait", "ShutDown waits for nobody.", "shutdown/shutdown-waits-for-nobody"),
        by("shut-flag", "ShuttingDown says so, for good.", "shutdown/shutting-down-says-so"),
        by("shut-len-remains", "Len goes on to count what is queued.", "length/len-goes-on-after-shutdown"),
        by(
            "shut-done-allowed",
            "Done works as ever.",
            "shutdown/what-was-owed-is-still-handed-out",
            "shutdown/nothing-is-left-when-all-have-gone-home",
        ),
        by(
            "shut-worker-exit-complete",
            "Once all workers have gone home, all is done.",
            "shutdown/nothing-is-left-when-all-have-gone-home",
            "interleavings/no-program-of-a-few-lanes-survives-its-shutdown",
        ),
        by(
            "drain-sets-shutdown",
            "ShutDownWithDrain refuses what is new; workers go on.",
            "drain/it-refuses-what-is-new",
            "drain/workers-go-on-with-what-is-queued",
            "drain/shutting-down-is-said-while-it-waits",
            "drain/it-refuses-what-is-in-processing",
        ),
        by(
            "drain-waits-in-flight",
            "It does not return while an item is in processing.",
            "drain/it-waits-for-what-is-in-processing",
            "drain/it-waits-for-every-one-of-them",
        ),
        by(
            "drain-idle-returns",
            "It returns at once from an idle queue, and wakes the workers.",
            "drain/it-returns-at-once-when-there-is-nothing-to-do",
            "drain/it-wakes-the-waiting-workers",
            "drain/it-returns-after-the-last-done",
        ),
        by("drain-released-by-shutdown", "ShutDown ends its wait.", "drain/shutdown-ends-the-wait"),
        by("drain-needs-done", "Without Done it waits for ever.", "drain/it-waits-for-what-is-in-processing"),
        by(
            "drain-held-redelivered",
            "What was added again comes back during a drain.",
            "drain/what-was-owed-comes-back-during-a-drain",
        ),
        by(
            "drain-queued-not-awaited",
            "It does not wait for what is queued.",
            "drain/whether-it-waits-for-what-is-queued",
        ),
        by("drain-multi-caller", "Of several drains one returns.", "drain/whether-two-drains-both-return"),
        by(
            "drain-after-shutdown",
            "It waits after a ShutDown, too.",
            "drain/whether-it-waits-after-a-shutdown",
        ),
    ),
)

CONCURRENCY = Part(
    "Many callers at once",
    (
        by(
            "conc-wake-on-add",
            "As many Adds release as many workers.",
            "workers/as-many-adds-wake-as-many-workers",
            "workers/one-add-wakes-one-worker",
        ),
        by(
            "conc-wake-on-redelivery",
            "A Done that brings an item back wakes a worker.",
            "workers/an-item-that-comes-back-wakes-a-worker",
        ),
        by(
            "conc-spurious-wake-safe",
            "A worker that is woken for nothing waits on.",
            "workers/a-worker-woken-for-nothing-waits-on",
        ),
        by(
            "conc-per-key-exclusion",
            "No item is with two workers.",
            "stingy/no-item-is-with-two-workers",
            "stingy/other-items-do-not-let-it-out",
            WORKING,
        ),
        by(
            "conc-no-lost-update",
            "Every Add is followed by a run that begins after it.",
            "once_more/no-add-is-lost",
            WORKING,
        ),
        by("conc-no-excess-runs", "No more runs than Adds.", "stingy/never-more-runs-than-adds", WORKING),
        by(
            "conc-quiescence",
            "In the end nothing is left.",
            "workers/all-that-is-added-gets-done",
            "interleavings/work-ends-in-every-order",
            "interleavings/no-program-of-a-few-lanes-breaks-it",
        ),
        by(
            "conc-linearizable",
            "Some order of the calls explains every history.",
            EXPLAINED,
            "interleavings/some-order-explains-a-drain",
            "interleavings/a-drain-ends-in-every-order",
            "interleavings/a-drain-ends-in-every-program",
        ),
        by(
            "conc-blocked-get-not-woken-for-held",
            "A duplicate releases nobody.",
            "workers/an-item-in-processing-wakes-nobody",
        ),
        by(
            "conc-thread-safe",
            "Any method may be called at any time.",
            "workers/two-producers-at-once-add-it-once",
            EXPLAINED,
        ),
        not_by(
            "conc-getter-fairness",
            "Which of the waiting workers is served is not promised.",
            "There is nothing to keep: a rule could only accuse somebody who is right.",
        ),
        by(
            "conc-cancelled-get",
            "A Get that is cancelled takes neither an item nor a wake-up with it (asyncio).",
            "cancellation/a-cancelled-get-ends",
            "cancellation/a-cancelled-get-takes-no-item-with-it",
            "cancellation/a-cancelled-get-takes-no-wake-up-with-it",
        ),
    ),
)

HOOK = Part(
    "A store of one's own",
    (
        by(
            "hook-order",
            "The store's Pop says what comes next.",
            "hooks/the-store-says-what-comes-next",
            "hooks/add-pushes-and-get-pops",
            "hooks/nothing-is-popped-at-the-end",
        ),
        by(
            "hook-touch-on-queued-duplicate",
            "Touch is called for each duplicate.",
            "hooks/a-duplicate-touches",
        ),
        by(
            "hook-no-touch-while-processing",
            "Touch is not called for what a worker holds.",
            "hooks/what-a-worker-holds-is-not-touched",
        ),
        by(
            "hook-no-touch-first-add",
            "Touch is not called for the Add that pushes.",
            "hooks/add-pushes-and-get-pops",
        ),
        by(
            "hook-push-on-redelivery",
            "What comes back after its Done is pushed.",
            "hooks/what-comes-back-is-pushed",
            "hooks/what-has-come-back-is-touched",
        ),
        by(
            "hook-no-touch-after-shutdown",
            "Nothing is touched after a shutdown.",
            "hooks/nothing-is-touched-after-shutdown",
        ),
        by(
            "hook-len-delegates",
            "Len and the waiting of Get go by the store's Len.",
            "hooks/len-is-what-the-store-says",
            "hooks/get-waits-while-the-store-shows-nothing",
        ),
        by(
            "hook-serialised",
            "No two methods of the store are called at once.",
            "hooks/the-store-is-asked-one-thing-at-a-time",
        ),
    ),
)

DELAY = Part(
    "Adding later",
    (
        by(
            "delay-nonpositive-now",
            "Without a delay the item is added at once.",
            "delays/without-a-delay-it-is-added-now",
            "delays/without-a-delay-it-is-there-at-once",
        ),
        by("delay-not-early", "It does not come before its delay is over.", "delays/it-is-not-there-before"),
        by("delay-at-deadline", "It comes at its deadline.", "delays/it-is-there-when-the-delay-is-over"),
        by(
            "delay-earliest-wins",
            "Of two deadlines the earlier one wins.",
            "delays/the-earlier-deadline-wins",
        ),
        by("delay-later-ignored", "The later one is void.", "delays/the-later-deadline-is-void"),
        by("delay-fires-once", "It comes once.", "delays/it-comes-once"),
        by("delay-reschedule", "It can be delayed again.", "delays/it-can-be-delayed-again"),
        by(
            "delay-order",
            "Items come in the order of their deadlines.",
            "delays/they-come-in-the-order-of-their-deadlines",
        ),
        not_by(
            "delay-tie-order",
            "Equal deadlines come out in any order.",
            "There is nothing to keep: client-go's own order is that of a heap, six equal deadlines come scrambled.",
        ),
        by("delay-all-due-released", "All that is due comes.", "delays/all-that-is-due-comes"),
        by(
            "delay-sooner-rearms",
            "A sooner deadline does not wait for a later one.",
            "delays/a-later-deadline-holds-up-no-sooner-one",
        ),
        by("delay-len-excludes-waiting", "Len leaves out what waits.", "delays/len-leaves-out-what-waits"),
        by(
            "delay-add-does-not-cancel",
            "An Add does not cancel what waits.",
            "delays/whether-an-add-cancels-what-waits",
            "delays/an-add-does-not-wait",
        ),
        by(
            "delay-queued-does-not-absorb",
            "What is queued can wait as well.",
            "delays/whether-a-queued-item-can-wait-too",
            "delays/it-puts-off-nothing-that-is-queued",
        ),
        by(
            "delay-due-while-queued",
            "Due while it is queued, it comes once.",
            "delays/due-while-it-is-queued-it-comes-once",
        ),
        by(
            "delay-due-while-processing",
            "Due while it is processed, it comes after the Done.",
            "delays/due-while-it-is-processed-it-waits-for-the-done",
            "delays/due-while-it-is-processed-it-comes-after-the-done",
            "delays/a-done-does-not-hurry-it",
            "delays/a-done-does-not-cancel-it",
        ),
        by("delay-wakes-getter", "A waiting Get is woken.", "delays/a-waiting-worker-is-woken"),
        by(
            "delay-shutdown-drops-waiting",
            "ShutDown drops what waits.",
            "delays/a-shutdown-drops-what-waits",
            "delays/also-of-an-item-in-processing",
        ),
        by(
            "delay-drain-drops-waiting",
            "A drain does not wait for what waits, and drops it.",
            "delays/a-drain-does-not-wait-for-what-waits",
            "delays/a-drain-drops-what-waits",
            "delays/during-a-drain-it-is-ignored",
        ),
        by(
            "delay-after-shutdown-ignored",
            "AddAfter after a shutdown is ignored.",
            "delays/after-a-shutdown-it-is-ignored",
        ),
        by(
            "delay-shutdown-idempotent",
            "ShutDown may be called again.",
            "delays/a-second-shutdown-changes-nothing",
        ),
        by("delay-no-loss-in-bulk", "Of many none is lost.", "delays/none-of-many-is-lost"),
        by(
            "delay-deadline-from-call",
            "The delay counts from the call.",
            "delays/the-delay-counts-from-the-call",
        ),
        by(
            "delay-item",
            "What is an item elsewhere is one here.",
            "delays/an-empty-item-can-wait",
        ),
        by(
            "delay-clock-injected",
            "A clock that is handed in governs all delays.",
            "delays/it-is-not-there-before",
            "delays/it-is-there-when-the-delay-is-over",
        ),
        not_by(
            "delay-heartbeat",
            "A due item waits ten seconds more at most, even if its timer was lost.",
            "A timer cannot be lost where all timers are the suite's own, and no rule has broken it otherwise.",
        ),
        not_by(
            "delay-inner-queue",
            "A queue that is handed in is used for what is due.",
            "It is how client-go is put together; nothing of it can be seen but the order, which has its rules.",
        ),
        by(
            "delay-addafter-may-block",
            "AddAfter may wait while many are unread.",
            "delays/addafter-holds-nobody-up",
        ),
        by(
            "drain-delaying-second-shutdown",
            "The second ShutDown of a delaying queue ends no drain.",
            "delays/whether-a-second-shutdown-ends-a-drain",
        ),
    ),
)

RATE_LIMITING = Part(
    "Trying again",
    (
        by(
            "limit-add-uses-when",
            "AddRateLimited asks the limiter once, and waits as it says.",
            "rate_limiting/it-comes-when-the-limiter-says",
            "rate_limiting/it-does-not-come-before",
            "rate_limiting/each-failure-waits-as-the-limiter-says",
            "rate_limiting/a-done-does-not-hurry-it",
            "rate_limiting/a-done-does-not-cancel-it",
        ),
        by(
            "limit-per-item",
            "Each item waits for its own failures.",
            "rate_limiting/each-item-waits-for-its-own-failures",
            "rate_limiting/numrequeues-is-of-one-item",
        ),
        by(
            "limit-forget-resets",
            "Forget begins anew.",
            "rate_limiting/forget-resets-the-count",
            "rate_limiting/forget-resets-the-wait",
            "rate_limiting/forget-is-about-one-item",
            "rate_limiting/an-item-that-never-failed-can-be-forgotten",
        ),
        by(
            "limit-forget-only-limiter",
            "Forget is no Done, takes nothing out and cancels nothing.",
            "rate_limiting/forget-is-no-done",
            "rate_limiting/forget-takes-nothing-out",
            "rate_limiting/forget-cancels-no-retry",
        ),
        by("limit-done-does-not-forget", "Done does not forget.", "rate_limiting/done-does-not-forget"),
        by(
            "limit-add-bypasses",
            "Add and AddAfter do not ask the limiter.",
            "rate_limiting/an-add-is-no-failure",
            "rate_limiting/an-addafter-is-no-failure",
        ),
        by(
            "limit-numrequeues",
            "NumRequeues is the limiter's.",
            "rate_limiting/numrequeues-begins-at-zero",
            "rate_limiting/numrequeues-counts-the-failures",
            "rate_limiting/numrequeues-only-reads",
        ),
        by(
            "limit-repeat-before-fire",
            "Failures in a row are one retry, at the earliest time, and are all counted.",
            "rate_limiting/failures-in-a-row-are-one-retry",
            "rate_limiting/failures-in-a-row-are-all-counted",
            "rate_limiting/a-retry-and-a-delay-are-one",
        ),
        by(
            "limit-after-shutdown-charges",
            "After a shutdown it is still counted.",
            "rate_limiting/whether-it-is-a-failure-after-a-shutdown",
            "rate_limiting/a-shutdown-drops-the-retries",
            "rate_limiting/after-a-shutdown-it-is-ignored",
        ),
        not_by(
            "limit-forget-required",
            "Who does not call Forget is remembered for ever.",
            "It is advice to callers: nothing that a candidate does could go against it.",
        ),
    ),
)

LIMITERS = Part(
    "Rate limiters",
    (
        by(
            "rl-exp-formula",
            "The wait doubles with each failure.",
            "limiters/each-failure-doubles-the-wait",
            "limiters/each-item-fails-for-itself",
            "limiters/each-limiter-counts-for-itself",
        ),
        by(
            "rl-exp-cap",
            "Once it is the longest wait, it remains so for ever.",
            "limiters/the-longest-wait-is-for-ever",
            "limiters/each-failure-doubles-the-wait",
        ),
        by(
            "rl-exp-overflow",
            "It never overflows; client-go's own does at exactly 2⁶³ ns.",
            "limiters/the-longest-wait-is-for-ever",
            "limiters/where-64-bits-end",
        ),
        by(
            "rl-exp-base-over-max",
            "A base beyond the longest wait is cut at once.",
            "limiters/each-failure-doubles-the-wait",
        ),
        by(
            "rl-exp-numrequeues",
            "NumRequeues counts the failures, and only reads.",
            "limiters/num-requeues-counts-the-failures",
            "limiters/to-ask-is-not-to-fail",
        ),
        by(
            "rl-exp-forget",
            "Forget is about one item.",
            "limiters/forget-begins-anew",
            "limiters/forget-is-about-one-item",
            "limiters/what-never-failed-can-be-forgotten",
        ),
        by(
            "rl-fastslow",
            "The first attempts are fast, all others slow.",
            "limiters/a-few-attempts-are-fast",
            "limiters/each-item-has-fast-attempts-of-its-own",
            "limiters/slow-attempts-are-counted-too",
            "limiters/what-is-forgotten-is-fast-again",
        ),
        by(
            "rl-maxof",
            "The longest wait of several limiters, which are all asked.",
            "limiters/the-longest-of-all-waits",
            "limiters/every-one-is-asked-every-time",
            "limiters/the-highest-count-counts",
            "limiters/forget-reaches-every-one",
            "limiters/it-is-never-less-than-nothing",
        ),
        by(
            "rl-maxwait",
            "No wait is longer than the limit.",
            "limiters/nobody-waits-longer-than-the-limit",
            "limiters/what-is-cut-short-has-failed-all-the-same",
            "limiters/it-counts-what-its-limiter-counts",
            "limiters/forget-reaches-its-limiter",
        ),
        by(
            "rl-bucket",
            "So many at once, then one by one; all items share it.",
            "limiters/so-many-at-once-then-one-by-one",
            "limiters/all-items-share-the-bucket",
            "limiters/a-bucket-fills-as-time-passes",
            "limiters/a-place-that-was-promised-is-kept",
            "limiters/a-bucket-holds-no-more-than-its-burst",
            "limiters/forget-gives-no-place-back",
            "limiters/a-bucket-remembers-no-item",
        ),
        not_by(
            "rl-bucket-clock",
            "The bucket goes by the machine's clock, not by the queue's.",
            "Where the suite moves the clock there is but one.",
        ),
        by(
            "rl-default-controller",
            "By default: 5 ms to 1000 s for each item, and ten a second, a hundred at once.",
            "limiters/a-controllers-items-wait-5-ms-to-1000-s",
            "limiters/a-controllers-items-are-ten-a-second",
        ),
        by(
            "rl-default-item",
            "For items alone: 1 ms to 1000 s.",
            "limiters/by-itself-an-item-waits-1-ms-to-1000-s",
            "limiters/by-itself-an-item-waits-for-no-other",
        ),
        by(
            "conc-limiter-thread-safe",
            "Rate limiters may be called by many at once.",
            "limiters/failures-at-once-are-all-counted",
            "limiters/attempts-at-once-are-all-counted",
            "limiters/no-two-get-the-same-place",
        ),
    ),
)

METRICS = Part(
    "Metrics",
    (
        by("met-adds", "adds counts what becomes dirty.", "metrics/adds-counts-what-is-news"),
        by(
            "met-depth",
            "depth counts what nobody has taken, and what waits for its Done.",
            "metrics/depth-counts-what-nobody-has-taken",
            "metrics/depth-counts-what-waits-for-its-done",
            "metrics/depth-counts-what-was-queued-at-a-shutdown",
            "metrics/depth-is-never-negative-and-nothing-remains",
            "metrics/what-waits-for-its-time-is-not-counted-yet",
            "metrics/depth-is-right-with-delays-too",
        ),
        by(
            "met-queue-duration",
            "The time from becoming dirty to the Get.",
            "metrics/queue-duration-is-the-time-from-add-to-get",
            "metrics/a-duplicate-does-not-begin-it-anew",
            "metrics/what-remains-of-a-run-is-part-of-it",
            "metrics/a-delay-is-no-queue-duration",
        ),
        by(
            "met-work-duration",
            "The time from the Get to the Done.",
            "metrics/work-duration-is-the-time-from-get-to-done",
            "metrics/each-item-is-timed-for-itself",
            "metrics/every-get-and-every-done-is-observed",
            "metrics/what-a-done-without-a-get-tells",
        ),
        by(
            "met-unfinished",
            "The sum of the ages of what is in processing.",
            "metrics/unfinished-work-is-the-sum-of-all-ages",
            "metrics/what-is-finished-leaves-both",
            "metrics/what-is-queued-counts-in-neither",
        ),
        by(
            "met-longest",
            "The age of the oldest of them.",
            "metrics/longest-running-is-the-age-of-the-oldest",
        ),
        by(
            "met-frozen-on-shutdown",
            "Both stand still after a shutdown.",
            "metrics/both-stand-still-after-a-shutdown",
        ),
        by(
            "met-retries",
            "Each call that adds later is counted, without a delay, too.",
            "metrics/retries-counts-what-is-added-with-a-delay",
            "metrics/an-add-is-no-retry",
            "metrics/every-call-is-a-retry",
        ),
        by(
            "met-unnamed-none",
            "A queue without a name tells nothing.",
            "metrics/a-queue-without-a-name-tells-nothing",
        ),
        not_by(
            "met-provider-choice",
            "A provider of the queue's own comes before the global one, which is set once.",
            "A provider for the whole process is Go's way to hand it in; the contract hands it to the queue.",
        ),
        by(
            "met-seconds",
            "Durations are seconds.",
            "metrics/work-duration-is-the-time-from-get-to-done",
            "metrics/queue-duration-is-the-time-from-add-to-get",
        ),
    ),
)

CONTROLLER = Part(
    "Controllers",
    (
        by(
            "ctrl-max-concurrent",
            "So many reconciles at once, and no more.",
            "controller/no-more-at-once-than-it-may",
            "controller/as-many-at-once-as-it-may",
            "controller/a-slow-key-holds-up-one-worker",
            "controller/what-comes-again-waits-for-a-worker",
            "controller/with-few-workers-and-many-keys-each-has-its-turn",
        ),
        by("ctrl-default-one", "Less than one is one.", "controller/less-than-one-worker-counts-as-one"),
        by(
            "ctrl-add",
            "A key that is added is reconciled, once for all Adds before its run.",
            "controller/a-key-that-is-added-is-reconciled",
            "controller/an-empty-key-is-a-key",
            "controller/many-events-before-a-run-are-one-run",
        ),
        by(
            "ctrl-per-key-exclusion",
            "One key is in one worker at a time; an event during a run is followed by another run.",
            "controller/one-key-is-in-one-worker-at-a-time",
            "controller/an-event-during-a-run-is-followed-by-another",
            "controller/many-events-during-a-run-are-followed-by-one",
            "controller/what-comes-again-waits-for-its-own-run",
            "controller/no-event-is-missed",
        ),
        by(
            "ctrl-done-after-requeue",
            "Done is called on every path.",
            "controller/however-it-ends-an-event-starts-it-again",
        ),
        by(
            "ctrl-success-forgets",
            "A success forgets the failures.",
            "controller/a-success-is-the-end-of-it",
            "controller/a-success-forgets-the-failures",
        ),
        by(
            "ctrl-error-ratelimited",
            "A failure is retried, later each time.",
            "controller/a-failure-is-retried",
            "controller/a-failure-is-not-retried-sooner",
            "controller/each-failure-waits-longer",
            "controller/each-key-has-its-own-failures",
        ),
        not_by(
            "ctrl-error-beats-result",
            "Beside an error, what the Result says is void.",
            "An exception carries no Result.",
        ),
        by(
            "ctrl-requeueafter",
            "RequeueAfter forgets, and brings the key back after that time.",
            "controller/requeue-after-brings-it-back",
            "controller/requeue-after-brings-it-back-no-sooner",
            "controller/requeue-after-forgets-the-failures",
            "controller/whether-an-event-before-takes-its-place",
        ),
        by(
            "ctrl-requeueafter-nonpositive",
            "RequeueAfter of nothing is none.",
            "controller/requeue-after-nothing-is-a-success",
            "controller/of-both-requeue-after-counts-if-there-is-any",
        ),
        by(
            "ctrl-requeue",
            "Requeue is up to the rate limiter.",
            "controller/requeue-is-up-to-the-rate-limiter",
            "controller/each-requeue-waits-longer",
        ),
        by(
            "ctrl-terminal",
            "A terminal error is not retried, and forgets nothing.",
            "controller/a-terminal-error-is-not-retried",
            "controller/a-wrapped-terminal-error-is-one-too",
            "controller/a-terminal-error-forgets-nothing",
        ),
        by(
            "ctrl-panic-recovered",
            "A panic is a failure, and the worker lives on.",
            "controller/however-it-ends-the-worker-goes-on",
            "controller/a-failure-is-retried",
        ),
        by(
            "ctrl-event-meanwhile",
            "An event does not wait for the retry that is to come; whether both come is contested.",
            "controller/whether-an-event-in-the-meantime-takes-its-place",
        ),
        not_by(
            "ctrl-priority-kept",
            "A retry keeps the priority of the key.",
            "Neither the contract's Result nor its Controller has priorities.",
        ),
        not_by(
            "ctrl-wrapper-no-priority",
            "On a plain work queue priorities are ignored.",
            "Neither the contract's Result nor its Controller has priorities.",
        ),
        by(
            "ctrl-shutdown",
            "Start and Stop have returned once no worker is left.",
            "controller/idle-workers-go-home",
            "controller/it-lets-what-is-under-way-come-to-its-end",
            "controller/it-has-not-stopped-while-a-reconcile-is-under-way",
            "controller/what-is-added-after-stop-is-not-reconciled",
            "controller/what-ends-after-stop-does-not-come-again",
            "controller/stop-does-not-wait-for-what-is-to-come-again",
            "controller/nothing-comes-again-once-it-has-stopped",
        ),
        by(
            "ctrl-shutdown-backlog",
            "What is queued then is reconciled, or dropped.",
            "controller/what-becomes-of-the-rest-at-stop",
        ),
        not_by(
            "ctrl-not-before-sync",
            "Nothing is reconciled before all sources are synced.",
            "The contract's Controller has no sources.",
        ),
        not_by(
            "ctrl-start-once",
            "A second Start is an error.",
            "It is the caller's error, and no two implementations say it alike.",
        ),
    ),
)

PRIORITY = Part(
    "Priorities",
    (
        by(
            "prio-highest-first",
            "The highest priority of what is ready goes first.",
            "priority/the-highest-priority-goes-first",
            "priority/an-item-comes-with-its-priority",
            "priority/get-waits-while-nothing-is-ready",
            "priority/nothing-more-urgent-is-left-behind",
            "priority/one-worker-at-a-time",
            "priority/it-does-not-hold-up-the-others",
        ),
        by(
            "prio-fifo-within",
            "Within a priority, first come first served.",
            "priority/first-come-first-served-within-a-priority",
            "priority/it-has-the-place-of-when-it-became-ready",
        ),
        by(
            "prio-max-wins",
            "Added again, the higher priority counts.",
            "priority/the-higher-priority-counts",
            "priority/added-many-times-it-is-handed-out-once",
            "priority/a-raised-item-overtakes",
            "priority/otherwise-it-keeps-its-place",
        ),
        by(
            "prio-raise-goes-to-tail",
            "A raised item goes to the end of its level.",
            "priority/a-raised-item-goes-to-the-end-of-its-level",
        ),
        by(
            "prio-min-after",
            "Added again, the earlier time counts.",
            "priority/the-earlier-time-counts",
            "priority/ready-is-earlier-than-any-time",
            "priority/priority-and-time-count-each-for-itself",
            "priority/the-later-time-brings-nothing",
        ),
        by(
            "prio-after",
            "It is ready when its time has come, and not before.",
            "priority/nothing-comes-before-its-time",
            "priority/when-its-time-has-come-a-worker-gets-it",
            "priority/without-a-delay-it-is-ready",
            "priority/a-sooner-one-does-not-wait-for-a-later-one",
            "priority/all-that-is-due-is-handed-out",
            "priority/a-delay-costs-no-priority",
            "priority/what-becomes-ready-during-a-run-waits-for-its-end",
            "priority/a-done-does-not-end-a-delay",
        ),
        by(
            "prio-add-merges-delay",
            "An Add and a delay are one entry.",
            "priority/ready-is-earlier-than-any-time",
            "priority/the-later-time-brings-nothing",
            "priority/an-old-time-is-not-the-next-ones",
            "priority/an-event-during-a-run-takes-the-place-of-a-delay",
        ),
        by(
            "prio-per-run-priority",
            "A priority is that of one queueing.",
            "priority/the-next-run-has-its-own-priority",
            "priority/what-is-added-during-a-run-is-as-urgent-as-it-says",
        ),
        by(
            "prio-ratelimited-min",
            "Rate limited, the sooner of limiter and delay counts.",
            "priority/rate-limited-it-waits-for-its-limiter",
            "priority/each-item-waits-for-itself",
            "priority/an-add-is-no-failure",
            "priority/the-sooner-of-limiter-and-delay-counts",
            "priority/the-limiter-is-asked-all-the-same",
        ),
        by(
            "prio-len-ready",
            "Len counts what is ready, also what waits for its Done.",
            "priority/len-counts-what-is-ready",
            "priority/whether-len-counts-what-waits-for-its-done",
        ),
        by(
            "prio-done-unlocks",
            "What was added during a run keeps its place.",
            "priority/it-comes-back-to-the-place-of-its-add",
        ),
        by("prio-stray-done", "A Done without a Get changes nothing.", "priority/a-done-without-a-get"),
        by(
            "prio-shutdown-drops",
            "After ShutDown what is queued is gone.",
            "priority/whether-a-shutdown-drops-what-is-ready",
            "priority/get-reports-the-shutdown",
            "priority/shutdown-wakes-every-waiting-worker",
            "priority/what-is-added-after-a-shutdown-is-ignored",
            "priority/a-shutdown-ends-every-wait-for-a-time",
            "priority/the-flag-means-no-item",
        ),
        by(
            "prio-shutdown-once",
            "A second ShutDown panics.",
            "priority/a-second-shutdown-changes-nothing",
            "shutdown/a-second-shutdown-changes-nothing",
        ),
        not_by(
            "prio-drain-is-shutdown",
            "ShutDownWithDrain is ShutDown.",
            "A priority queue does not offer to drain.",
        ),
        not_by(
            "prio-limiter-async",
            "The limiter is asked later: Forget may be undone by an AddRateLimited before it.",
            "It shows only in what comes of several calls before anything settles, which no rule may demand to be otherwise.",
        ),
        by(
            "prio-waiting-not-retry-when-0",
            "Only a delay is a retry.",
            "metrics/every-call-is-a-retry",
        ),
    ),
)

PARTS = (
    *(CORE, SHUTDOWN, CONCURRENCY, HOOK, DELAY, RATE_LIMITING),
    *(LIMITERS, METRICS, CONTROLLER, PRIORITY),
)
