"""The priority queue of controller-runtime."""

from __future__ import annotations

from stingy.catalogue.behaviour import Part, by, not_by

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
            "readiness/it-has-the-place-of-when-it-became-ready",
        ),
        by(
            "prio-max-wins",
            "Added again, the higher priority counts.",
            "priority/the-higher-priority-counts",
            "priority/added-many-times-it-is-handed-out-once",
            "priority/a-raised-item-overtakes",
            "priority/however-often-they-are-raised-the-order-is-right",
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
            "readiness/the-earlier-time-counts",
            "readiness/ready-is-earlier-than-any-time",
            "readiness/priority-and-time-count-each-for-itself",
            "readiness/the-later-time-brings-nothing",
        ),
        by(
            "prio-after",
            "It is ready when its time has come, and not before.",
            "readiness/nothing-comes-before-its-time",
            "readiness/when-its-time-has-come-a-worker-gets-it",
            "readiness/without-a-delay-it-is-ready",
            "readiness/a-moment-is-waited-for-too",
            "readiness/a-sooner-one-does-not-wait-for-a-later-one",
            "readiness/all-that-is-due-is-handed-out",
            "readiness/a-delay-costs-no-priority",
            "readiness/what-becomes-ready-during-a-run-waits-for-its-end",
            "readiness/a-done-does-not-end-a-delay",
        ),
        by(
            "prio-add-merges-delay",
            "An Add and a delay are one entry.",
            "readiness/ready-is-earlier-than-any-time",
            "readiness/the-later-time-brings-nothing",
            "readiness/an-old-time-is-not-the-next-ones",
            "readiness/an-event-during-a-run-takes-the-place-of-a-delay",
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
            "readiness/rate-limited-it-waits-for-its-limiter",
            "readiness/each-item-waits-for-itself",
            "readiness/an-add-is-no-failure",
            "readiness/the-sooner-of-limiter-and-delay-counts",
            "readiness/the-limiter-is-asked-all-the-same",
        ),
        by(
            "prio-len-ready",
            "Len counts what is ready, also what waits for its Done.",
            "readiness/len-counts-what-is-ready",
            "readiness/whether-len-counts-what-waits-for-its-done",
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
            "priority_shutdown/whether-a-shutdown-drops-what-is-ready",
            "priority_shutdown/get-reports-the-shutdown",
            "priority_shutdown/shutdown-wakes-every-waiting-worker",
            "priority_shutdown/what-is-added-after-a-shutdown-is-ignored",
            "priority_shutdown/a-shutdown-ends-every-wait-for-a-time",
            "priority_shutdown/the-flag-means-no-item",
        ),
        by(
            "prio-shutdown-once",
            "A second ShutDown panics.",
            "priority_shutdown/a-second-shutdown-changes-nothing",
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
