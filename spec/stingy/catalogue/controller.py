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
