"""The site shows every rule once, has no dead link, and loads nothing from another host."""

import json
import re
from collections import Counter
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest

from stingy.guarantees import GUARANTEES, all_rules
from stingy_broken import broken_candidates

pytestmark = pytest.mark.budget(40)
"""The first test of the first process builds the site."""
ELSEWHERE = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
ASKS_ELSEWHERE = re.compile(r"""(?:url\(|@import)\s*["']?\s*(?:[a-z]+:)?//[^)"']+""", re.IGNORECASE)
PARTS = ("why", "watch", "predict", "rules", "upstream", "mistakes", "check", "try", "asked")
HEAVY = 300_000
"""Maximum bytes of our own: the page, and what it loads in addition to the files of the theme."""
LISTS = {f"{name}.html": 500_000 for name in ("broken", "coverage", "matrix", "rules")}
"""Pages for looking things up, which are not read from top to bottom."""


def test_every_rule_has_one_anchor_on_one_page(pages):
    shown = [
        f"{path.removeprefix('guarantees/').removesuffix('.html')}/{anchor}"
        for path, page in pages.items()
        for anchor in page.rules
    ]

    assert sorted(shown) == sorted(all_rules())


def test_every_guarantee_has_a_page_with_all_its_parts(pages):
    missing = {
        name: [part for part in PARTS if part not in pages[f"guarantees/{name}.html"].ids]
        for name in GUARANTEES
    }

    assert {name: parts for name, parts in missing.items() if parts} == {}


def test_every_broken_candidate_is_shown_once(pages):
    assert sorted(pages["broken.html"].broken) == sorted(
        f"{broken.__module__.rpartition('.')[2]}-{broken.__name__}" for broken in broken_candidates()
    )


def test_no_page_has_two_elements_of_the_same_id(pages):
    twice = {path: [it for it, n in Counter(page.ids).items() if n > 1] for path, page in pages.items()}

    assert {path: ids for path, ids in twice.items() if ids} == {}


def test_every_link_within_the_site_leads_somewhere(site, pages):
    dead = [
        (path, link)
        for path, page in pages.items()
        if path != "404.html"  # the page for missing pages may be shown at any address
        for link in page.links + page.loaded
        if not urlsplit(link).scheme and not ELSEWHERE.match(link) and not leads(path, link, site, pages)
    ]

    assert dead == []


def leads(path, link, site, pages):
    target, anchor = urldefrag(urljoin(path, link))
    if anchor and target.endswith(".html"):
        return unquote(anchor) in pages[target].ids
    return not target or (site / unquote(urlsplit(target).path)).exists()


def test_llms_txt_lists_pages_that_exist_and_all_guarantees(site, pages):
    listed = re.findall(
        r"^- \[.+?\]\((\S+)\): .+", (site / "llms.txt").read_text(encoding="utf-8"), re.MULTILINE
    )

    assert [link for link in listed if link not in pages] == []
    assert [name for name in GUARANTEES if f"guarantees/{name}.html" not in listed] == []


def test_nothing_is_loaded_from_another_host(site, pages):
    loaded = {path: [url for url in page.loaded if ELSEWHERE.match(url)] for path, page in pages.items()}
    styled = {
        path.relative_to(site).as_posix(): ASKS_ELSEWHERE.findall(path.read_text(encoding="utf-8"))
        for suffix in ("html", "css", "svg")
        for path in site.rglob(f"*.{suffix}")
    }

    assert {path: urls for path, urls in loaded.items() if urls} == {}
    assert {path: urls for path, urls in styled.items() if urls} == {}
    assert not any("mermaid" in page.classes for page in pages.values()), "Material loads mermaid from a CDN"


def test_each_page_says_what_it_may_load(site, pages):
    """By ``default-src``, Firefox may fetch the next page ahead."""
    policy = '<meta http-equiv="Content-Security-Policy" content="default-src &#x27;self&#x27;; '
    assert [path for path in pages if (site / path).read_text().count(policy) != 1] == []


def test_only_pages_are_published(site):
    """The scripts that make the pages are not published."""
    assert [path for suffix in ("py", "toml", "yml") for path in site.rglob(f"*.{suffix}")] == []


def test_a_story_is_the_same_in_picture_table_and_stepper(pages):
    """Every step of the trace is in the picture, and the rows of a table are numbered without a gap."""
    for path, page in pages.items():
        steps = [number for trace in page.traces for number in range(1, len(json.loads(trace)) + 1)]
        pictured = Counter(page.pictured)
        assert pictured.keys() == set(steps), path
        assert not Counter(steps) - Counter(page.tabled), path


def test_no_page_is_heavy(site, pages):
    assets = {it.relative_to(site).as_posix(): it.stat().st_size for it in site.rglob("*") if it.is_file()}
    weights = {
        path: len(article(site / path))
        + sum(size for asset, size in assets.items() if loads(path, page, asset))
        for path, page in pages.items()
    }

    assert {path: weight for path, weight in weights.items() if weight > LISTS.get(path, HEAVY)} == {}


def article(path):
    _, _, rest = path.read_bytes().partition(b"<article")
    return rest.partition(b"</article>")[0]


def loads(path, page, asset):
    ours = asset.startswith(("images/", "scripts/", "stylesheets/"))
    return ours and any(urljoin(path, link) == asset for link in page.loaded)
