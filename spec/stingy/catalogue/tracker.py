"""kube-proxy's change tracker: what it gathers, what it leaves out, and what it hands over."""

from __future__ import annotations

from stingy.catalogue.behaviour import Part, by, not_by

ACCUMULATION = Part(
    "What a tracker gathers",
    (
        by(
            "tr-returns-changed",
            "Update and remove say whether there is something to program.",
            "trigger_times/a-new-slice-is-a-change",
            "trigger_times/the-same-slice-again-is-none",
            "changes/what-is-programmed-is-compared",
            "changes/a-slice-may-go-back-to-what-it-was",
            "removal/a-removal-is-a-change",
        ),
        by(
            "tr-append-per-changed-update",
            "Each change adds its trigger time to those of its service.",
            "trigger_times/a-trigger-time-is-handed-over",
            "trigger_times/every-change-adds-its-time",
            "trigger_times/a-change-without-a-time-takes-none",
            "sequences/whatever-comes-is-handed-over-once",
            "sequences/what-kube-proxy-has-answered",
            "sequences/what-kube-proxy-1-30-has-answered",
        ),
        by(
            "tr-arrival-order",
            "The times of a service are in order of arrival.",
            "trigger_times/the-times-are-in-order-of-arrival",
        ),
        by("tr-duplicates-kept", "Equal times are kept.", "trigger_times/equal-times-are-kept"),
        by(
            "tr-keyed-by-service-label",
            "Times are kept by namespace and service, not by slice.",
            "trigger_times/slices-of-a-service-belong-together",
            "trigger_times/namespaces-are-kept-apart",
            "changes/each-slice-is-compared-with-itself",
        ),
        by(
            "tr-nochange-ignored",
            "Until 1.30, what differs in metadata alone records nothing.",
            "changes/metadata-is-no-change",
            "trigger_times/the-same-slice-again-is-none",
        ),
        by(
            "tr-metadata-only-change",
            "Since 1.31, any difference in the object is a change, and its time is recorded again.",
            "changes/any-difference-is-a-change",
            "changes/metadata-is-no-change",
        ),
        not_by(
            "tr-nil-map",
            "Since 1.31, a map that is not there differs from an empty one.",
            "Go alone tells them apart; a slice of the contract has an empty one.",
        ),
        by(
            "tr-pending-first",
            "A slice is compared with the pending version, if there is one.",
            "changes/it-is-compared-with-what-came-last",
        ),
        by(
            "tr-cancelled-changes-counted",
            "Since 1.17, changes that cancel out are recorded.",
            "changes/changes-that-cancel-out",
            "checkout/what-cancels-out-is-named",
        ),
        by(
            "tr-remove-drops-service",
            "Since 1.27, a removal drops all pending times of its service; before, it kept them.",
            "removal/its-own-times-go-with-it",
            "removal/the-times-of-a-removed-slices-siblings",
            "removal/a-removal-takes-no-times",
            "removal/other-services-keep-theirs",
        ),
        by(
            "tr-remove-ignores-annotation",
            "A removal never records the removed object's time.",
            "removal/a-removal-adds-no-time",
            "removal/not-even-one-that-nobody-has-heard-of",
        ),
        by(
            "tr-remove-unknown-noop",
            "The removal of what is not known is none.",
            "removal/what-is-unknown-cannot-be-removed",
            "removal/what-has-gone-cannot-be-removed",
        ),
        by(
            "tr-remove-twice",
            "A second removal is none, if the object is the same.",
            "removal/a-second-removal-is-none",
            "removal/a-second-removal-with-other-metadata",
        ),
        by(
            "tr-remove-then-update-counts",
            "A change after a removal is recorded as any other.",
            "removal/what-comes-after-a-removal-counts",
            "removal/it-can-come-back-as-it-was",
        ),
        by(
            "tr-remove-after-checkout",
            "A removal cannot take back what was checked out.",
            "checkout/what-was-handed-over-stays-as-it-was",
        ),
        by(
            "tr-unsupported-type",
            "Slices of names are passed over.",
            "trigger_times/names-are-no-business-of-the-proxy",
        ),
        by(
            "tr-wrong-family",
            "Since 1.33, slices of the other family are passed over; before, they were taken.",
            "changes/the-other-family-is-passed-over",
            "changes/both-families-are-taken",
        ),
        by(
            "tr-bad-slice",
            "A slice without a service, a name or a namespace is passed over.",
            "trigger_times/a-slice-of-no-service-leaves-no-time",
            "changes/what-has-no-name-is-passed-over",
        ),
        not_by(
            "tr-nil-slice",
            "A slice that is not there makes Go panic.",
            "Nobody hands one in, and every language has its own way to stumble over it.",
        ),
        by(
            "tr-empty-endpoints",
            "A slice without endpoints counts like any other.",
            "trigger_times/a-slice-may-be-empty",
        ),
        by(
            "tr-service-need-not-exist",
            "Times of a service that nobody has heard of are recorded all the same.",
            "trigger_times/a-trigger-time-is-handed-over",
        ),
        not_by(
            "tr-headless-excluded-upstream",
            "Headless services never reach the tracker.",
            "kube-proxy's informers leave them out; a tracker knows nothing of it.",
        ),
        by(
            "tr-accumulates-until-initialised",
            "What comes before the first lists are complete is observed by the first sync after it.",
            "latency/the-first-sync-observes-what-has-gathered",
        ),
        not_by(
            "tr-change-counters",
            "Two other metrics count the changes.",
            "They are no part of what a candidate offers: the contract has one histogram.",
        ),
        by(
            "tr-thread-safe",
            "Updates may come while a checkout runs.",
            "checkout/every-time-is-handed-over-once",
            "checkout/every-service-is-named-by-some-checkout",
        ),
        not_by(
            "tr-checkout-gap",
            "Services and times are checked out one after the other: a time may come one checkout before its service.",
            "Nobody promises it, and a tracker that takes both at once is better. The rules about races leave it open.",
        ),
    ),
)

RESTART = Part(
    "The restart filter",
    (
        by(
            "rf-strictly-after",
            "Kept is what is strictly after the start, to the nanosecond.",
            "restart/what-was-before-the-start-is-not-measured",
            "restart/what-was-after-the-start-is",
            "restart/the-very-instant-of-the-start-is-left-out",
        ),
        by(
            "rf-start-is-construction",
            "The start is when the tracker was made.",
            "restart/the-start-is-when-it-was-made",
        ),
        by("rf-fixed", "The start stays the same.", "restart/the-start-is-fixed"),
        by(
            "rf-wall-clock",
            "Wall times are compared.",
            "restart/what-was-before-the-start-is-not-measured",
            "restart/a-time-still-to-come-is-kept",
            "skew/law-f-the-filter",
        ),
        by(
            "rf-arrival-irrelevant",
            "When an update arrives makes no difference.",
            "restart/when-it-arrives-makes-no-difference",
        ),
        by(
            "rf-filtered-still-programmed",
            "What is left out is still a change, and its service named.",
            "restart/what-is-not-measured-is-programmed",
        ),
        by(
            "rf-mixed",
            "Slices of one service are judged each for itself.",
            "restart/one-stale-slice-poisons-nothing",
        ),
        not_by(
            "rf-per-tracker",
            "Each family's tracker has a start of its own.",
            "A rule has one tracker at a time, made anew for it: of two, one after the other, each has its own start.",
        ),
        not_by(
            "rf-zero-start",
            "A tracker made at the zero time leaves out the zero time alone.",
            "No clock stands there. annotation/the-zero-time-is-no-time says the same of a tracker without a filter.",
        ),
        by(
            "rf-hides-outage",
            "What happened while kube-proxy was down is never measured.",
            "restart/what-was-before-the-start-is-not-measured",
        ),
        by(
            "rf-same-second-blind",
            "Stamps in whole seconds leave out what happened in the second of the start.",
            "restart/what-was-before-the-start-is-not-measured",
            "restart/the-very-instant-of-the-start-is-left-out",
        ),
        by(
            "rf-absent-before-1.22",
            "Until 1.21, every time but the zero time is kept.",
            "restart/without-a-filter-every-time-counts",
            "annotation/the-zero-time-is-no-time",
        ),
    ),
)

CHECKOUT = Part(
    "Checkouts",
    (
        by(
            "co-returns-and-resets",
            "A checkout hands over all there is, and empties the tracker.",
            "trigger_times/a-checkout-empties-the-tracker",
            "checkout/where-nothing-has-changed-there-is-nothing",
        ),
        by(
            "co-whole-tracker",
            "A checkout is of all services at once.",
            "checkout/it-covers-every-service",
        ),
        by(
            "co-updated-set-independent",
            "Services are named whether they have times or not.",
            "trigger_times/changed-services-are-named-without-a-time",
            "restart/what-is-not-measured-is-programmed",
            "checkout/what-cancels-out-is-named",
            "checkout/what-was-not-there-for-long-is-named",
            "removal/a-removal-is-a-change",
        ),
        not_by(
            "co-cross-service-order",
            "The order of the services is left open.",
            "They are handed over as a set and a mapping, which have none.",
        ),
        not_by(
            "co-null-tracker",
            "A checkout of no tracker hands over nothing.",
            "Go alone calls a method of what is not there.",
        ),
        by(
            "co-retained-slice-memory",
            "A checkout forgets the slices that were removed.",
            "removal/what-has-gone-cannot-be-removed",
            "removal/it-can-come-back-as-it-was",
        ),
    ),
)
