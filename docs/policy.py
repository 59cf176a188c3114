"""Give each page of the site a Content Security Policy: a hook of MkDocs.

A page may run the site's own scripts and the inline scripts that it has when it is built, and may
load nothing from other sites. So text from others, such as a shared link or a learner's code,
cannot run a script in a page, even if the page fails to escape it.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from stingy.reports.page import hash_part

FOR_ALL = (
    "default-src 'self'",  # Firefox fetches the next page ahead, for which nothing else in here is asked
    "base-uri 'none'",
    "form-action 'none'",
    "img-src 'self' data:",
    "style-src 'self' 'unsafe-inline'",  # Material sets style attributes
)
_SCRIPT = re.compile(r"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL)
_HEAD = '<meta charset="utf-8">'


def on_post_page(output: str, **_: Any) -> str:
    """Return the HTML of a page with a Content Security Policy. MkDocs calls this for each page."""
    return _with_policy(output)


def on_post_template(output: str, *, template_name: str, **_: Any) -> str:
    """Return the HTML of a template, such as the 404 page, with a Content Security Policy.

    A template that is not HTML is returned unchanged. MkDocs calls this for each template.
    """
    return _with_policy(output) if template_name.endswith(".html") else output


def _with_policy(output: str) -> str:
    """Return the HTML with a Content Security Policy that allows its inline scripts, by their hashes."""
    hashes = sorted({f"'{hash_part(script)}'" for script in _SCRIPT.findall(output)})
    return output.replace(_HEAD, f"{_HEAD}{policy(*hashes)}", 1)


def policy(*scripts: str) -> str:
    """Return a ``meta`` element with a Content Security Policy.

    ``scripts`` are the sources, as in the policy, that are allowed besides the site's own files.
    """
    content = "; ".join((*FOR_ALL, " ".join(("script-src 'self'", *scripts))))
    return f'<meta http-equiv="Content-Security-Policy" content="{escape(content, quote=True)}">'
