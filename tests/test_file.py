"""A file is written whole or not at all, and keeps its kind and permissions."""

import errno
import os
import stat
from importlib import import_module
from pathlib import Path

import pytest

from stingy.guarantees import all_rules
from stingy.judging import baseline
from stingy.judging.trial import make_verdict
from stingy.judging.verdict import Evidence, Finding
from stingy.process import file
from stingy.process.file import claim, put
from stingy.reports import FORMATS, Report, badge, write
from stingy.request import Request

YESTERDAY = "yesterday's"


def outcome():
    rule = all_rules()["fair/first-come-first-served"]
    return Report(
        "1", Request("x", seed=1), "", "", "", [make_verdict(rule, None, Finding.PASS, Evidence.TIMED)]
    )


def names(folder):
    return [path.name for path in folder.iterdir()]


@pytest.mark.parametrize("name", FORMATS)
def test_a_fault_while_rendering_leaves_the_old_report(name, tmp_path, monkeypatch):
    report = tmp_path / "report"
    report.write_text(YESTERDAY)

    def half(outcome, out):
        out.write("half of ")
        raise ZeroDivisionError

    monkeypatch.setattr(import_module(f"stingy.reports.{name}"), "write", half)
    with pytest.raises(ZeroDivisionError):
        write(f"{name}={report}", outcome())
    assert report.read_text() == YESTERDAY
    assert names(tmp_path) == ["report"]


def full(beside, place):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    ("text", "fault", "error"),
    [("x" * 100_000 + "\ud800", None, UnicodeEncodeError), ("today's", full, OSError)],
    ids=["cannot be encoded", "full disk"],
)
def test_a_fault_while_writing_leaves_the_old_file(tmp_path, monkeypatch, text, fault, error):
    path = tmp_path / "report"
    path.write_text(YESTERDAY)
    if fault:
        monkeypatch.setattr(file, "_make_like", fault)
    with pytest.raises(error):
        put(path, text)
    assert path.read_text() == YESTERDAY
    assert names(tmp_path) == ["report"]


def test_a_file_keeps_its_permissions_and_a_new_one_has_the_usual_ones(tmp_path):
    known, new, usual = tmp_path / "known", tmp_path / "new", tmp_path / "usual"
    known.write_text(YESTERDAY)
    known.chmod(0o604)
    usual.touch()
    put(known, "today's")
    put(new, "today's")
    assert (known.read_text(), stat.S_IMODE(known.stat().st_mode)) == ("today's", 0o604)
    assert (new.read_text(), new.stat().st_mode) == ("today's", usual.stat().st_mode)


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "reports").mkdir()
    link, place = tmp_path / "link", tmp_path / "reports" / "place"
    link.symlink_to(place)
    for text in ("first", "second"):
        put(link, text)
        assert link.is_symlink()
        assert place.read_text() == text


def test_a_pipe_is_written_to(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    write(f"json={path}", outcome())
    assert b'"schema"' in os.read(reader, 1 << 16)
    os.close(reader)
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_pipe_that_nobody_reads_is_refused_before_anything_is_judged(stingy, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    done = stingy("run", "--rule", "fair/*", "--report", "json=pipe")
    assert (done.returncode, done.stdout) == (4, "")
    says = "the report cannot be written to pipe: nobody reads from this pipe, so start its reader first"
    assert says in " ".join(done.stderr.split())
    with pytest.raises(OSError, match="nobody reads from this pipe"):
        put(tmp_path / "pipe", "text")


def test_the_reader_of_a_pipe_sees_no_end_before_the_report(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    claim(path)
    with pytest.raises(BlockingIOError):
        os.read(reader, 1)
    put(path, "text")
    assert os.read(reader, 10) == b"text"
    assert os.read(reader, 10) == b""
    os.close(reader)


def test_dev_null_stays_a_device():
    write("json=/dev/null", outcome())
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_the_summary_of_a_job_is_appended_to(tmp_path, monkeypatch):
    summary = tmp_path / "summary"
    summary.write_text("## What came before\n\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    write(f"markdown={summary}", outcome())
    assert summary.read_text().startswith("## What came before\n\n### ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_file_in_a_read_only_folder_is_written_in_place(tmp_path):
    path = tmp_path / "report"
    path.write_text(YESTERDAY)
    tmp_path.chmod(0o555)
    put(path, "today's")
    tmp_path.chmod(0o755)
    assert path.read_text() == "today's"


def test_an_unwritable_baseline_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(baseline.BaselineError, match="cannot be written"):
        baseline.write(tmp_path / "none" / "b.json", [], reason="", issue="", expires=None)


def test_a_baseline_is_written_like_any_other_file(tmp_path, monkeypatch):
    written = []
    monkeypatch.setattr(baseline, "put", lambda path, text: written.append(path))
    baseline.write(tmp_path / "b.json", [], reason="", issue="", expires=None)
    assert (written, names(tmp_path)) == ([tmp_path / "b.json"], [])


def test_a_fault_in_one_badge_leaves_them_all(tmp_path, monkeypatch):
    (tmp_path / "queue.json").write_text(YESTERDAY)
    rules = all_rules()
    verdicts = [
        make_verdict(rules[id_], None, Finding.PASS)
        for id_ in ("fair/first-come-first-served", "drain/it-waits-for-what-is-in-processing")
    ]
    first, made = badge._badge, []

    def breaks(*args):
        made.append(args)
        if len(made) > 1:
            raise ZeroDivisionError
        return first(*args)

    monkeypatch.setattr(badge, "_badge", breaks)
    with pytest.raises(ZeroDivisionError):
        write(f"badge={tmp_path}", Report("1", Request("x", seed=1), "", "", "", verdicts))
    assert (tmp_path / "queue.json").read_text() == YESTERDAY


def test_a_loop_of_links_is_an_os_error(tmp_path):
    """Some Pythons raise another exception for such a loop; a command exits with 4 for OSErrors only."""
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="symbolic links"):
        put(loop, "text")
