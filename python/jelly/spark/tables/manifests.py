"""How logs in remote storage and on servers begin, as ``base.json`` and ``log.json`` record it."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping

from jelly._log_files import BASE_JSON, LOG_JSON, NAME
from jelly.errors import JellyWarning
from jelly.storage import Place, has_file_system, resolve

Manifests = dict[str, tuple[bytes | None, bytes | None]]
# a longer file is not a manifest, and is rejected by the core
_MOST = (64 << 10) + 1


def manifests_of(sources: Iterable[str | None], storage: Mapping[str, str]) -> Manifests:
    """Reads the manifests of the remote folders of sources, on the driver; a server describes its log instead.

    Args:
        sources: URIs of files, or of patches as ``jelly-log`` names them; local files are ignored.
        storage: Options of the storage.

    Warns:
        JellyWarning: The driver cannot reach the storage or the server, so a missing first patch is not detected.
    """
    remote = {source for source in sources if source is not None and _is_remote(source)}
    found: Manifests = {}
    for folder in sorted({source.rpartition("/")[0] for source in remote}):
        is_stored = has_file_system(folder)
        try:
            found[folder] = _stored(folder, storage) if is_stored else _served(folder)
        except OSError as error:
            if is_stored:
                what = f"{BASE_JSON} and {LOG_JSON} of {folder} cannot be read"
                advice = "; set the options of the storage with storage="
            else:
                what, advice = f"the log {folder} cannot be reached", ""
            message = f"{what}, so a lost first patch cannot be detected{advice} ({error})"
            warnings.warn(message, JellyWarning, stacklevel=5)
    return found


def _is_remote(source: str) -> bool:
    return has_file_system(source) or _is_patch_on_server(source)


def _is_patch_on_server(source: str) -> bool:
    """Whether it is the source that ``jelly-log`` gives to a patch on a server; no other address is requested."""
    name = NAME.fullmatch(source.rpartition("/")[2])
    return source.startswith(("http://", "https://")) and name is not None and not name[2]


def _stored(folder: str, storage: Mapping[str, str]) -> tuple[bytes | None, bytes | None]:
    place = resolve(folder, {name.lower(): value for name, value in storage.items()})
    return _bytes(place.under(BASE_JSON)), _bytes(place.under(LOG_JSON))


def _served(address: str) -> tuple[None, bytes | None]:
    from jelly.log import Log
    from jelly.log._begin import BEGINS, EMPTY

    log = Log(address)
    info = log.info()
    if info.base is None or info.statements is None:
        return None, None
    if info.base == EMPTY:
        return None, json.dumps({BEGINS: EMPTY}).encode()
    first = next(log.versions(info.first - 1, info.first), None) if info.head.version >= info.first else None  # fmt: skip
    base = {
        "base": info.base,
        "statements": info.statements,
        "timestamp": str(info.created),
        "version": info.first - 1,
        "id": first and first.prev,
    }
    return None, json.dumps({"base": base}).encode()


def _bytes(place: Place) -> bytes | None:
    try:
        with place.fs.open_input_stream(place.path, compression=None) as file:
            return bytes(file.read(_MOST))
    except FileNotFoundError:
        return None
