"""What is written from templates, and the templates."""

from __future__ import annotations

from base64 import b64encode
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stingy.contract.testimony import in_lines

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup


@cache
def template(name: str) -> Template:
    """What a page needs is escaped; a text in a program is a literal of its language."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from stingy.reports.page.quoting import quote, remark

    environment = Environment(
        loader=PackageLoader("stingy.reports", "page"),
        autoescape=name.endswith(".html"),
        finalize=_safe if name.endswith(".html") else None,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    language = name.partition(".")[0]
    environment.filters["quoted"] = partial(quote, language=language)
    environment.filters["remark"] = partial(remark, language=language)
    environment.filters["hash"] = hash_part
    return environment.get_template(name)


def part(name: str) -> Markup:
    """A style or a script of ours, as it stands in the page."""
    from markupsafe import Markup

    return Markup(f"\n{Path(__file__).with_name(name).read_text('utf-8')}")  # noqa: S704 - it is ours


def hash_part(part: str) -> str:
    """Return the hash of a style or a script, by which a page allows it, and nothing else that somebody may have put there."""
    return f"sha256-{b64encode(sha256(part.encode()).digest()).decode()}"


def _safe(told: Any) -> Any:
    """What a page tells; markup, which is a text of a class of its own, is ours."""
    return in_lines(told) if type(told) is str else told
