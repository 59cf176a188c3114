"""Serve the board of a class as a web page for a projector; it reloads itself every two seconds.

On request, serve the built site as well. Its page of the workshop then has the board's address, so
it can send the status of a learner who agrees.
"""

from __future__ import annotations

import re
import socket
import sys
from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from threading import Lock
from typing import Any

from jinja2 import StrictUndefined, Template

from stingy.reports.page import hash_part
from stingy_kata.board import COLUMNS, LEGEND, LONGEST, Reception, Refused, read_shared, rows

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


HERE = "127.0.0.1"
SITE = "/site"
"""Path below which the built site is served."""
WORKSHOP = "kata.html"
"""The site's page with the workshop."""


class Projection(ThreadingHTTPServer):
    """HTTP server of the class's board, and of the built site if it is given.

    The board is shown only on this machine, because learners' names are private. Whoever opens it on
    another machine is led to the workshop's page.
    """

    def __init__(self, folder: Path, port: int, host: str = HERE, site: Path | None = None) -> None:
        """Bind to one address of this machine, and to the port, or to any free one if it is 0.

        Raises OSError if that is not possible, and ValueError if the host stands for all addresses:
        then there would be no link to give to learners.
        """
        if socket.gethostbyname(host) == "0.0.0.0":  # noqa: S104 - it is refused
            raise ValueError("name the one address at which learners reach this machine")
        super().__init__((host, port), partial(_Answer, directory=site))
        self.folder = folder
        self.site = site.resolve() if site else None
        self.reception = Reception(folder)
        self.lock = Lock()
        self._names = (host, "localhost") if host == HERE else (host,)

    def server_bind(self) -> None:
        # HTTPServer would ask a name server for the name of the address, and wait for it where there is none.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print the error, unless a learner's machine has broken off."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    @property
    def address(self) -> str:
        return f"http://{self.hosts[0]}/"

    @property
    def hosts(self) -> Sequence[str]:
        """Values of the HTTP header Host that are answered: the names of this machine, with the port."""
        return [name if self.server_port == 80 else f"{name}:{self.server_port}" for name in self._names]


def page(folder: Path, link: str = "") -> str:
    """Return the board as an HTML page, from the statuses that are now in the shared folder.

    ``link`` is the address that learners open, if the site is served.
    """
    found, unread = read_shared(folder)
    told: str = Template(TEMPLATE, autoescape=True, undefined=StrictUndefined).render(
        folder=folder,
        link=link,
        number=len(found),
        columns=COLUMNS,
        legend=LEGEND,
        rows=list(rows(found)),
        unread=unread,
    )
    return told


_INDEXES = ("index.html", "index.htm")
"""Files that SimpleHTTPRequestHandler serves in place of their folder."""


class _Answer(SimpleHTTPRequestHandler):
    server: Projection
    timeout = 30  # s without a byte; a slow network needs a few for a file of the site
    # Windows may have another type for these in its registry, and browsers run no module with another type.
    extensions_map = SimpleHTTPRequestHandler.extensions_map | dict.fromkeys(
        (".js", ".mjs"), "text/javascript"
    )

    def do_GET(self) -> None:
        if not self._is_meant():
            return
        if self.path == "/":
            self._show_board()
        elif self.server.site and self.path.startswith(f"{SITE}/"):
            self._serve_site(self.server.site)
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def do_HEAD(self) -> None:
        self.send_error(HTTPStatus.METHOD_NOT_ALLOWED)

    def do_POST(self) -> None:
        """Take the status of a learner. The site's own page sends it, so no other origin may."""
        length = self.headers["Content-Length"] or ""
        if not self._is_meant():
            return
        if not self.server.site or self.path != "/status":
            self.send_error(HTTPStatus.NOT_FOUND)
        elif self.headers["Origin"] not in [f"http://{host}" for host in self.server.hosts]:
            self.send_error(HTTPStatus.FORBIDDEN)
        elif not re.fullmatch(r"[0-9]{1,9}", length) or int(length) > LONGEST:
            self.send_error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        else:
            self._take(self.rfile.read(int(length)))

    def _take(self, body: bytes) -> None:
        try:
            with self.server.lock:
                self.server.reception.receive(body, self.client_address[0])
        except Refused as why:
            self.send_error(HTTPStatus.BAD_REQUEST, str(why))
        except OSError:
            self.send_error(HTTPStatus.INTERNAL_SERVER_ERROR, "it cannot be written to the shared folder")
        else:
            self.send_response(HTTPStatus.NO_CONTENT)
            self.end_headers()

    def _is_meant(self) -> bool:
        """Return True if the request names this machine; answer it with an error if not.

        This refuses DNS rebinding: another site's host name may resolve to this machine.
        """
        if self.headers["Host"] in self.server.hosts:
            return True
        self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
        return False

    def _serve_site(self, site: Path) -> None:
        """Serve a file of the site; a link that leads out of the site's folder is not followed."""
        self.path = self.path.removeprefix(SITE)
        path = Path(self.translate_path(self.path))
        try:
            meant = [(path / name).resolve() for name in ("", *_INDEXES)]
        except (ValueError, OSError, RuntimeError):  # a path with a null byte, or a link to itself
            meant = []
        if meant and all(file.is_relative_to(site) for file in meant):
            super().do_GET()
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _show_board(self) -> None:
        if self.client_address[0] != self.connection.getsockname()[0]:  # another machine
            self.send_response(HTTPStatus.FOUND)
            self.send_header("Location", f"{SITE}/{WORKSHOP}?board")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        content = page(self.server.folder, self.server.address if self.server.site else "").encode()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)

    def list_directory(self, path: Any) -> None:  # noqa: ARG002
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, *_: object) -> None:
        """Log nothing: the page sends a request every two seconds."""
