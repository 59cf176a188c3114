"""The board of a class as a page of this machine, to be projected: it asks again every other second."""

from __future__ import annotations

from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from jinja2 import StrictUndefined, Template

from stingy_kata.board import COLUMNS, LEGEND, read_shared, rows


class Projection(ThreadingHTTPServer):
    """Only this machine is answered: names of learners are nobody else's business."""

    def __init__(self, folder: Path, port: int) -> None:
        """``port`` 0 is any that is free. Raises OSError if it is taken."""
        super().__init__(("127.0.0.1", port), _Answer)
        self.folder = folder

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


def page(folder: Path) -> str:
    """As it is now."""
    found, unread = read_shared(folder)
    template = Path(__file__).with_name("board.html").read_text(encoding="utf-8")
    told: str = Template(template, autoescape=True, undefined=StrictUndefined).render(
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
        if self.path != "/":
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        content = page(self.server.folder).encode()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nobody reads every other second that it was asked."""
