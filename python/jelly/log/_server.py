"""A log on a server: the same methods over HTTP."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Unpack

from jelly import _internal
from jelly._apply import Applied, applied
from jelly._base_json import digest_of
from jelly._convert import convert
from jelly._http import PASSES, Address, Answer
from jelly._inputs import refuse_bool
from jelly._internal import PatchReader
from jelly._log_files import BASE_JSON
from jelly._log_patches import DATA, PATCH, Patches, data_at, patches_after, patches_at
from jelly._option_types import DatasetOptions
from jelly._patching import keywords
from jelly._readers import read_patch
from jelly._whole_file import sync_file, written_json
from jelly.errors import PatchError
from jelly.log._begin import BASE, is_nothing, no_base, with_digest
from jelly.log._followed import Followed, watched, watched_from
from jelly.log._log import Log
from jelly.log._patch import base_id, prepared, refuse_range
from jelly.log._types import Compacted, Head, LogInfo, LogVersion, Published, WrittenPatch, time_of
from jelly.types import Destination, PatchFormat, Source

# time in seconds for which a publish is repeated, with the same id
_TRIES = 30.0


class ServerLog(Log):
    """A log on a server."""

    def _open(self, storage: Mapping[str, Any] | None) -> None:
        del storage  # a server has no storage options
        self._at = Address.of_log(self.place, self._token)

    def _json(self, path: str = "", **query: Any) -> Any:
        with self._at.open("GET", path, query, {"Accept": "application/json"}) as answer:
            return json.loads(answer.read())

    def info(self) -> LogInfo:
        said = self._json()
        return LogInfo._make([
            said["name"], said["id"], Head(**said["head"]), said["first"], said["base"],
            said["format"], time_of(said["created"]), said.get("statements"),
        ])  # fmt: skip

    def _publish(
        self, patch: Source, expect: int | str | None, more: Mapping[str, str], format: PatchFormat
    ) -> Published:
        with tempfile.TemporaryDirectory() as folder:
            found = prepared(patch, Path(folder), more, format)
            return self._sent(found.path, expect)

    def _sent(self, body: Path, expect: int | str | None) -> Published:
        """Sends a patch, which has an id, and repeats this until the server answers: for half a minute."""
        until, wait = time.monotonic() + _TRIES, 0.05
        while True:
            try:
                with self._at.open("POST", "", {"expect": expect}, {"Content-Type": PATCH}, body) as answer:  # fmt: skip
                    said = json.loads(answer.read())
                return Published(said["version"], said["id"], said["prev"], None, said["replayed"])
            except PASSES:
                if time.monotonic() > until:
                    raise
                time.sleep(wait)
                wait = min(2 * wait, 2)

    def versions(self, after: int = 0, upto: int | None = None) -> Iterator[LogVersion]:
        refuse_bool("after", after)
        refuse_bool("upto", upto)
        answer = self._at.open("GET", "/versions", {"after": after, "upto": upto})
        return map(_version, answer.lines())

    def read(self, after: int = 0, upto: int | None = None, **options: Any) -> PatchReader[Any]:
        return read_patch(self._range(after, upto).pieces(), **options)

    def _range(self, after: int, upto: int | None) -> Answer:
        refuse_bool("after", after)
        refuse_bool("upto", upto)
        return self._at.open("GET", "/patches", {"after": after, "upto": upto}, {"Accept": PATCH})

    def _one(self, version: int | str) -> Answer:
        refuse_bool("version", version)
        path, query = (f"/patches/{version}", {}) if isinstance(version, int) else ("/patches", {"id": version})  # fmt: skip
        return self._at.open("GET", path, query, {"Accept": PATCH})

    def fetch(self, version: int | str, dest: Destination, *, to: WrittenPatch = "auto") -> LogVersion:  # fmt: skip
        """Writes one patch; see :meth:`Log.fetch`."""
        with self._one(version) as answer:
            number = int(answer.header("jelly-version"))
            convert(answer.pieces(), dest, to=to, format="jelly-patch")
        with closing(self._at.open("GET", "/versions", {"after": number - 1, "upto": number})) as found:  # fmt: skip
            return next(map(_version, found.lines()))

    def watch(self, after: int | None = None, timeout: float | None = None) -> Iterator[LogVersion]:
        at = watched_from(self, after)
        followed, tag = Followed(self.place), ""

        def look() -> int:
            nonlocal tag
            tag, id, head = self._tag()
            followed.check(id, head)
            return head.version

        def wait(left: float) -> None:
            asked = {"If-None-Match": tag, "Prefer": f"wait={max(1, int(min(left, 30)))}"}
            self._at.open("GET", "", None, asked).close()

        yield from watched(self.versions, at, timeout, look, wait)

    def _tag(self) -> tuple[str, str | None, Head]:
        with self._at.open("GET") as answer:
            said = json.loads(answer.read())
            return answer.header("etag"), said["id"], Head(**said["head"])

    def dataset(
        self, dest: Destination, version: int | str | None = None, **options: Unpack[DatasetOptions]
    ) -> Applied:
        info = self.info()
        if info.base is None:
            raise no_base(self.place)
        given = keywords("dataset", options, "dataset", "log", "result_rdf")
        empty = info.base == "empty"
        given |= {"base_format": "nq" if empty else "jelly"}
        if isinstance(version, str):
            version = self._state_of(version, info)
        elif version is not None and version < info.first - 1:
            refuse_range(version, version, info.first, info.head.version, self.place)
        if version is not None:
            given["version"] = version
        log = Patches.of(
            patches_after(self._at, info.first - 1, info.head.version), info.first, info.head
        )
        with closing(data_at(self._at, info.first - 1)) as base:
            return applied(b"" if empty else base, log, dest, given, None)

    def _state_of(self, id: str, info: LogInfo) -> int | str:
        """Returns the version with an id, if its dataset can be made; its number, if the log begins with it."""
        identity, base = _internal.identify(id)[1], base_id(info, self.versions)
        if base is not None and _internal.identify(base)[1] == identity:
            return info.first - 1
        self.known(identity)  # rejects a version that is gone
        return id

    def compact(self, upto: int | str) -> Compacted:
        refuse_bool("upto", upto)
        with self._at.open("POST", "/compact", {"upto": upto}) as answer:
            return Compacted(**json.loads(answer.read()))

    def known(self, identity: str | None) -> tuple[int, str] | None:
        if identity is None:
            return None
        try:
            with self._one(identity) as answer:
                return int(answer.header("jelly-version")), answer.header("jelly-digest")
        except PatchError as error:
            if error.kind == "patch.version":
                return None
            raise

    def _create(self, base: Source | None, base_format: Any) -> None:
        if base is None or is_nothing(base):
            # with the type of a base, no content is an empty base
            self._at.open("PUT", headers={} if base is None else {"Content-Type": DATA}).close()
            return
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            given, _ = with_digest(base, work)
            body = work / "base.jelly"
            convert(given, body, to="jelly", format=base_format, namespaces=True)
            self._at.open("PUT", "", None, {"Content-Type": DATA}, body).close()

    def _digest(self, version: int) -> str:
        with self._one(version) as answer:
            return answer.header("jelly-digest")

    def _chain(self, version: int) -> str | None:
        with self._at.open("GET", f"/patches/{version}", {"chain": 1}, {"Accept": PATCH}) as answer:
            return answer.header("jelly-chain") or None

    def _stored(self, version: int, path: Path) -> None:
        with self._one(version) as answer, path.open("wb") as file:
            for piece in answer.pieces():
                file.write(piece)
        sync_file(path)

    def _stored_ending(self) -> str:
        return ".jellyp"

    def _each(self, after: int, sizes: Sequence[int]) -> Generator[tuple[Any, PatchFormat]]:
        if not sizes:
            return
        with self._range(after, after + len(sizes)) as answer:
            # the sizes match the parts of the answer only if the patches are sent as they are stored
            is_stored = answer.header("content-length") == str(sum(sizes))
            for size in sizes if is_stored else ():
                part = answer.part(size)
                yield part, "jelly-patch"
                for _ in part:  # read to the beginning of the next patch
                    pass
        if not is_stored:
            for version in range(after + 1, after + len(sizes) + 1):
                yield self._one(version).pieces(), "jelly-patch"

    def _copy_base(self, work: Path) -> str:
        info = self.info()
        with closing(data_at(self._at, info.first - 1)) as plain:
            done = applied(plain, b"", work / BASE, {"base_format": "jelly", "to": "jelly"}, None)
        sync_file(work / BASE)
        said: dict[str, Any] = {
            "base": BASE,
            "digest": digest_of(work / BASE),
            "statements": done.statements,
            "version": info.first - 1,
        }
        if (id := base_id(info, self.versions)) is not None:
            said["id"] = id
        written_json(work / BASE_JSON, said | {"timestamp": str(info.created)})
        return BASE

    def _source(self) -> Any:
        return patches_at(self._at)


def _version(said: dict[str, Any]) -> LogVersion:
    headers = tuple((key, value) for key, value in said["headers"])
    return LogVersion(**{**said, "time": time_of(said["time"]), "headers": headers})
