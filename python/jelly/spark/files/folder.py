"""Folders of files for any program: the files appear as atomically as the storage allows."""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jelly.spark.files import manifest
from jelly.spark.files.commits import FOLDER
from jelly.storage import Place

if TYPE_CHECKING:
    import pyarrow.fs as pafs

_AT_FDCWD, _EXCHANGE = -100, 2


@dataclass(frozen=True, slots=True)
class Publication:
    """Files that are to appear in a folder."""

    place: Place
    job: str
    staging: str
    """Path of the folder that tasks write to."""
    overwrite: bool
    is_whole: bool
    """Whether the staging folder itself is renamed to the folder."""

    @classmethod
    def of(cls, place: Place, *, append: bool, overwrite: bool) -> Publication:
        """Begins a publication, and creates its staging folder.

        Raises:
            OSError: The folder cannot be created.
        """
        job = manifest.new_job()
        if place.can_rename and not append:
            parent, _, name = place.path.rstrip("/").rpartition("/")
            staging = f"{parent}/.{name}.{job}"
        else:
            staging = place.under(f"{FOLDER}/{job}").path
        if place.can_rename:
            place.fs.create_dir(staging)
        return cls(place, job, staging, overwrite, is_whole=place.can_rename and not append)

    def publish(self, names: Sequence[str]) -> None:
        """Makes files appear; deletes other files in the staging folder, which come from lost attempts.

        Raises:
            OSError: A file cannot be moved.
        """
        if self.is_whole:
            self._become(names)
        else:
            self._move(names)

    def discard(self) -> None:
        """Deletes the files that tasks have written."""
        with suppress(FileNotFoundError):
            self.place.fs.delete_dir(self.staging)

    def _become(self, names: Sequence[str]) -> None:
        fs, path = self.place.fs, self.place.path
        kept = {f"{self.staging}/{name}" for name in names}
        for info in _files(fs, self.staging):
            if info.path not in kept:
                fs.delete_file(info.path)
        _succeed(fs, self.staging)
        if fs.type_name == "local":
            _replace(self.staging, path)
            return
        aside = f"{self.staging}.old"
        there = fs.get_file_info(path).type.name == "Directory"
        if there:
            fs.move(path, aside)
        fs.move(self.staging, path)
        if there:
            fs.delete_dir(aside)

    def _move(self, names: Sequence[str]) -> None:
        fs, path = self.place.fs, self.place.path
        old = _files(fs, path) if self.overwrite else []
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda name: fs.move(f"{self.staging}/{name}", f"{path}/{name}"), names))
        if self.overwrite:
            for info in old:
                if not manifest.is_inside(info.path, path):
                    fs.delete_file(info.path)
        _succeed(fs, path)
        self.discard()


def _files(fs: pafs.FileSystem, folder: str) -> list[Any]:
    import pyarrow.fs as pafs

    selector = pafs.FileSelector(folder, recursive=True, allow_not_found=True)
    return [info for info in fs.get_file_info(selector) if info.is_file]


def _succeed(fs: pafs.FileSystem, folder: str) -> None:
    with fs.open_output_stream(f"{folder}/_SUCCESS", compression=None) as file:
        file.write(b"")


def _replace(new: str, path: str) -> None:
    """Replaces a folder by another one, atomically if the system can exchange two names."""
    there = Path(path).is_dir()
    if not there or not any(Path(path).iterdir()):
        Path(new).rename(path)  # also replaces an empty folder
        return
    if not _exchanged(new, path):
        aside = f"{new}.old"
        Path(path).rename(aside)
        Path(new).rename(path)
        new = aside
    shutil.rmtree(new)


def _exchanged(one: str, other: str) -> bool:
    """Exchanges two names; returns whether the system did so."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    names = os.fsencode(one), os.fsencode(other)
    return bool(rename(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _EXCHANGE) == 0)
