"""A file that the user names is read to its end or refused in a sentence, whatever it is."""

import os
from pathlib import Path

import pytest

from stingy import settings
from stingy.judging import baseline
from stingy.judging.baseline import BaselineError
from stingy.process import reading
from stingy.process.reading import read_whole
from stingy.reports import ReportError, json
from stingy.settings import SettingsError
from stingy_kata import schedule

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")


@pytest.fixture
def pipe(tmp_path):
    """A pipe with a name; what it is not given at once does not come."""
    os.mkfifo(made := tmp_path / "pipe")
    return made


@pytest.fixture(autouse=True)
def strict(monkeypatch):
    monkeypatch.setattr(reading, "LARGEST", 1 << 20)
    monkeypatch.setattr(reading, "SILENCE", 0.0)


@pytest.mark.parametrize("size", [0, 1, 1 << 20])
def test_a_file_is_read_whole(tmp_path, size):
    file = tmp_path / "file"
    file.write_bytes(b"\r" * size)
    assert read_whole(file) == b"\r" * size


def test_a_file_that_is_too_large_is_refused(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"x" * ((1 << 20) + 1))
    with pytest.raises(OSError, match="it has more than 1 MB"):
        read_whole(file)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no such device")
def test_a_device_without_end_is_refused(tmp_path):
    (tmp_path / "file").symlink_to("/dev/zero")
    with pytest.raises(OSError, match="it has more than 1 MB"):
        read_whole(tmp_path / "file")


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(OSError):
        read_whole(tmp_path)


@needs_pipes
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(pipe):
    with pytest.raises(OSError, match="nothing has been written to it for 0 s"):
        read_whole(pipe)


@needs_pipes
def test_a_pipe_is_read_until_its_writer_closes_it(pipe):
    ours = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # otherwise there would be nobody to write for
    writer = os.open(pipe, os.O_WRONLY)
    os.write(writer, b"x" * 10_000)
    os.close(writer)
    assert read_whole(pipe) == b"x" * 10_000
    os.close(ours)


@needs_pipes
@pytest.mark.parametrize(
    ("read", "error"),
    [
        (baseline.load, BaselineError),
        (json.read, ReportError),
        (lambda file: schedule.find_plan(str(file)), ValueError),
    ],
    ids=["baseline", "report", "plan"],
)
def test_each_reader_of_a_users_file_refuses_a_silent_pipe(pipe, read, error):
    file = pipe.rename(pipe.with_suffix(".toml"))
    with pytest.raises(error, match="cannot be read: nothing has been written to it"):
        read(file)


def test_settings_that_are_too_large_are_refused(tmp_path):
    (tmp_path / "pyproject.toml").write_bytes(b"#" * ((1 << 20) + 1))
    with pytest.raises(SettingsError, match="cannot be read: it has more than 1 MB"):
        settings.load(tmp_path)
