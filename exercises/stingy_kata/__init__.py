"""The workshop: mend a work queue until it keeps the rules, graded by the very rules that judge real ones.

An exercise is a folder here. ``start.py`` is what a learner is given: its docstring is the title and the
task, its ``RULES`` say what it is graded by. ``solution.py`` is the same file, finished.
"""

EXERCISES = ("once_more",)
"""In the order in which to do them."""
