"""``base.json`` and ``log.json`` of logs in remote storage, which record how the logs begin."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping

from jelly._log_files import BASE_JSON, LOG_JSON
from jelly.errors import JellyWarning
from jelly.storage import Place, has_file_system, resolve

Manifests = dict[str, tuple[bytes | None, bytes | None]]
# a longer file is not a manifest, and is rejected by the core
_MOST = (64 << 10) + 1


def manifests_of(sources: Iterable[str | None], storage: Mapping[str, str]) -> Manifests:
    """Reads the manifests of the remote folders of sources, on the driver.

    Args:
        sources: URIs of files; local files are ignored.
        storage: Options of the storage.

    Warns:
        JellyWarning: The driver cannot read the storage, so a missing first patch is not detected.
    """
    remote = {source for source in sources if source is not None and has_file_system(source)}
    found: Manifests = {}
    for folder in sorted({source.rpartition("/")[0] for source in remote}):
        try:
            place = resolve(folder, {name.lower(): value for name, value in storage.items()})
            found[folder] = _bytes(place.under(BASE_JSON)), _bytes(place.under(LOG_JSON))
        except OSError as error:
            message = (
                f"{BASE_JSON} and {LOG_JSON} of {folder} cannot be read, so a lost first patch "
                f"cannot be detected; set the options of the storage with storage= ({error})"
            )
            warnings.warn(message, JellyWarning, stacklevel=5)
    return found


def _bytes(place: Place) -> bytes | None:
    try:
        with place.fs.open_input_stream(place.path, compression=None) as file:
            return bytes(file.read(_MOST))
    except FileNotFoundError:
        return None
