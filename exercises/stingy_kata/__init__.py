"""The workshop: write a work queue, exercise by exercise, graded by the very rules that judge real ones.

An exercise is a folder here. ``exercise.toml`` says what it is graded by. ``solution.py`` has holes in it: what a
learner is given instead stands there as comments. ``mistakes.toml`` holds the mistakes that people make, as changes to it.
``stingy-kata dev check`` proves that all of it is so.
"""

EXERCISES = (
    *("fifo", "dedupe", "after_get", "stingy", "readd", "fair", "workers", "catch_lost"),
    *("shutdown", "drain", "delay", "backoff", "forget", "bucket", "reconciler", "catch_event"),
    *("trigger_time", "min_trigger", "stamping", "tracker", "removal", "metric", "failed_sync"),
    *("skew", "restarted", "hunt"),
)
"""In the order in which to do them; numbers are only shown."""

SEED = 0
"""Always the same: a learner who changes nothing sees the same story again."""

SEED_BESIDES = 1
"""Of what is asked of those who pass: another one, so that a race that the first does not show has a second chance to be seen."""
