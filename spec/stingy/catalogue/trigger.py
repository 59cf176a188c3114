"""Trigger times on the side of the control plane: how they are found, and how they are written down."""

from __future__ import annotations

from stingy.catalogue.behaviour import Part, by, not_by

CONTROLLER_ROUND_IT = "It is about the controller round the tracker: no call of the contract tells a candidate that this has happened."
WRITES = (
    "It is about a controller's writes to the API server. A codec is asked for a text, and writes no slice."
)

TRIGGERS = Part(
    "Triggers",
    (
        by(
            "tt-first-seen-uses-service-creation",
            "The first look at a Service finds its creation time.",
            "triggers/a-new-service-was-triggered-by-its-creation",
        ),
        by(
            "tt-first-seen-ignores-pods",
            "The first look passes over the times of Pods, and remembers them.",
            "triggers/its-pods-do-not-count-yet",
            "triggers/but-the-first-sync-has-seen-them",
        ),
        by(
            "tt-first-seen-zero-creation",
            "Without a creation time, the first look finds none.",
            "triggers/a-service-that-was-created-at-no-time",
        ),
        by(
            "tt-ready-transition-any-status",
            "A Pod triggers when its Ready condition turns, whichever way.",
            "triggers/a-pod-triggers-when-it-turns",
            "triggers/a-pod-that-is-new-triggers",
            "triggers/only-the-ready-condition-counts",
            "triggers/a-condition-that-is-not-ready-triggers-nothing",
        ),
        by(
            "tt-no-ready-condition",
            "A Pod without that condition triggers nothing, and is forgotten.",
            "triggers/a-pod-without-the-condition-triggers-nothing",
            "triggers/without-the-condition-a-pod-is-forgotten",
        ),
        by(
            "tt-strictly-later",
            "Only a time after the last one is a change.",
            "triggers/only-what-is-later-is-a-trigger",
        ),
        by(
            "tt-min-of-changed",
            "Of several changes the earliest is found.",
            "triggers/the-earliest-of-several-counts",
            "triggers/what-was-seen-before-does-not-count",
            "triggers/whatever-happens-the-earliest-that-is-new-counts",
        ),
        by(
            "tt-min-includes-service",
            "A later creation time is one of them.",
            "triggers/service-and-pods-count-alike",
        ),
        by(
            "tt-nothing-changed-none",
            "Nothing changed, nothing found.",
            "triggers/what-has-not-changed-is-no-trigger",
        ),
        by(
            "tt-pod-removed-none",
            "That a Pod is gone is no trigger.",
            "triggers/a-pod-that-goes-is-no-trigger",
        ),
        by(
            "tt-state-replaced-each-call",
            "Only the Pods of the last call are remembered.",
            "triggers/a-pod-that-comes-back-counts-again",
            "triggers/only-the-last-sync-is-remembered",
        ),
        by(
            "tt-selector-swap-returns-oldest",
            "Pods of a new selector trigger with the oldest of their times.",
            "triggers/what-a-new-selector-triggers",
        ),
        by(
            "tt-backward-clock",
            "A time that goes back is no trigger, and is remembered.",
            "triggers/only-what-is-later-is-a-trigger",
            "triggers/a-time-that-went-back-is-remembered",
        ),
        by(
            "tt-service-update-none",
            "A change of the Service is no trigger.",
            "triggers/a-change-of-the-service-is-no-trigger",
        ),
        by(
            "tt-service-recreated-unnoticed",
            "A Service created again triggers if that was later than the creation known.",
            "triggers/a-service-created-again-triggers",
            "triggers/created-earlier-it-does-not",
        ),
        by(
            "tt-delete-forgets",
            "Delete forgets a Service.",
            "triggers/a-deleted-service-is-forgotten",
            "triggers/to-delete-one-concerns-no-other",
        ),
        by(
            "tt-delete-unknown-noop",
            "Delete of an unknown Service changes nothing.",
            "triggers/to-delete-the-unknown-changes-nothing",
        ),
        by(
            "tt-key",
            "Services are known by namespace and name, their Pods by name.",
            "triggers/each-service-is-seen-for-itself",
            "triggers/a-pod-triggers-each-of-its-services",
            "triggers/a-pod-of-the-same-name",
        ),
        not_by(
            "tt-consumed-even-if-write-fails",
            "What a call has found is gone, though the slices could not be written.",
            "To a tracker, a sync after a failed write is one at which nothing has changed; no call tells it more.",
        ),
        not_by(
            "tt-stale-cache-does-not-consume",
            "A sync that is given up for a stale cache asks nothing.",
            CONTROLLER_ROUND_IT,
        ),
        not_by(
            "tt-no-call-for-unmanaged",
            "Services without a selector are never asked about.",
            CONTROLLER_ROUND_IT,
        ),
        not_by(
            "tt-advanced-on-noop-sync",
            "What was found is gone also where no slice had to be written.",
            CONTROLLER_ROUND_IT,
        ),
        by(
            "tt-collapse-within-sync",
            "Of several turns of one Pod between two syncs the last is found.",
            "triggers/whatever-happens-the-earliest-that-is-new-counts",
        ),
        by(
            "tt-restart-loses-state",
            "A new process begins with nothing.",
            "triggers/a-restart-makes-everything-new",
        ),
        by(
            "tt-concurrency",
            "Calls for different Services may be made at once.",
            "triggers/several-services-can-be-synced-at-once",
            "triggers/one-can-be-deleted-while-others-are-synced",
        ),
        by(
            "tt-second-granularity",
            "The API hands out whole seconds; the tracker takes what it gets.",
            "triggers/a-time-may-be-finer-than-a-second",
        ),
    ),
)

CODEC = Part(
    "The annotation",
    (
        by(
            "an-key",
            "The key is `endpoints.kubernetes.io/last-change-trigger-time`.",
            "trigger_times/a-trigger-time-is-handed-over",
        ),
        by(
            "an-format",
            "RFC 3339 in UTC, with `Z`, to the nanosecond, zeros at the end trimmed.",
            "codec/a-time-is-written-in-rfc-3339",
            "codec/so-is-every-other",
            "codec/so-are-times-out-of-range",
            "codec/it-is-written-in-utc",
            "codec/it-is-no-longer-than-it-must-be",
            "codec/the-zero-time-to-be-written",
        ),
        by(
            "an-none-clears",
            "Without a trigger time the key is deleted.",
            "codec/no-time-is-no-annotation",
        ),
        not_by(
            "an-every-written-slice",
            "All slices written at one sync get the same time.",
            WRITES,
        ),
        not_by(
            "an-untouched-keep",
            "Slices that are not written keep what they had.",
            WRITES,
        ),
        not_by(
            "an-deleting-service",
            "For a Service that is being deleted no slice is created.",
            WRITES,
        ),
        not_by(
            "an-first-error-stops",
            "The first error stops the writes; the retry writes the rest without a time.",
            WRITES,
        ),
        not_by(
            "an-mirrored-excluded",
            "Slices mirrored from Endpoints do not carry it.",
            "It is about another controller, which mirrors what users wrote.",
        ),
        by(
            "an-absent",
            "No key, no time.",
            "codec/without-an-annotation-there-is-no-time",
            "annotation/without-it-there-is-no-time",
        ),
        by(
            "an-parse-error",
            "What cannot be read is no time, and the slice is processed.",
            "codec/what-cannot-be-read-is-no-time",
            "annotation/what-cannot-be-read-is-no-time",
        ),
        by(
            "an-offset-accepted",
            "Any offset is read, and compared as an instant.",
            "codec/an-offset-is-reckoned-with",
            "codec/no-offset-may-be-written-in-digits",
            "annotation/an-offset-is-reckoned-with",
        ),
        by(
            "an-subsecond",
            "One to nine digits of a fraction are read, more are cut off.",
            "codec/a-time-is-read-to-the-nanosecond",
            "codec/every-other-is-read-so",
            "codec/digits-beyond-the-nanosecond-are-cut-off",
            "annotation/it-is-read-to-the-nanosecond",
        ),
        by(
            "an-reject-set",
            "What RFC 3339 does not allow is no time; Go refuses some that it allows.",
            "codec/what-cannot-be-read-is-no-time",
            "codec/forms-on-which-readers-differ",
        ),
        by(
            "an-go-leniency",
            "Go reads a comma, and an hour of one digit.",
            "codec/forms-on-which-readers-differ",
            "annotation/forms-on-which-readers-differ",
        ),
        by(
            "an-zero-time",
            "Go's zero time is no time.",
            "codec/the-zero-time-that-is-read",
            "annotation/the-zero-time-is-no-time",
        ),
        by(
            "an-python-trap",
            "Python's datetime ends at the microsecond, and reads more than Go.",
            "codec/a-time-is-read-to-the-nanosecond",
            "codec/what-cannot-be-read-is-no-time",
            "codec/times-out-of-range-are-read-so",
            "codec/what-was-written-is-read-again",
        ),
    ),
)
