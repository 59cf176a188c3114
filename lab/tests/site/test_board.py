"""The board of a class is a page that updates itself."""

import threading
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from stingy_kata.board import Status, share
from stingy_kata.projection import Projection


@pytest.fixture
def projected(tmp_path):
    with Projection(tmp_path / "share", 0) as projection:
        thread = threading.Thread(target=projection.serve_forever, args=(0.05,))
        thread.start()
        yield projection
        projection.shutdown()
        thread.join()


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
    asked = Request(projected.address, headers={"Host": f"evil.example:{projected.server_port}"})
    with pytest.raises(HTTPError) as refused:
        urlopen(asked)
    assert refused.value.code == 421
    refused.value.close()
    with urlopen(projected.address) as told:
        assert told.headers["X-Content-Type-Options"] == "nosniff"
        policy = told.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
