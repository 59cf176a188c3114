"""Delays, rate limiting, and the limiters."""

from __future__ import annotations

from stingy.catalogue.behaviour import Part, by, not_by

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
            "deadlines/the-earlier-deadline-wins",
        ),
        by("delay-later-ignored", "The later one is void.", "deadlines/the-later-deadline-is-void"),
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
            "deadlines/whether-an-add-cancels-what-waits",
            "deadlines/an-add-does-not-wait",
        ),
        by(
            "delay-queued-does-not-absorb",
            "What is queued can wait as well.",
            "deadlines/whether-a-queued-item-can-wait-too",
            "deadlines/it-puts-off-nothing-that-is-queued",
        ),
        by(
            "delay-due-while-queued",
            "Due while it is queued, it comes once.",
            "deadlines/due-while-it-is-queued-it-comes-once",
        ),
        by(
            "delay-due-while-processing",
            "Due while it is processed, it comes after the Done.",
            "deadlines/due-while-it-is-processed-it-waits-for-the-done",
            "deadlines/due-while-it-is-processed-it-comes-after-the-done",
            "deadlines/a-done-does-not-hurry-it",
            "deadlines/a-done-does-not-cancel-it",
        ),
        by("delay-wakes-getter", "A waiting Get is woken.", "delays/a-waiting-worker-is-woken"),
        by(
            "delay-shutdown-drops-waiting",
            "ShutDown drops what waits.",
            "abandonment/a-shutdown-drops-what-waits",
            "abandonment/also-of-an-item-in-processing",
        ),
        by(
            "delay-drain-drops-waiting",
            "A drain does not wait for what waits, and drops it.",
            "abandonment/a-drain-does-not-wait-for-what-waits",
            "abandonment/a-drain-drops-what-waits",
            "abandonment/during-a-drain-it-is-ignored",
        ),
        by(
            "delay-after-shutdown-ignored",
            "AddAfter after a shutdown is ignored.",
            "abandonment/after-a-shutdown-it-is-ignored",
        ),
        by(
            "delay-shutdown-idempotent",
            "ShutDown may be called again.",
            "abandonment/a-second-shutdown-changes-nothing",
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
            "abandonment/whether-a-second-shutdown-ends-a-drain",
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
            "backoff/each-failure-doubles-the-wait",
            "backoff/each-item-fails-for-itself",
            "backoff/each-limiter-counts-for-itself",
        ),
        by(
            "rl-exp-cap",
            "Once it is the longest wait, it remains so for ever.",
            "backoff/the-longest-wait-is-for-ever",
            "backoff/each-failure-doubles-the-wait",
        ),
        by(
            "rl-exp-overflow",
            "It never overflows; client-go's own does at exactly 2⁶³ ns.",
            "backoff/the-longest-wait-is-for-ever",
            "backoff/where-64-bits-end",
        ),
        by(
            "rl-exp-base-over-max",
            "A base beyond the longest wait is cut at once.",
            "backoff/each-failure-doubles-the-wait",
        ),
        by(
            "rl-exp-numrequeues",
            "NumRequeues counts the failures, and only reads.",
            "backoff/num-requeues-counts-the-failures",
            "backoff/to-ask-is-not-to-fail",
        ),
        by(
            "rl-exp-forget",
            "Forget is about one item.",
            "backoff/forget-begins-anew",
            "backoff/forget-is-about-one-item",
            "backoff/what-never-failed-can-be-forgotten",
        ),
        by(
            "rl-fastslow",
            "The first attempts are fast, all others slow.",
            "backoff/a-few-attempts-are-fast",
            "backoff/each-item-has-fast-attempts-of-its-own",
            "backoff/slow-attempts-are-counted-too",
            "backoff/what-is-forgotten-is-fast-again",
        ),
        by(
            "rl-maxof",
            "The longest wait of several limiters, which are all asked.",
            "combination/the-longest-of-all-waits",
            "combination/every-one-is-asked-every-time",
            "combination/the-highest-count-counts",
            "combination/none-at-all-count-nothing",
            "combination/forget-reaches-every-one",
            "combination/it-is-never-less-than-nothing",
        ),
        by(
            "rl-maxwait",
            "No wait is longer than the limit.",
            "combination/nobody-waits-longer-than-the-limit",
            "combination/what-is-cut-short-has-failed-all-the-same",
            "combination/it-counts-what-its-limiter-counts",
            "combination/forget-reaches-its-limiter",
        ),
        by(
            "rl-bucket",
            "So many at once, then one by one; all items share it.",
            "bucket/so-many-at-once-then-one-by-one",
            "bucket/all-items-share-the-bucket",
            "bucket/a-bucket-fills-as-time-passes",
            "bucket/a-place-that-was-promised-is-kept",
            "bucket/a-bucket-holds-no-more-than-its-burst",
            "bucket/forget-gives-no-place-back",
            "bucket/a-bucket-remembers-no-item",
        ),
        not_by(
            "rl-bucket-clock",
            "The bucket goes by the machine's clock, not by the queue's.",
            "Where the suite moves the clock there is but one.",
        ),
        by(
            "rl-default-controller",
            "By default: 5 ms to 1000 s for each item, and ten a second, a hundred at once.",
            "defaults/a-controllers-items-wait-5-ms-to-1000-s",
            "defaults/a-controllers-items-are-ten-a-second",
        ),
        by(
            "rl-default-item",
            "For items alone: 1 ms to 1000 s.",
            "defaults/by-itself-an-item-waits-1-ms-to-1000-s",
            "defaults/by-itself-an-item-waits-for-no-other",
        ),
        by(
            "conc-limiter-thread-safe",
            "Rate limiters may be called by many at once.",
            "backoff/failures-at-once-are-all-counted",
            "backoff/attempts-at-once-are-all-counted",
            "bucket/no-two-get-the-same-place",
        ),
    ),
)
