"""Write the site's Markdown to ``build/``: pages written by hand, and those generated from rules.

Run ``python docs/generate.py``, and then ``mkdocs build`` or ``mkdocs serve``. The Markdown is
plain, so that any other site builder can be used.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pages import Unsaid, everything, slides, tryout
from pages.tree import write

ROOT = Path(__file__).parent.parent


def main() -> int:
    build = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "build"
    try:
        number = write(everything(ROOT), build)
    except Unsaid as missing:
        sys.stderr.write(f"{missing}\n")
        return 1
    if not tryout.is_provided(ROOT / "docs"):
        sys.stderr.write("The pages have no Try it: python docs/provisions.py fetches what it takes.\n")
    if not slides.is_provided(ROOT / "docs"):
        sys.stderr.write("The slides cannot be presented: python docs/provisions.py fetches what it takes.\n")
    sys.stdout.write(f"{number} files are in {build}; now: mkdocs build --strict\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
