"""The files of a topic: ``000000000042.jelly`` begins after 42 frames of the topic.

Each file is a stream of this library's writer, with a mark at its start and without a footer, so the files can be
concatenated to one stream. If a file was published as a whole, its name ends with a digest of its ``publish_id``.
"""

from __future__ import annotations

import hashlib
import os
import re
import uuid
from pathlib import Path
from typing import NamedTuple

from jelly import _internal
from jelly._frames import length_of
from jelly._whole_file import sync_folder
from jelly.errors import JellyError
from jelly.grpc._wire import Frames
from jelly.service._problems import Problem

_NAME = re.compile(r"(\d{12})(?:-([0-9a-f]{32}))?\.jelly")


class Segment(NamedTuple):
    """A file of a topic.

    Attributes:
        first: Number of frames of the topic before the file.
        digest: Digest of the ``publish_id``, if one call published the file as a whole; otherwise empty.
        path: The file.
    """

    first: int
    digest: str
    path: Path


def identity_of(folder: Path) -> str:
    """Returns the id of a topic, from the name of its file ``id-…``; a topic that is created again has another id."""
    if (found := next(folder.glob("id-*"), None)) is None:
        found = folder / f"id-{uuid.uuid4().hex}"
        found.touch()
        sync_folder(folder)
    return found.name.removeprefix("id-")


def id_digest(publish_id: str) -> str:
    """Returns the digest of a ``publish_id`` for file names."""
    return hashlib.sha256(publish_id.encode()).hexdigest()[:32]


def path_of(folder: Path, first: int, digest: str = "") -> Path:
    """Returns the path of a segment."""
    return folder / (f"{first:012}" + (f"-{digest}" if digest else "") + ".jelly")


def segments_of(folder: Path) -> list[Segment]:
    """Returns the segments of a topic, in order."""
    return sorted(
        Segment(int(match[1]), match[2] or "", path)
        for path in folder.iterdir()
        if (match := _NAME.fullmatch(path.name))
    )


def recovered(segment: Segment) -> tuple[int, int]:
    """Returns frames and bytes of the last segment; sets aside a part that a killed server left incomplete.

    Complete frames count, and are on disk afterwards.

    Raises:
        Problem: The segment was published as a whole, and is damaged.
    """
    relay = _internal.RdfRelay()
    frames = good = 0
    with segment.path.open("rb+") as file:
        size = os.fstat(file.fileno()).st_size
        try:
            for frame in Frames(file).upto():
                relay.push(frame)
                frames += 1
                good += len(length_of(frame)) + len(frame)
        except JellyError as error:
            if segment.digest:
                raise Problem(500, "topic", f"{segment.path} is damaged: {error}") from None
        if good < size:
            file.seek(good)
            aside = segment.path.with_suffix(f".torn-{size}")
            aside.write_bytes(file.read())
            file.truncate(good)
        os.fsync(file.fileno())
    if not frames:
        segment.path.unlink()
    sync_folder(segment.path.parent)
    return frames, good
