"""Write the schemas anew."""

from __future__ import annotations

from stingy.schemas import HERE, schemas

for name, text in schemas().items():
    (HERE / name).write_text(text, encoding="utf-8")
