"""The text of a page about a guarantee is refused if a part of it is missing or wrong."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
WALKS = ROOT / "docs/walks"
ONCE_MORE = (WALKS / "once_more.toml").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _pages(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "pages"]:
        del sys.modules[name]


def refused(folder, old, new):
    """Replace the pattern ``old`` in a guarantee's page by ``new``; return the error that this causes."""
    from pages import Unsaid, guarantee
    from stingy.guarantees import once_more

    changed = re.sub(old, new, ONCE_MORE, count=1, flags=re.DOTALL)
    assert changed != ONCE_MORE
    (folder / "walks").mkdir()
    (folder / "walks" / "once_more.toml").write_text(changed, encoding="utf-8")
    with pytest.raises(Unsaid) as fault:
        list(guarantee.page(once_more, folder))
    return str(fault.value)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (r'promise = "[^"]*"', 'promise = ""', "promise says nothing"),
        (r"not_promised = \[.*?\]", "not_promised = []", "not_promised says nothing"),
        (r"\[\[asked\]\].*", "", "asked"),
        (r'watch = "[^"]*"', 'watch = "once_more/nobody-knows"', "there is no rule once_more/nobody-knows"),
        (r'watch = "[^"]*"', 'watch = "fair/first-come-first-served"', "belongs to another guarantee"),
        (r'watch = "', 'watch_case = "none"\nwatch = "', "has no row 'none'; it has: no table"),
        (r'exercise = "[^"]*"', "", "name an exercise, or say what to try"),
        (r'exercise = "[^"]*"', 'exercise = "sleep"', "there is no exercise 'sleep'; there is:"),
        (r"options = \[.*?\]", """options = ["Get() → 'x'", "Get() → 'y'"]""", "no answer is right; what comes after line"),
        (r"options = \[.*?\]", """options = ["Get()", "Get() → 'c'"]""", "more than one answer is right"),
        (r'link = "https:', 'link = "http:', "has no link to where it was asked"),
        (r'promise = "', 'promised = "', "unknown field `promised`"),
    ],
)  # fmt: skip
def test_a_page_is_refused(old, new, why, tmp_path):
    assert why in refused(tmp_path, old, new)


def test_a_difference_shows_the_methods_of_a_broken_class():
    """The difference shows inherited code in full, and marks only the lines that differ."""
    from pages.mistakes import difference
    from stingy_broken.drains import DrainsWithoutWaiting

    assert difference(DrainsWithoutWaiting) == (
        " def shut_down_with_drain(self):",
        "-    with self._lock:",
        "-        self._draining = True",
        "-        self._stop()",
        "-        while self._processing and self._draining:",
        "-            self._idle.wait()",
        "+    self.shut_down()",
    )
