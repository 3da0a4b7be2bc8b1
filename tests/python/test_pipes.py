"""Datasets and patches that come through pipes, which can be read once."""

import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import jelly

OLD = b'<a:s> <a:p> "1" .\n'
PATCH = b'TX .\nD <a:s> <a:p> "1" .\nA <a:s> <a:p> "2" .\nTC .\n'


@pytest.fixture
def pipe() -> Iterator[Callable[[bytes], str]]:
    """Makes paths of pipes, as ``<(command)`` of a shell does."""
    opened: list[int] = []

    def make(data: bytes) -> str:
        read, write = os.pipe()
        opened.append(read)
        with os.fdopen(write, "wb") as file:
            file.write(data)
        return f"/dev/fd/{read}"

    if not Path("/dev/fd").exists():
        pytest.skip("this system has no /dev/fd")
    yield make
    for fd in opened:
        os.close(fd)


def test_each_of_two_pipes_is_read(pipe: Callable[[bytes], str]) -> None:
    out = io.BytesIO()
    done = jelly.apply(pipe(OLD), pipe(PATCH), out, to="nq")
    assert (done.base, done.deleted, out.getvalue()) == (1, 1, b'<a:s> <a:p> "2" .\n')


def test_a_pipe_in_two_places_is_refused(pipe: Callable[[bytes], str], tmp_path: Path) -> None:
    dataset, log = pipe(OLD), pipe(PATCH)
    calls: list[Callable[[], object]] = [
        lambda: jelly.diff(dataset, dataset, tmp_path / "out.rdfp"),
        lambda: jelly.diff(dataset, f"file://{dataset}", tmp_path / "out.rdfp"),
        lambda: jelly.apply(log, log, tmp_path / "out.nq"),
        lambda: jelly.squash([log, Path(log)], tmp_path / "out.rdfp"),
        lambda: jelly.verify_log([log, log]),
    ]
    for call in calls:
        with pytest.raises(
            ValueError, match="a pipe can be read only once, but the same pipe is given twice"
        ):
            call()
    assert not [*tmp_path.iterdir()]


def test_a_staged_dataset_does_not_come_through_a_pipe(pipe: Callable[[bytes], str]) -> None:
    with pytest.raises(ValueError, match="is a pipe, but base is read twice"):
        jelly.stage(pipe(OLD), PATCH)
    staged = jelly.stage(OLD, pipe(PATCH))
    assert (staged.ok, staged.before, staged.after, staged.deleted) == (True, 1, 1, 1)


@pytest.mark.parametrize("names", [("-", "/dev/stdin"), ("/dev/stdin", "/dev/fd/0")])
def test_other_names_of_standard_input_are_known(names: tuple[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "jelly", "diff", *names], input=OLD, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"a pipe can be read only once" in done.stderr
