"""Give each page of the site a Content Security Policy: a hook of MkDocs.

A page runs the scripts of the site and those that are written in it when it is built, and loads nothing from elsewhere. So text
that somebody else wrote, such as a shared link or a learner's code, cannot run a script in the page, even where a page forgets to
escape it.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from stingy.reports.page import hash_part

FOR_ALL = (
    "default-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "frame-src 'self'",
    "worker-src 'self'",
    "style-src 'self' 'unsafe-inline'",  # Material sets style attributes
)
_SCRIPT = re.compile(r"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL)
_HEAD = '<meta charset="utf-8">'


def on_post_page(output: str, **_: Any) -> str:
    """Return the page with its policy."""
    return _with_policy(output)


def on_post_template(output: str, *, template_name: str, **_: Any) -> str:
    """Return the page of an address that does not exist with its policy; leave a file that is no page as it is."""
    return _with_policy(output) if template_name.endswith(".html") else output


def _with_policy(output: str) -> str:
    """Allow the scripts written in the page, by their hashes."""
    hashes = sorted({f"'{hash_part(script)}'" for script in _SCRIPT.findall(output)})
    return output.replace(_HEAD, f"{_HEAD}{policy(*hashes)}", 1)


def policy(*scripts: str) -> str:
    """Return a ``meta`` element; ``scripts`` are sources of scripts besides the site's own files."""
    content = "; ".join((*FOR_ALL, " ".join(("script-src 'self'", *scripts))))
    return f'<meta http-equiv="Content-Security-Policy" content="{escape(content, quote=True)}">'
