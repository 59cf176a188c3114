"""Templates of the HTML page and of exported tests."""

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
    """Return the Jinja template in the file ``name``.

    In an HTML page, every text is escaped. In a program, the filter ``quoted`` turns a text into a
    literal of the language.
    """
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
    """Return the style sheet or script in the file ``name`` as markup, which the page does not escape."""
    from markupsafe import Markup

    return Markup(f"\n{Path(__file__).with_name(name).read_text('utf-8')}")  # noqa: S704 - it is ours


def hash_part(part: str) -> str:
    """Return the hash by which the page's content security policy allows a style or script.

    ``part`` is its text. Any other script, such as one from a candidate's texts, does not run.
    """
    return f"sha256-{b64encode(sha256(part.encode()).digest()).decode()}"


def _safe(told: Any) -> Any:
    """Return a text without control characters; any other value, such as markup, unchanged."""
    return in_lines(told) if type(told) is str else told
