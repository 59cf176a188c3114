"""Create the folder of a new exercise from templates, for ``stingy-kata dev new``."""

from __future__ import annotations

from pathlib import Path

from stingy_kata.exercise import PACKAGE, RUNGS

CARD = """title = "TITLE"
place = 9999
minutes = 10
review_minutes = 3
difficulty = "core"
needs = []
misconception = "What people take for true, in a sentence."
docs = "handing_out"
after = "A question for when it works?"
rules = ["handing_out/an-added-item-is-handed-out"]
fails_on_start = ["handing_out/an-added-item-is-handed-out"]
"""

MISTAKES = """# How people go wrong. A mistake is the solution, but for its changes: what each finds stands there exactly once.
# stingy-kata dev show TITLE wrong/a_mistake prints it.

[[mistakes]]
name = "a_mistake"
says = "It looks as if …"
breaks = ["handing_out/an-added-item-is-handed-out"]

[[mistakes.changes]]
find = "RIGHT = True"
replace = "RIGHT = False"
"""

README = """# TITLE

What the field needs it for, and what goes wrong without it: a story.

## What to write

## What not to write
"""

TRAINER = """- **Say**: the rule, in one sentence.
- **Ask before**: a question to which everybody raises a hand.
- **Answer**: which of them is right, and why.
- **Where time goes**: …
- **Answer when it passes**: what `after` in exercise.toml asks.
"""

SOLUTION = '''"""What it is, in a sentence."""

# hole
# | # TODO: what is to be written; a learner is given what stands behind the bars.
RIGHT = True
# end of hole
'''


class Taken(Exception):  # noqa: N818
    """The name of a new exercise is taken, or is not allowed; the message says which."""


def write(name: str, into: Path = PACKAGE) -> Path:
    """Create the folder of a new exercise from templates, and return it.

    The name must be a Python identifier in lower case. Raises Taken if it is not, or if the name is
    taken.
    """
    folder = into / name
    if not name.isidentifier() or name != name.lower():
        raise Taken(
            f"{name!r} is not a valid name for an exercise: use small letters, digits and underscores"
        )
    if folder.exists():
        raise Taken(f"{folder} exists already")
    texts = {
        "exercise.toml": CARD,
        "README.md": README,
        "trainer.md": TRAINER,
        "solution.py": SOLUTION,
        "mistakes.toml": MISTAKES,
    }
    texts |= {f"hints/{n}.md": f"{rung}: …\n" for n, rung in enumerate(RUNGS, 1)}
    for file, text in texts.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("TITLE", name), encoding="utf-8")
    return folder
