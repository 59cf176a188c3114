"""The queue itself: handing out, shutting down, several workers at once, and its store."""

from __future__ import annotations

from stingy.catalogue.behaviour import Part, by, not_by

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
            "interleavings/no-item-overtakes-another",
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
            "once_more/added-again-when-it-came-back-it-is-still-one",
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
            "stingy/the-done-of-another-item-does-not-let-it-out",
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
            "shutdown/a-second-shutdown-drops-nothing",
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
            "interleavings/nobody-is-sent-home-too-soon",
            "interleavings/no-program-of-a-few-lanes-survives-its-shutdown",
        ),
        by(
            "drain-sets-shutdown",
            "ShutDownWithDrain refuses what is new; workers go on.",
            "drain/it-refuses-what-is-new",
            "drain/workers-go-on-with-what-is-queued",
            "drain/shutting-down-is-said-while-it-waits",
            "drain/it-refuses-what-is-in-processing",
            "interleavings/a-drain-reaches-everybody-in-every-order",
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
        by(
            "drain-released-by-shutdown",
            "ShutDown ends its wait.",
            "drain/shutdown-ends-the-wait",
            "interleavings/a-shutdown-ends-a-drain-in-every-order",
        ),
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
            "interleavings/nobody-is-sent-home-unasked",
            "delays/a-deadline-sends-nobody-home",
            "deadlines/at-once-nobody-is-sent-home",
            "priority_races/nobody-is-sent-home-unasked",
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

MEMORY = Part(
    "Memory",
    (
        by(
            "core-no-retention",
            "What has been handed out and finished is not kept; TestGarbageCollection, after k/k#104991.",
            "memory/what-is-done-is-not-kept",
            "memory/what-is-done-is-not-kept-while-others-wait",
            "memory/a-duplicate-is-not-kept",
            "memory/what-is-refused-is-not-kept",
        ),
        by(
            "shut-leaves-nothing-running",
            "What adds later, and what tells how long items take, ends with the queue; k/k#135072.",
            "ending/nothing-runs-on-after-a-shutdown",
            "ending/nothing-runs-on-after-a-drain",
            "ending/nothing-is-measured-any-more",
        ),
    ),
)
