"""The tokens file while the server runs."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

import jelly
from asgi import ask

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from jelly.service import app
from jelly.service._tokens import Tokens, made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    jelly.Log.create(tmp_path / "logs" / "x")
    return tmp_path / "logs"


@pytest.mark.parametrize(
    ("broken", "line"),
    [
        (b"hush", 2),
        (b"name hush read", 2),
        (b"\n\n  a b c d", 4),
        (b"name \xe9\xff read *", 2),
        (b"x " + b"0" * 64 + b" read,all *", 2),
        (b"", None),
        (None, None),
    ],
)
def test_a_damaged_file_lets_nobody_in_and_says_so(root: Path, tmp_path: Path, broken: bytes | None, line: int | None, caplog: pytest.LogCaptureFixture) -> None:  # fmt: skip
    token, good = made("a", "read,publish,admin")
    file = tmp_path / "tokens"
    file.write_text(good)
    served = app(root, tokens=file)
    by = {"authorization": f"Bearer {token}"}
    assert ask(served, "GET", "/x", **by).status == 200  # type: ignore[arg-type]
    caplog.set_level(logging.WARNING)
    for _ in range(2):
        if broken is None:
            file.unlink()
        elif not broken:  # someone is about to write it
            file.write_bytes(b"")
        else:
            file.write_bytes(good.encode() + b"\n" + broken)
        caplog.clear()
        for path in ("/x", "/x", "/-/metrics", "/-/ready"):
            reply = ask(served, "GET", path, b"", **by)
            assert (reply.status, reply.kind) == (503, "tokens"), path
            assert reply.headers["content-type"] == "application/problem+json"
            assert str(tmp_path).encode() not in reply.body
        assert ask(served, "GET", "/x").status == 503
        assert ask(served, "GET", "/-/health").status == 200
        (record,) = caplog.records
        assert str(file) in record.getMessage()
        assert line is None or f"line {line} " in record.getMessage()
        assert "hush" not in caplog.text
        assert "Traceback" not in caplog.text
        file.write_text(f"  # a comment\n#\n\n{good}\n")
        assert ask(served, "GET", "/x", **by).status == 200  # type: ignore[arg-type]
        assert ask(served, "GET", "/-/ready").status == 200


def test_a_file_that_is_damaged_from_the_beginning(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text("name hush read\n")
    with pytest.raises(ValueError, match=r"tokens: line 1 of the tokens is not"):
        Tokens(file)


def test_a_file_that_takes_the_place_is_read(tmp_path: Path) -> None:
    """Another file of the same size and time is another file."""
    import os

    lines = [made("a")[1], made("a")[1]]
    for name, line in zip(("tokens", "other"), lines, strict=True):
        (tmp_path / name).write_text(line)
        os.utime(tmp_path / name, ns=(10**18, 10**18))
    tokens = Tokens(tmp_path / "tokens")
    (tmp_path / "other").replace(tmp_path / "tokens")
    assert [one.digest for one in tokens.read()] == [lines[1].split()[1]]
