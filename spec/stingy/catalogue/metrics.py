"""What a queue tells of itself."""

from __future__ import annotations

from stingy.catalogue.behaviour import Part, by, not_by

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
            "metrics/both-are-zero-while-nothing-is-in-processing",
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
            "met-drain-ends",
            "A drain waits for the goroutine that updates the gauges, after it has told it to end.",
            "metrics/a-drain-ends-all-the-same",
        ),
        by(
            "met-unnamed-none",
            "A queue without a name tells nothing.",
            "metrics/a-queue-without-a-name-tells-nothing",
            "metrics/a-name-is-enough-to-work-with",
            "metrics/without-a-name-it-tells-of-no-retry",
            "metrics/a-name-is-enough-to-delay-with",
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
