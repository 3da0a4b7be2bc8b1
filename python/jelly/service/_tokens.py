"""Tokens: which client may do what with which logs."""

from __future__ import annotations

import base64
import binascii
import fnmatch
import hashlib
import hmac
import logging
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from jelly.service._problems import Problem

_LOG = logging.getLogger("jelly.service")
SCOPES = ("read", "publish", "admin")
RECHECK = 15
"""Seconds after which a stream that has nothing to send checks its token again."""
_DIGEST = re.compile(r"[0-9a-f]{64}|-")


class Token(NamedTuple):
    """A line of the tokens file: ``name sha256 scopes logs``."""

    name: str
    digest: str
    scopes: frozenset[str]
    logs: tuple[str, ...]

    def may(self, scope: str, log: str | None) -> bool:
        """Returns whether the token has a scope for a log; None: for all logs."""
        return scope in self.scopes and (
            log is None or any(fnmatch.fnmatchcase(log, one) for one in self.logs)
        )


def made(name: str, scopes: str = "read,publish", logs: str = "*") -> tuple[str, str]:
    """Returns a new token of 256 random bits, and its line for the file."""
    token = secrets.token_urlsafe(32)
    return token, f"{name} {hashlib.sha256(token.encode()).hexdigest()} {scopes} {logs}"


def parsed(path: Path) -> list[Token]:
    """Parses the tokens of a file.

    Raises:
        ValueError: The file is empty, as it is for a moment while it is written again; or a line is not ``name sha256
            scopes logs``. The error does not say what the line is, which may be a token.
        OSError: The file cannot be read.
    """
    found = []
    data = path.read_bytes()
    if not data:
        raise ValueError(f"{path}: the tokens file is empty; expected a line for each token, or a comment (#)")  # fmt: skip
    for number, line in enumerate(data.splitlines(), 1):
        words = line.decode(errors="replace").split()
        if not words or words[0].startswith("#"):
            continue
        scopes = frozenset(words[2].split(",")) if len(words) == 4 else frozenset()
        if len(words) != 4 or not _DIGEST.fullmatch(words[1]) or not scopes <= set(SCOPES):
            raise ValueError(f"{path}: line {number} of the tokens is not `name sha256 scopes logs`, with scopes from {', '.join(SCOPES)}")  # fmt: skip
        found.append(Token(words[0], words[1], scopes, tuple(words[3].split(","))))
    return found


class Tokens:
    """The tokens of a file, which is read again if it changes. While it cannot be read, there are no tokens.

    Raises:
        ValueError: A line is not valid.
        OSError: The file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: tuple[int, int, int] | None = None
        self._tokens: list[Token] = []
        self._failed = ""
        self._load()

    def _load(self) -> None:
        stat = self._path.stat()
        stamp = stat.st_mtime_ns, stat.st_size, stat.st_ino
        if stamp != self._stamp:
            self._tokens, self._stamp = parsed(self._path), stamp

    def read(self) -> list[Token]:
        """The tokens of the file as it is now.

        Raises:
            Problem: It cannot be read, or is not valid (503); the log of the server says why, once.
        """
        try:
            self._load()
        except (OSError, ValueError) as error:
            self._tokens, self._stamp = [], None
            failed, self._failed = self._failed, str(error)
            if failed != self._failed:
                _LOG.error("no request with a token is accepted until the tokens file is valid: %s", error)  # fmt: skip
            detail = "the server cannot read its tokens file, so it accepts no token; the log of the server says why"  # fmt: skip
            raise Problem(503, "tokens", detail, {"Retry-After": "5"}) from None
        self._failed = ""
        return self._tokens

    def refuse_revoked(self, token: Token | None) -> None:
        """Ends what goes on for a long time, once the line of its token is gone or was changed.

        Raises:
            Problem: It is (401), or the file cannot be read (503).
        """
        if token not in self.read():
            raise Problem(401, "token", "the token of this request is no longer valid, or its line was changed; send the request again")  # fmt: skip

    def named(self, name: str | None) -> Token:
        """Returns the line of a user named by a proxy; its hash is ``-``.

        Raises:
            Problem: There is no such line (401).
        """
        for token in self.read():
            if token.name == name and token.digest == "-":
                return token
        raise Problem(401, "token", "the proxy names a user that the tokens file does not have")

    def of(self, headers: Mapping[str, str], method: str) -> Token:
        """Returns the token of a request.

        Raises:
            Problem: The request has no valid token (401).
        """
        kind, _, given = headers.get("authorization", "").partition(" ")
        given = given.strip()
        if kind.lower() == "basic" and method in ("GET", "HEAD"):
            try:
                given = base64.b64decode(given, validate=True).decode().partition(":")[2]
            except (binascii.Error, UnicodeDecodeError):
                given = ""
        elif kind.lower() != "bearer":
            given = ""
        digest = hashlib.sha256(given.encode()).hexdigest()
        found = None
        for token in self.read():  # compare all tokens, so that the time reveals nothing
            if hmac.compare_digest(token.digest, digest):
                found = token
        if found is None or not given:
            ways = 'Bearer, Basic realm="jelly"' if method in ("GET", "HEAD") else "Bearer"
            raise Problem(401, "token", "a token is needed: Authorization: Bearer TOKEN", {"WWW-Authenticate": ways})  # fmt: skip
        return found
