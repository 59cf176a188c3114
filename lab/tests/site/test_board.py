"""The board of a class is a page that updates itself, and learners in the workshop's page can be on it."""

import json
import socket
import threading
from contextlib import contextmanager
from http.client import HTTPConnection
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from stingy_kata import projection as projections
from stingy_kata.board import LONGEST, Status, read_shared, share
from stingy_kata.projection import Projection

ELSEWHERE = "127.0.0.2"
"""Address of the trainer's server, as another machine sees it: who asks it has 127.0.0.1."""


@contextmanager
def projecting(*given):
    with Projection(*given) as projection:
        thread = threading.Thread(target=projection.serve_forever, args=(0.05,))
        thread.start()
        yield projection
        projection.shutdown()
        thread.join()


@pytest.fixture
def projected(tmp_path):
    with projecting(tmp_path / "share", 0) as projection:
        yield projection


@pytest.fixture
def small(tmp_path):
    """Server of the board and of a site with one page."""
    (tmp_path / "site" / "folder").mkdir(parents=True)
    (tmp_path / "site" / "kata.html").write_text("the workshop")
    (tmp_path / "site" / "worker.mjs").touch()
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "site" / "linked").mkdir()
    for link in ("link.html", "linked/index.html"):
        (tmp_path / "site" / link).symlink_to(tmp_path / "secret")
    (tmp_path / "site" / "loop.html").symlink_to(tmp_path / "site" / "loop.html")
    try:
        socket.create_server((ELSEWHERE, 0)).close()
    except OSError:
        pytest.skip(f"this system has no {ELSEWHERE}")
    with projecting(tmp_path / "share", 0, ELSEWHERE, tmp_path / "site") as projection:
        yield projection


def asked(of, method, path, body=b"", source="127.0.0.1", **headers):
    """Return status, headers and body of the answer to a request; names of headers have _ for -."""
    connection = HTTPConnection(*of.server_address, source_address=(source, 0), timeout=60)
    given = {"Host": of.hosts[0], "Content_Length": str(len(body)), **headers}
    connection.request(method, path, body, {name.replace("_", "-"): it for name, it in given.items()})
    answer = connection.getresponse()
    told = answer.status, dict(answer.getheaders()), answer.read()
    connection.close()
    return told


STATUS = json.dumps({"who": "Ada", "at": "fifo", "done": []}).encode()


def test_the_board_follows_learners_without_a_reload(projected, opened):
    page = opened(projected.address)
    page.evaluate("window.same = true")
    assert "stingy-kata watch --share" in page.inner_text("main")

    share(Status("Ada", "fifo", (), hints={"fifo": 2}), projected.folder)
    share(Status("<b>Bob</b>", "fifo", ()), projected.folder)
    page.locator("tr", has_text="fifo").get_by_text("Ada (2), <b>Bob</b>").wait_for()
    share(Status("Ada", "dedupe", ("fifo",)), projected.folder)
    page.locator("tr", has_text="dedupe").get_by_text("Ada").wait_for()

    assert "1 of 2" in page.locator("tr", has_text="fifo").inner_text()
    assert page.evaluate("window.same")
    assert page.troubles == []
    projected.shutdown()
    projected.server_close()
    page.get_by_text("The board is no longer updated").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_board_is_accessible(scheme, projected, opened):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    share(Status("Ada", "fifo", ()), projected.folder)
    page = opened(projected.address, scheme)
    assert axe.run(page, options={"preload": False}).response["violations"] == []


def test_nothing_else_is_served(projected):
    with pytest.raises(HTTPError, match="404") as refused:
        urlopen(f"{projected.address}../etc/passwd")
    refused.value.close()


def test_a_page_of_somebody_elses_learns_nothing(projected):
    """A page of another origin cannot read the board, even if its name resolves to this machine."""
    request = Request(projected.address, headers={"Host": f"evil.example:{projected.server_port}"})
    with pytest.raises(HTTPError) as refused:
        urlopen(request)
    assert refused.value.code == 421
    refused.value.close()
    with urlopen(projected.address) as told:
        assert told.headers["X-Content-Type-Options"] == "nosniff"
        policy = told.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_the_board_is_shown_on_the_trainers_machine_only(small):
    status, headers, body = asked(small, "GET", "/")
    assert (status, headers["Location"], body) == (302, "/site/kata.html?board", b"")
    assert b"Learners open" in asked(small, "GET", "/", source=ELSEWHERE)[2]
    assert asked(small, "GET", "/site/kata.html?board")[2] == b"the workshop"


def test_scripts_of_the_site_have_a_type_with_which_browsers_run_them(small):
    assert asked(small, "GET", "/site/worker.mjs")[1]["Content-type"] == "text/javascript"


@pytest.mark.parametrize(
    "path",
    [
        *("/site/../secret", "/site/%2e%2e/secret", "/secret", "/site", "/site/folder/", "/status"),
        *("/site/link.html", "/site/linked/", "/site/loop.html", "/site/%00", "/site/kata.html%00"),
    ],
)
def test_nothing_beside_the_site_is_served(small, path):
    status, _, body = asked(small, "GET", path)
    assert status == 404
    assert body.find(b"secret") == -1
    assert asked(small, "HEAD", path)[0] == 405


def test_a_status_is_taken_from_the_sites_own_page_only(small):
    ours = f"http://{small.hosts[0]}"
    for origin in ("null", "http://evil.example", f"https://{small.hosts[0]}"):
        assert asked(small, "POST", "/status", STATUS, Origin=origin)[0] == 403
    assert asked(small, "POST", "/status", STATUS)[0] == 403
    assert asked(small, "POST", "/status", STATUS, Origin=ours, Host="evil.example")[0] == 421
    assert asked(small, "POST", "/", STATUS, Origin=ours)[0] == 404
    assert asked(small, "OPTIONS", "/status", Origin="http://evil.example")[0] == 501
    assert not small.folder.exists()
    assert asked(small, "POST", "/status", STATUS, Origin=ours)[0] == 204
    assert [it.who for it in read_shared(small.folder)[0]] == ["Ada"]


def test_a_board_without_the_site_takes_no_status(projected):
    ours = f"http://{projected.hosts[0]}"
    assert asked(projected, "POST", "/status", STATUS, Origin=ours)[0] == 404


def test_no_request_harms_the_board(small, monkeypatch):
    """A status that is too long, torn or never comes is refused, and other learners are served meanwhile."""
    monkeypatch.setattr(projections._Answer, "timeout", 0.2)
    ours = f"http://{small.hosts[0]}"
    for length in ("", "-1", "x", str(LONGEST + 1), "9" * 5000):
        assert asked(small, "POST", "/status", Origin=ours, Content_Length=length)[0] == 413
    assert asked(small, "POST", "/status", b"{", Origin=ours)[0] == 400
    long_name = json.dumps({"who": "\u6f22" * 80, "at": "fifo", "done": []}).encode()
    assert asked(small, "POST", "/status", long_name, Origin=ours)[0] == 500
    head = f"POST /status HTTP/1.0\r\nHost: {small.hosts[0]}\r\nOrigin: {ours}\r\nContent-Length: 100\r\n\r\n"
    with (
        socket.create_connection(small.server_address, 60) as slow,
        socket.create_connection(small.server_address, 60) as slower,
    ):
        slow.sendall(head.encode())
        slower.sendall(b"POST")
        assert asked(small, "POST", "/status", STATUS, Origin=ours)[0] == 204
        assert (slow.recv(1), slower.recv(1)) == (b"", b""), "they are given up"
    assert [it.who for it in read_shared(small.folder)[0]] == ["Ada"]


@pytest.mark.budget(60)
def test_learners_in_the_workshops_page_are_on_the_board_once_they_agree(site, tmp_path, opened):
    if not (site / "try").is_dir():
        pytest.skip("nothing is here to run Python in a page with: python docs/provisions.py")
    with projecting(tmp_path / "share", 0, "127.0.0.1", site) as projection:
        page = opened(f"{projection.address}site/kata.html?board")
        posted = []
        page.on("request", lambda it: it.method == "POST" and posted.append(json.loads(it.post_data)))
        offer = page.locator(".stingy-board")
        panel = page.locator("stingy-kata > .stingy-panel:not(.stingy-board)")
        assert f"sends to 127.0.0.1:{projection.server_port}" in offer.inner_text()
        page.get_by_role("button", name="Begin").click()
        page.get_by_role("button", name="Hint", exact=True).click()
        panel.locator("details.hint:visible").wait_for()
        assert posted == [], "nothing before consent"
        assert not projection.folder.exists()

        offer.get_by_label("Name").fill("Ada")
        page.keyboard.press("Enter")
        offer.get_by_text("The board shows you as Ada.").wait_for()
        (ada,) = read_shared(projection.folder)[0]
        assert (ada.who, ada.at, ada.hints) == ("Ada", "fifo", {"fifo": 1})
        assert set(posted[0]) == {"who", "at", "done", "skipped", "hints", "gave_up"}, "no code"
        page.reload()
        page.get_by_role("button", name="Begin").click()
        panel.get_by_label("Exercise").select_option("readd")
        board = opened(projection.address)
        board.locator("tr", has_text="readd").get_by_text("Ada").wait_for()
        assert page.troubles == []

        projection.shutdown()
        projection.server_close()
        panel.get_by_label("Exercise").select_option("fair")
        offer.get_by_text("The board cannot be reached").wait_for()
        page.get_by_role("button", name="Hint", exact=True).click()
        panel.locator("details.hint:visible").wait_for()
        offer.get_by_role("button", name="Leave the board").click()
        sent = len(posted)
        panel.get_by_label("Exercise").select_option("readd")
        panel.locator("summary", has_text="05 readd").wait_for()
        assert len(posted) == sent, "nothing after leaving"


def test_without_a_trainers_link_the_page_offers_no_board(served, opened):
    assert opened(f"{served}kata.html").locator(".stingy-board").count() == 0
