"""Serve the board of a class as a web page for a projector; it reloads itself every two seconds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from jinja2 import StrictUndefined, Template

from stingy.reports.page import hash_part
from stingy_kata.board import COLUMNS, LEGEND, read_shared, rows

TEMPLATE = Path(__file__).with_name("board.html").read_text(encoding="utf-8")


def _hash(element: str) -> str:
    """Return the hash of the content of the page's only ``element``, such as ``script``.

    The page's Content Security Policy allows it by this hash.
    """
    (text,) = re.findall(rf"<{element}>(.*?)</{element}>", TEMPLATE, re.DOTALL)
    return f"'{hash_part(text)}'"


POLICY = (
    f"default-src 'none'; style-src {_hash('style')}; script-src {_hash('script')}; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Projection(ThreadingHTTPServer):
    """HTTP server of the class's board. It answers only this machine: learners' names are private."""

    def __init__(self, folder: Path, port: int) -> None:
        """Bind to the port, or to any free one if it is 0. Raises OSError if the port is in use."""
        super().__init__(("127.0.0.1", port), _Answer)
        self.folder = folder

    @property
    def address(self) -> str:
        return f"http://{self.hosts[0]}/"

    @property
    def hosts(self) -> Sequence[str]:
        """Values of the HTTP header Host that are answered: the names of this machine, with the port."""
        return [f"127.0.0.1:{self.server_port}", f"localhost:{self.server_port}"]


def page(folder: Path) -> str:
    """Return the board as an HTML page, from the statuses that are now in the shared folder."""
    found, unread = read_shared(folder)
    told: str = Template(TEMPLATE, autoescape=True, undefined=StrictUndefined).render(
        folder=folder,
        number=len(found),
        columns=COLUMNS,
        legend=LEGEND,
        rows=list(rows(found)),
        unread=unread,
    )
    return told


class _Answer(BaseHTTPRequestHandler):
    server: Projection

    def do_GET(self) -> None:
        # Refuse DNS rebinding: another site's host name may resolve to this machine.
        if self.headers["Host"] not in self.server.hosts:
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
            return
        if self.path != "/":
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        content = page(self.server.folder).encode()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Log nothing: the page sends a request every two seconds."""
