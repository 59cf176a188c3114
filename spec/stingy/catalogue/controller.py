"""Controllers."""

from __future__ import annotations

from stingy.catalogue.behaviour import Part, by, not_by

CONTROLLER = Part(
    "Controllers",
    (
        by(
            "ctrl-max-concurrent",
            "So many reconciles at once, and no more.",
            "controller/no-more-at-once-than-it-may",
            "controller/as-many-at-once-as-it-may",
            "controller/a-slow-key-holds-up-one-worker",
            "requeueing/what-comes-again-waits-for-a-worker",
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
            "outcomes/an-event-during-a-run-is-followed-by-another",
            "outcomes/many-events-during-a-run-are-followed-by-one",
            "requeueing/what-comes-again-waits-for-its-own-run",
            "requeueing/no-event-is-missed",
        ),
        by(
            "ctrl-done-after-requeue",
            "Done is called on every path.",
            "outcomes/however-it-ends-an-event-starts-it-again",
        ),
        by(
            "ctrl-success-forgets",
            "A success forgets the failures.",
            "controller/a-success-is-the-end-of-it",
            "outcomes/a-success-forgets-the-failures",
        ),
        by(
            "ctrl-error-ratelimited",
            "A failure is retried, later each time.",
            "outcomes/a-failure-is-retried",
            "outcomes/a-failure-is-not-retried-sooner",
            "outcomes/each-failure-waits-longer",
            "outcomes/each-key-has-its-own-failures",
        ),
        not_by(
            "ctrl-error-beats-result",
            "Beside an error, what the Result says is void.",
            "An exception carries no Result.",
        ),
        by(
            "ctrl-requeueafter",
            "RequeueAfter forgets, and brings the key back after that time.",
            "requeueing/requeue-after-brings-it-back",
            "requeueing/requeue-after-brings-it-back-no-sooner",
            "requeueing/requeue-after-forgets-the-failures",
            "requeueing/whether-an-event-before-takes-its-place",
        ),
        by(
            "ctrl-requeueafter-nonpositive",
            "RequeueAfter of nothing is none.",
            "requeueing/requeue-after-nothing-is-a-success",
            "requeueing/of-both-requeue-after-counts-if-there-is-any",
        ),
        by(
            "ctrl-requeue",
            "Requeue is up to the rate limiter.",
            "requeueing/requeue-is-up-to-the-rate-limiter",
            "requeueing/each-requeue-waits-longer",
        ),
        by(
            "ctrl-terminal",
            "A terminal error is not retried, and forgets nothing.",
            "outcomes/a-terminal-error-is-not-retried",
            "outcomes/a-wrapped-terminal-error-is-one-too",
            "outcomes/a-terminal-error-forgets-nothing",
        ),
        by(
            "ctrl-panic-recovered",
            "A panic is a failure, and the worker lives on.",
            "outcomes/however-it-ends-the-worker-goes-on",
            "outcomes/a-failure-is-retried",
        ),
        by(
            "ctrl-event-meanwhile",
            "An event does not wait for the retry that is to come; whether both come is contested.",
            "requeueing/whether-an-event-in-the-meantime-takes-its-place",
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
            "stopping/idle-workers-go-home",
            "stopping/it-lets-what-is-under-way-come-to-its-end",
            "stopping/it-has-not-stopped-while-a-reconcile-is-under-way",
            "stopping/what-is-added-after-stop-is-not-reconciled",
            "stopping/what-ends-after-stop-does-not-come-again",
            "stopping/stop-does-not-wait-for-what-is-to-come-again",
            "stopping/nothing-comes-again-once-it-has-stopped",
        ),
        by(
            "ctrl-shutdown-backlog",
            "What is queued then is reconciled, or dropped.",
            "stopping/what-becomes-of-the-rest-at-stop",
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
