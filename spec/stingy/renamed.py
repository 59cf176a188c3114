"""Rules that once had another id: who has the old one in a baseline, a report or a command still means the rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

RENAMED: Mapping[str, str] = {
    "stingy/other-items-do-not-let-it-out": "stingy/other-items-do-not-let-a-held-item-out",
    "stingy/the-done-of-another-item-does-not-let-it-out": "stingy/the-done-of-another-item-does-not-let-a-held-item-out",
    "once_more/once-more-not-once-per-event": "once_more/many-adds-during-a-run-bring-it-back-once",
    "once_more/in-every-run-not-only-the-first": "once_more/added-in-every-run-it-comes-back-after-every-run",
    "once_more/added-again-when-it-came-back-it-is-still-one": "once_more/added-again-after-it-came-back-it-is-handed-out-once",
    "once_more/it-does-not-hold-up-the-others": "once_more/an-item-that-waits-for-its-done-holds-up-no-other",
    "shutdown/what-is-added-after-it-is-ignored": "shutdown/what-is-added-after-shutdown-is-ignored",
    "shutdown/also-for-an-item-in-processing": "shutdown/an-add-after-shutdown-is-ignored-for-an-item-in-processing",
    "drain/it-waits-for-every-one-of-them": "drain/a-drain-waits-for-every-item-in-processing",
    "interleavings/some-order-of-the-calls-explains-it": "interleavings/some-order-of-the-calls-explains-every-answer",
    "delays/it-is-there-when-the-delay-is-over": "delays/an-item-is-there-when-its-delay-is-over",
    "delays/it-is-not-there-before": "delays/an-item-is-not-there-before-its-delay-is-over",
    "delays/without-a-delay-it-is-added-now": "delays/without-a-delay-an-item-is-added-now",
    "delays/without-a-delay-it-is-there-at-once": "delays/without-a-delay-an-item-is-there-at-once",
    "delays/it-is-there-however-short-the-delay": "delays/an-item-is-there-however-short-its-delay",
    "delays/it-comes-once": "delays/a-delayed-item-comes-once",
    "delays/it-can-be-delayed-again": "delays/an-item-can-be-delayed-again",
    "delays/they-come-in-the-order-of-their-deadlines": "delays/items-come-in-the-order-of-their-deadlines",
    "delays/none-of-many-is-lost": "delays/of-many-delayed-items-none-is-lost",
    "deadlines/hurried-up-it-overtakes-the-others": "deadlines/an-item-that-is-hurried-up-overtakes-others",
    "deadlines/an-add-does-not-wait": "deadlines/an-add-does-not-wait-for-a-deadline",
    "deadlines/it-puts-off-nothing-that-is-queued": "deadlines/addafter-puts-off-nothing-that-is-queued",
    "deadlines/due-while-it-is-queued-it-comes-once": "deadlines/an-item-due-while-it-is-queued-comes-once",
    "deadlines/due-while-it-is-processed-it-waits-for-the-done": "deadlines/an-item-due-while-it-is-processed-waits-for-its-done",
    "deadlines/due-while-it-is-processed-it-comes-after-the-done": "deadlines/an-item-due-while-it-is-processed-comes-after-its-done",
    "deadlines/a-done-does-not-hurry-it": "deadlines/a-done-does-not-hurry-a-delayed-item",
    "deadlines/a-done-does-not-cancel-it": "deadlines/a-done-does-not-cancel-a-delay",
    "deadlines/at-once-they-lose-nothing": "deadlines/delays-at-once-lose-nothing",
    "deadlines/at-once-nobody-is-sent-home": "deadlines/delays-at-once-send-nobody-home",
    "deadlines/at-once-the-earlier-still-wins": "deadlines/of-two-deadlines-at-once-the-earlier-wins",
    "deadlines/at-once-none-comes-early": "deadlines/of-delays-at-once-none-comes-early",
    "deadlines/without-a-delay-it-is-there-on-return": "deadlines/without-a-delay-an-item-is-there-on-return",
    "abandonment/also-of-an-item-in-processing": "abandonment/a-shutdown-drops-the-deadline-of-an-item-in-processing",
    "abandonment/after-a-shutdown-it-is-ignored": "abandonment/an-addafter-after-a-shutdown-is-ignored",
    "abandonment/at-once-a-shutdown-still-ends-it": "abandonment/a-shutdown-at-once-with-an-addafter-reaches-everybody",
    "abandonment/during-a-drain-it-is-ignored": "abandonment/an-addafter-during-a-drain-is-ignored",
    "rate_limiting/it-comes-when-the-limiter-says": "rate_limiting/a-failed-item-comes-when-its-limiter-says",
    "rate_limiting/it-does-not-come-before": "rate_limiting/a-failed-item-does-not-come-before-its-limiter-says",
    "rate_limiting/a-done-does-not-hurry-it": "rate_limiting/a-done-does-not-hurry-a-retry",
    "rate_limiting/a-done-does-not-cancel-it": "rate_limiting/a-done-does-not-cancel-a-retry",
    "rate_limiting/after-a-shutdown-it-is-ignored": "rate_limiting/an-addratelimited-after-a-shutdown-is-ignored",
    "rate_limiting/whether-it-is-a-failure-after-a-shutdown": "rate_limiting/whether-an-addratelimited-after-a-shutdown-is-a-failure",
    "combination/the-longest-of-all-waits": "combination/of-several-limiters-the-longest-wait-counts",
    "combination/every-one-is-asked-every-time": "combination/every-limiter-is-asked-every-time",
    "combination/the-highest-count-counts": "combination/of-several-limiters-the-highest-count-counts",
    "combination/forget-reaches-every-one": "combination/forget-reaches-every-limiter",
    "combination/it-is-never-less-than-nothing": "combination/a-combined-wait-is-never-less-than-nothing",
    "combination/none-at-all-count-nothing": "combination/no-limiters-at-all-count-nothing",
    "combination/it-counts-what-its-limiter-counts": "combination/a-limit-on-the-wait-counts-what-the-limiter-behind-it-counts",
    "combination/forget-reaches-its-limiter": "combination/forget-reaches-the-limiter-behind-a-limit-on-the-wait",
    "metrics/a-duplicate-does-not-begin-it-anew": "metrics/a-duplicate-does-not-begin-a-queue-duration-anew",
    "metrics/what-remains-of-a-run-is-part-of-it": "metrics/queue-duration-contains-what-remains-of-a-run",
    "metrics/what-is-finished-leaves-both": "metrics/what-is-finished-leaves-both-gauges-of-work",
    "metrics/both-are-zero-while-nothing-is-in-processing": "metrics/both-gauges-of-work-are-zero-while-nothing-is-in-processing",
    "metrics/what-is-queued-counts-in-neither": "metrics/what-is-queued-counts-in-neither-gauge-of-work",
    "metrics/both-stand-still-after-a-shutdown": "metrics/both-gauges-of-work-stand-still-after-a-shutdown",
    "metrics/every-call-is-a-retry": "metrics/every-addafter-is-a-retry",
    "metrics/a-drain-ends-all-the-same": "metrics/a-drain-of-a-queue-with-metrics-ends",
    "metrics/without-a-name-it-tells-of-no-retry": "metrics/a-delaying-queue-without-a-name-tells-of-no-retry",
    "stopping/it-lets-what-is-under-way-come-to-its-end": "stopping/stop-lets-what-is-under-way-come-to-its-end",
    "stopping/it-has-not-stopped-while-a-reconcile-is-under-way": "stopping/a-controller-has-not-stopped-while-a-reconcile-is-under-way",
    "priority/otherwise-it-keeps-its-place": "priority/an-item-that-is-not-raised-keeps-its-place",
    "priority/it-does-not-hold-up-the-others": "priority/an-item-that-waits-for-its-done-holds-up-no-other",
    "priority/it-comes-back-to-the-place-of-its-add": "priority/an-item-comes-back-to-the-place-of-its-add",
    "priority/however-often-they-are-raised-the-order-is-right": "priority/however-often-items-are-raised-their-order-is-right",
    "readiness/without-a-delay-it-is-ready": "readiness/an-item-without-a-delay-is-ready",
    "readiness/an-old-time-is-not-the-next-ones": "readiness/an-old-time-is-not-that-of-the-next-add",
    "readiness/it-has-the-place-of-when-it-became-ready": "readiness/an-item-has-the-place-of-when-it-became-ready",
    "readiness/rate-limited-it-waits-for-its-limiter": "readiness/a-rate-limited-item-waits-for-its-limiter",
    "readiness/each-item-waits-for-itself": "readiness/each-rate-limited-item-waits-for-itself",
    "readiness/the-limiter-is-asked-all-the-same": "readiness/the-limiter-is-asked-though-a-delay-is-shorter",
    "triggers/its-pods-do-not-count-yet": "triggers/the-pods-of-a-new-service-do-not-count-yet",
    "triggers/but-the-first-sync-has-seen-them": "triggers/the-first-sync-has-seen-the-pods-of-a-new-service",
    "triggers/created-earlier-it-does-not": "triggers/a-service-created-earlier-triggers-nothing",
    "triggers/to-delete-one-concerns-no-other": "triggers/to-delete-a-service-concerns-no-other",
    "triggers/to-delete-the-unknown-changes-nothing": "triggers/to-delete-an-unknown-service-changes-nothing",
    "triggers/one-can-be-deleted-while-others-are-synced": "triggers/a-service-can-be-deleted-while-others-are-synced",
    "codec/so-is-every-other": "codec/every-time-is-written-in-rfc-3339",
    "codec/it-is-written-in-utc": "codec/a-time-is-written-in-utc",
    "codec/so-are-times-out-of-range": "codec/times-out-of-range-are-written-in-rfc-3339",
    "codec/it-is-no-longer-than-it-must-be": "codec/a-written-time-is-no-longer-than-it-must-be",
    "codec/every-other-is-read-so": "codec/every-time-is-read-to-the-nanosecond",
    "codec/times-out-of-range-are-read-so": "codec/times-out-of-range-are-read-as-they-are-meant",
    "trigger_times/the-same-slice-again-is-none": "trigger_times/the-same-slice-again-is-no-change",
    "annotation/without-it-there-is-no-time": "annotation/without-an-annotation-there-is-no-time",
    "annotation/it-is-read-to-the-nanosecond": "annotation/an-annotation-is-read-to-the-nanosecond",
    "changes/it-is-compared-with-what-came-last": "changes/a-slice-is-compared-with-what-came-last",
    "checkout/it-covers-every-service": "checkout/a-checkout-covers-every-service",
    "restart/what-was-after-the-start-is": "restart/what-was-after-the-start-is-measured",
    "restart/when-it-arrives-makes-no-difference": "restart/when-a-change-arrives-makes-no-difference",
    "restart/the-start-is-when-it-was-made": "restart/the-start-is-when-the-tracker-was-made",
    "removal/not-even-one-that-nobody-has-heard-of": "removal/a-removal-adds-not-even-a-new-time",
    "removal/other-services-keep-theirs": "removal/other-services-keep-their-times",
    "removal/a-second-removal-is-none": "removal/a-second-removal-is-no-change",
    "removal/it-can-come-back-as-it-was": "removal/a-removed-slice-can-come-back-as-it-was",
    "removal/its-own-times-go-with-it": "removal/the-times-of-a-removed-slice-go-with-it",
    "restart/without-a-filter-every-time-counts": "restart/whether-what-was-before-the-start-is-measured",
    "removal/a-removal-takes-no-times": "removal/whether-a-removal-takes-times",
    "latency/it-is-the-time-from-trigger-to-programmed": "latency/the-latency-is-the-time-from-trigger-to-programmed",
    "latency/programming-itself-is-part-of-it": "latency/programming-itself-is-part-of-the-latency",
    "latency/nor-with-the-slices-alone": "latency/nothing-with-the-list-of-slices-alone",
    "latency/it-is-a-histogram-of-seconds": "latency/the-metric-is-a-histogram-of-seconds",
    "latency/its-type-is-histogram": "latency/the-type-of-the-metric-is-histogram",
    "latency/it-is-labelled-with-its-family": "latency/the-metric-is-labelled-with-the-family-of-its-proxy",
    "latency/it-had-no-label": "latency/the-metric-had-no-label",
    "latency/it-has-81-finite-bounds": "latency/the-histogram-has-81-finite-bounds",
    "clocks/not-yet-set-right-it-ruins-the-sum": "clocks/a-clock-not-yet-set-right-ruins-the-sum",
    "clocks/a-step-in-between-is-measured": "clocks/a-step-between-change-and-sync-is-measured",
    "clocks/so-is-a-step-while-it-programs": "clocks/a-step-while-rules-are-programmed-is-measured",
    "journey/whatever-happens-the-laws-foretell-it": "journey/whatever-happens-the-laws-foretell-every-latency",
    "journey/also-where-the-clock-is-set": "journey/where-the-clock-is-set-the-laws-foretell-every-latency",
    "journey/at-another-time-it-is-the-same": "journey/at-another-time-the-latencies-are-the-same",
}
"""By the old id, in reading order. What stands here stays here."""

_FIRST = {new: old for old, new in RENAMED.items()}


def current(id_: str) -> str:
    """What the rule of this id is called now."""
    return RENAMED.get(id_, id_)


def first(id_: str) -> str:
    """What a rule was called when it was written: names and programs are drawn by that, so that an old report can be replayed."""
    return _FIRST.get(id_, id_)


def once_like(glob: str) -> Iterator[str]:
    """What the rules are called now whose ids were once like this pattern."""
    return (new for old, new in RENAMED.items() if fnmatchcase(old, glob))
