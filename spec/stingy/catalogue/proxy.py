"""kube-proxy's metric, and what skewed clocks make of it."""

from __future__ import annotations

from stingy.catalogue.behaviour import Part, by, not_by

LATENCY = Part(
    "The latency",
    (
        by(
            "me-name",
            "A histogram called kubeproxy_network_programming_duration_seconds, in seconds.",
            "latency/it-is-a-histogram-of-seconds",
            "latency/its-type-is-histogram",
        ),
        by(
            "me-labels",
            "It has the label ip_family, and had none before Kubernetes 1.33.",
            "latency/it-is-labelled-with-its-family",
            "latency/it-had-no-label",
        ),
        by("me-buckets", "81 finite bounds, of which the first is 0.", "latency/it-has-81-finite-bounds"),
        by(
            "me-le-inclusive",
            "A value equal to a bound belongs to that bound's bucket.",
            "latency/a-bucket-holds-what-is-up-to-its-bound",
        ),
        by(
            "me-overflow",
            "What is beyond the last bound is in the infinite bucket only.",
            "latency/a-bucket-holds-what-is-up-to-its-bound",
        ),
        by(
            "me-one-per-time",
            "One observation for each trigger time that was checked out.",
            "latency/one-observation-for-each-time",
            "latency/what-has-no-trigger-time-is-not-measured",
            "latency/a-removal-is-not-measured",
            "journey/from-the-change-to-the-metric",
            "journey/the-metric-holds-all-that-was-observed",
        ),
        by(
            "me-value",
            "Now, read after the programming, less the trigger time; neither rounded nor cut off.",
            "latency/it-is-the-time-from-trigger-to-programmed",
            "latency/programming-itself-is-part-of-it",
            "latency/what-arrives-late-is-measured-from-its-change",
        ),
        not_by(
            "me-now-per-observation",
            "The clock may be read anew for each observation.",
            "No time passes in between, for the clock is virtual; sound variants do either.",
        ),
        not_by(
            "me-before-housekeeping",
            "It is observed before what else a sync does, such as to clean up conntrack.",
            "A sync that is asked for knows nothing but the programming; what comes after it is the candidate's own.",
        ),
        by("me-fail-none", "A failed sync observes nothing.", "latency/a-failed-sync-observes-nothing"),
        by(
            "me-fail-loses-times",
            "The times of a failed sync are lost: the retry observes nothing for them.",
            "latency/the-times-of-a-failed-sync",
            "latency/what-changes-after-a-failure-is-observed",
        ),
        by(
            "me-partial-is-full",
            "A sync of a few changes observes like one of everything.",
            "latency/every-sync-observes-what-is-new",
        ),
        by(
            "me-no-change-none",
            "A sync without new times observes nothing.",
            "latency/an-idle-sync-observes-nothing",
        ),
        by(
            "me-not-initialised-none",
            "Before both lists are complete nothing is checked out, and nothing observed.",
            "latency/nothing-before-both-lists-are-complete",
            "latency/nor-with-the-slices-alone",
            "latency/the-first-sync-observes-what-has-gathered",
        ),
        not_by(
            "me-ipvs-partial-failure",
            "In ipvs, a service that could not be programmed is logged, and observed as if it had been.",
            "It is about ipvs only: here the programming of all rules succeeds or fails.",
        ),
        not_by(
            "me-winkernel-none",
            "On Windows the times are checked out and never observed.",
            "It is about Windows only; a candidate that observes nothing offers no metric.",
        ),
        not_by(
            "me-unregistered-noop",
            "What is observed before the metrics are registered is gone.",
            "It is about Go's registry of metrics: a driver registers them before all else.",
        ),
        by(
            "me-saturation",
            "A time more than 292 years off gives the longest duration that Go has.",
            "latency/a-latency-of-thousands-of-years",
        ),
        by(
            "me-multiplicity",
            "One event counts once for each slice, node and family.",
            "latency/slices-written-at-once-count-each",
        ),
    ),
)

SKEW = Part(
    "Clock skew",
    (
        by(
            "sk-admit",
            "What came later after the start than the skew is measured, with latency and skew.",
            "skew/law-f-the-filter",
            "skew/law-l-the-latency",
            "journey/whatever-happens-the-laws-foretell-it",
        ),
        by("sk-boundary", "Equality is left out.", "skew/a-stamp-equal-to-the-start-is-left-out"),
        by(
            "sk-correct-fresh",
            "Without skew the filter and the latency are exact.",
            "skew/clocks-that-agree-are-exact",
            "clocks/a-restart-measures-nothing-again",
            "clocks/what-changes-while-it-is-down-is-never-measured",
        ),
        by(
            "sk-blind-window",
            "A node ahead measures nothing for as long as it is ahead.",
            "skew/a-node-ahead-is-blind-for-as-long",
            "clocks/whole-seconds-are-taken-as-they-come",
            "clocks/a-start-on-the-second-loses-that-second",
        ),
        by(
            "sk-false-admit",
            "A node behind measures what was before its start.",
            "skew/a-node-behind-measures-what-was-before-it",
            "clocks/whole-seconds-are-taken-as-they-come",
        ),
        by(
            "sk-inflate",
            "What a node ahead measures is no less than its lead.",
            "skew/a-node-ahead-measures-no-less-than-its-lead",
            "skew/skew-moves-the-filter-and-the-latency",
        ),
        by("sk-deflate", "What a node behind measures is too little.", "skew/law-l-the-latency"),
        by(
            "sk-negative",
            "A latency below zero is observed, in the lowest bucket.",
            "skew/a-negative-latency-is-told",
        ),
        by(
            "sk-exact-zero",
            "So is a latency of exactly zero.",
            "skew/a-latency-of-nothing-counts-as-well",
        ),
        by(
            "sk-uptime-bound",
            "No constant skew makes a latency exceed the uptime.",
            "skew/no-latency-exceeds-the-uptime",
        ),
        by(
            "sk-monotone",
            "More skew: fewer are measured, and of each as much more.",
            "skew/with-more-skew-fewer-are-measured-and-more-of-each",
        ),
        by(
            "sk-translation",
            "To shift all clocks changes nothing.",
            "journey/at-another-time-it-is-the-same",
        ),
        by(
            "sk-restart-double-count",
            "A node behind that is started anew measures some changes again.",
            "clocks/a-restart-of-a-node-behind-measures-twice",
        ),
        by(
            "sk-per-originator",
            "Each change has the skew of its own originator.",
            "clocks/each-originator-has-its-own-skew",
            "clocks/a-clock-that-drifts-is-measured-as-it-stands",
        ),
        by(
            "sk-same-host",
            "What the node itself has stamped has no skew.",
            "clocks/on-its-own-host-there-is-no-skew",
        ),
        by(
            "sk-truncation-bias",
            "What is cut off a stamp makes the latency so much longer.",
            "clocks/what-is-cut-off-the-stamp-is-added-to-the-latency",
        ),
        by(
            "sk-vectors",
            "The vectors K1–K4, A1–A6, B1–B10 and C1–C5, and those in whole seconds.",
            "skew/skew-moves-the-filter-and-the-latency",
            "skew/a-stamp-equal-to-the-start-is-left-out",
            "clocks/whole-seconds-are-taken-as-they-come",
            "clocks/a-start-on-the-second-loses-that-second",
        ),
    ),
)

STEPS = Part(
    "Clocks that are set",
    (
        by(
            "sk-step-back",
            "Set back after the start, a node stays blind for as long as it was ahead.",
            "clocks/the-blind-while-outlasts-the-clock-that-made-it",
        ),
        by(
            "sk-step-fwd-before-first-sync",
            "Set right before the first sync, a node measures the age of every slice.",
            "clocks/set-right-after-the-start-a-clock-lets-everything-in",
        ),
        by(
            "sk-step-fwd-after-first-sync",
            "Set right only after it, a node has observed minus thirty years.",
            "clocks/not-yet-set-right-it-ruins-the-sum",
        ),
        by(
            "sk-step-between",
            "A step between the change and the sync is measured.",
            "clocks/a-step-in-between-is-measured",
            "clocks/only-a-step-takes-a-latency-beyond-the-uptime",
            "journey/also-where-the-clock-is-set",
        ),
        by(
            "sk-originator-step",
            "A step of the originator shows in its stamps.",
            "clocks/a-step-of-the-originator-counts-from-its-next-stamp",
        ),
        by(
            "sk-sync-duration-immune",
            "A step during a sync shifts the latency, and not the metric of how long syncs take.",
            "clocks/so-is-a-step-while-it-programs",
        ),
    ),
)

NEGATIVES = Part(
    "What a histogram does with negatives",
    (
        by(
            "ne-lowest-bucket",
            "A negative is counted in the lowest bucket, and so in every one.",
            "skew/a-negative-latency-raises-every-bucket-and-lowers-the-sum",
        ),
        by(
            "ne-sum-falls",
            "The sum may fall, and be negative.",
            "skew/a-negative-latency-raises-every-bucket-and-lowers-the-sum",
        ),
        by(
            "ne-zero-bucket-detects",
            "What is counted up to 0 is a sign of skew.",
            "latency/it-has-81-finite-bounds",
            "skew/a-latency-of-nothing-counts-as-well",
        ),
        not_by(
            "ne-quantile",
            "A quantile that falls into a lowest bucket up to 0 is 0.",
            "It is computed by Prometheus, not by a kube-proxy.",
        ),
        not_by(
            "ne-native-histogram",
            "A native histogram has buckets for negatives of their own.",
            "It is behind a feature gate of Kubernetes, and is no part of what is scraped as text.",
        ),
        not_by(
            "ne-other-libraries",
            "Prometheus' own library for Python counts and exports negatives likewise.",
            "It is about a library; the reference's histogram is tested beside it.",
        ),
    ),
)
