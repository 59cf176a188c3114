"""Files with which a page runs Python have the sums of ``provisions.toml``, or the page is built without them."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def docs(monkeypatch, tmp_path):
    """Copy of the folder ``docs`` of the project, without fetched files."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / "spec").symlink_to(ROOT / "spec")
    yield tmp_path / "docs"
    for name in [name for name in sys.modules if name.partition(".")[0] in ("pages", "provisions")]:
        del sys.modules[name]


def fetch(docs):
    import provisions

    (docs.parent / "provisions").mkdir()
    for name in pinned(provisions):
        (docs.parent / "provisions" / name).write_bytes(b"fetched")


def pinned(provisions):
    return provisions.sums(tomllib.loads(provisions.PINNED.read_text(encoding="utf-8")))


def test_a_file_that_differs_from_its_pinned_sum_is_not_kept(docs, tmp_path, monkeypatch, capsys):
    import provisions

    def fetch_another(pinned, work):
        for name in provisions.sums(pinned):
            (work / name).write_bytes(b"another")

    monkeypatch.setattr(provisions, "ROOT", tmp_path)
    monkeypatch.setattr(provisions, "_fetch", fetch_another)

    assert provisions.main() == 1
    assert "is not what provisions.toml says" in capsys.readouterr().err
    assert list((tmp_path / "provisions").iterdir()) == []


def test_every_file_is_pinned_by_a_whole_sum(docs):
    import provisions

    sums = pinned(provisions)

    assert len(sums) == 29
    assert all(len(sum_) == 64 for sum_ in sums.values())


@pytest.mark.parametrize("fetched", [False, True], ids=["none", "all but one"])
def test_a_page_has_nothing_to_try_if_a_file_is_missing(docs, fetched):
    from pages import tryout
    from stingy.guarantees import fair

    if fetched:
        fetch(docs)
        (docs.parent / "provisions" / "python_stdlib.zip").unlink()

    assert list(tryout.section(fair, docs)) == []
    assert list(tryout.files(docs)) == []


def test_with_all_files_a_page_has_a_queue_to_try_and_what_runs_it(docs):
    from pages import tryout
    from stingy.guarantees import cancellation, delays, fair

    fetch(docs)

    assert "class WorkQueue:" in "".join(tryout.section(fair, docs))
    assert "class DelayingQueue(WorkQueue):" in "".join(tryout.section(delays, docs))
    assert "async def get(self):" in "".join(tryout.section(cancellation, docs))
    packed = dict(tryout.files(docs))
    assert packed.keys() > {"stingy.zip", "files.json", "worker.mjs", "pyodide.mjs"}
    assert dict(tryout.files(docs)) == packed, "the same each time"


def test_each_profile_has_code_to_start_with(docs):
    from pages import tryout
    from stingy.contract import PROFILES

    assert {*tryout.STARTS} == {*PROFILES}
    assert {path.stem for path in (docs / "starts").iterdir()} == {*tryout.PARTS, "almost"}
    assert {*tryout.PARTS} == set().union(*tryout.STARTS.values())


def test_the_packed_files_judge_without_an_installed_stingy(docs, tmp_path):
    from pages import tryout

    fetch(docs)
    (tmp_path / "stingy.zip").write_bytes(dict(tryout.files(docs))["stingy.zip"])
    start = (ROOT / "docs/starts/queue.py").read_text(encoding="utf-8")
    ask = (
        "import sys, zipfile, pathlib\n"
        f"zipfile.ZipFile({str(tmp_path / 'stingy.zip')!r}).extractall({str(tmp_path / 'packed')!r})\n"
        f"sys.path[:0] = [{str(tmp_path / 'packed')!r}, {str(tmp_path)!r}]\n"
        "import tryout\n"
        f"tryout.FOLDER = pathlib.Path({str(tmp_path)!r})\n"
        f"tryout.judge({start!r}, 'fair/*', 0, print)\n"
        f"assert all(it.__file__.startswith({str(tmp_path)!r}) for name, it in sys.modules.items() if name == 'stingy' or name.startswith('stingy.'))\n"
    )
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stdout.count('"verdict": "PASS"') == 4
    assert '"kind": "over"' in done.stdout
