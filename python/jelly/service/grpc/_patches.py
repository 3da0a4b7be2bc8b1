"""``PatchLog``: Describe, Subscribe and Publish, over the logs of the folder."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import grpc

from jelly._frames import length_of
from jelly._inputs import number_or_id
from jelly._readers import read_patch
from jelly._whole_file import work_folder
from jelly._writers import PatchWriter
from jelly.errors import PatchError
from jelly.grpc._wire import (
    MOST,
    Fields,
    Frames,
    info_message,
    patch_subscribe_of,
    published_message,
)
from jelly.log import Published
from jelly.log._folder import FolderLog
from jelly.log._followed import Followed
from jelly.log._joined import is_part
from jelly.log._patch import ROW
from jelly.service._limits import Limits
from jelly.service._logs import Logs
from jelly.service._problems import Problem, problem_of
from jelly.service._rules import check_publisher, publisher_of, read_patch_of
from jelly.service.grpc._calls import Calls, met, metadata_of, whole
from jelly.service.grpc._followers import FOLLOWS, Followers, Sent, Wait
from jelly.types import PatchOptions


class Patches:
    """The methods of the service."""

    def __init__(
        self,
        calls: Calls,
        logs: Logs,
        limits: Limits,
        followers: Followers,
        *,
        require_condition: bool,
        record_publisher: bool,
    ) -> None:
        self._calls, self._logs, self._limits = calls, logs, limits
        self._followers = followers
        self._requires, self._records = require_condition, record_publisher

    def methods(self) -> dict[str, Any]:
        """Returns the handlers by name; messages are bytes."""
        return {
            "Describe": grpc.unary_unary_rpc_method_handler(self._describe),
            "Subscribe": self._followers.handler(self._subscribe),
            "Publish": grpc.stream_unary_rpc_method_handler(self._publish),
        }

    def _describe(self, message: bytes, context: Any) -> bytes:
        with self._calls.call(context, "Describe", publishes=False):
            try:
                name = Fields(message).text(1)
            except ValueError as error:
                raise Problem(400, "message", str(error)) from None
            self._calls.allow(context, "read", name)
            return info_message(self._logs.get(name).info()._replace(name=name))
        raise AssertionError

    def _subscribe(self, message: bytes, context: Any) -> Sent:
        with self._calls.call(context, "Subscribe", publishes=False):
            try:
                asked = patch_subscribe_of(message)
            except ValueError as error:
                raise Problem(400, "message", str(error)) from None
            token = self._calls.allow(context, "read", asked.log)
            options, fits = met(PatchOptions(), asked.options)
            log = self._logs.get(asked.log)
            followed = Followed(asked.log)
            log.look(followed)
            guard = log.guard(asked.after, asked.upto or None)
            paths = log.paths(asked.after, asked.upto or None)
            _refuse_fork(log, asked.after, asked.after_id)
            if asked.follow and not asked.upto:
                yield FOLLOWS

            def sent() -> Sent:
                for path in paths:
                    yield from guard.each(_frames(path, options, fits=fits))
                at = asked.after + len(paths)
                while asked.follow and not asked.upto and context.is_active():
                    self._calls.check_open()
                    for version in log.watch_on(at, 0, followed):
                        one = log.guard(version.version - 1, version.version)
                        path = log.path(version.version)
                        yield from one.each(_frames(path, options, fits=fits))
                        at = version.version
                        self._calls.check_open()
                    seen = followed.seen
                    yield Wait((asked.log, seen), partial(log.has_moved, seen))

            yield from self._calls.while_valid(token, sent())

    def _publish(self, messages: Iterator[bytes], context: Any) -> bytes:
        with self._calls.call(context, "Publish", publishes=True):
            metadata = metadata_of(context)
            name = metadata.get("jelly-log", "")
            token = self._calls.allow(context, "publish", name)
            messages = self._calls.while_valid(token, whole(messages, context))
            more = publisher_of(token) if self._records else {}
            log = self._logs.get(name)
            asked = metadata.get("jelly-expect")
            expect = None if asked is None else number_or_id(asked)
            with work_folder(self._logs.root) as work:
                return published_message(self._published(log, messages, work, expect, more))
        raise AssertionError

    def _published(
        self,
        log: FolderLog,
        messages: Iterator[bytes],
        work: Path,
        expect: Any,
        more: dict[str, str],
    ) -> Published:
        body = work / "body"
        with body.open("wb") as file:
            for message in messages:
                self._calls.check_open()
                file.write(length_of(message) + message)
                if file.tell() > self._limits.body:
                    raise Problem(413, "body", f"the patch has more than {self._limits.body} bytes; publish it in pieces")  # fmt: skip
        try:
            found = read_patch_of(log, lambda: log.prepared(
                body, work, more, "jelly-patch", compression="none", framing="delimited",
                limits=self._limits.of_bodies,
            ))  # fmt: skip
            check_publisher(more, found)
            if self._requires and expect is None and not found.summary.prev:
                raise Problem(428, "condition", "a condition is required: jelly-expect, or H prev")
            return log.publish_prepared(found, expect)
        except PatchError as error:
            problem = problem_of(error, publishes=True)
            if problem.kind in ("patch.conflict", "patch.duplicate"):
                problem.more["head"] = log.head
            raise problem from None


def _refuse_fork(log: FolderLog, after: int, id: str) -> None:
    """Rejects a subscriber that has another patch at its version."""
    if not id:
        return
    found = next(log.versions(after - 1, after)).id if after else None
    if found != id:
        raise Problem(
            409, "patch.fork", f"version {after} is {found}, not {id}: this is another log"
        )


def _frames(path: Path, options: PatchOptions, *, fits: bool) -> Iterator[bytes]:
    """Yields a patch as messages: the stored bytes, if they have the form that logs store and fit the client."""
    if fits and is_part(path):
        with path.open("rb") as file:
            if path.stat().st_size <= MOST or all(len(one) <= MOST for one in Frames(file).upto()):
                file.seek(0)
                yield from Frames(file).upto()
                return
    with tempfile.TemporaryFile() as spool:
        with closing(read_patch(path, columns=ROW)) as reader, PatchWriter(spool, format="jelly-patch", options=options, frame_rows=64) as writer:  # fmt: skip
            writer.write(reader)
        spool.seek(0)
        yield from Frames(spool).upto()
