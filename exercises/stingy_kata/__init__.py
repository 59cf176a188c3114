"""The workshop: exercises in writing a work queue, graded by the rules that judge real queues.

Each exercise is a folder of this package. ``exercise.toml`` lists the rules that grade it.
``solution.py`` has marked holes, with the code that a learner starts from in comments.
``mistakes.toml`` describes common mistakes as changes to the solution. ``stingy-kata dev check``
verifies all of this.
"""

SEED = 0
"""Seed of every grading. It is fixed, so that the same attempt always gets the same feedback."""

SEED_BESIDES = 1
"""Seed of the second check, which runs after an attempt has passed its exercise.

It differs from ``SEED`` to catch a race that the first check misses.
"""
