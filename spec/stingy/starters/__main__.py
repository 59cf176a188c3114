"""Write what the starters have from the table of ops anew."""

from __future__ import annotations

from stingy.starters.keys import files

for path, text in files().items():
    path.write_text(text, encoding="utf-8")
