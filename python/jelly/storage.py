"""Places of files: local, or in remote storage that pyarrow can reach.

``s3://`` and ``s3a://`` (also of services that are compatible), ``gs://``, ``abfs://`` and
``abfss://``, ``hdfs://``; workers do not see Hadoop's settings. Keys, endpoint and region come from
the options ``storage.*`` below, otherwise from the places where the client of the storage looks: the variables
``AWS_*``, ``GOOGLE_APPLICATION_CREDENTIALS``, ``AZURE_*``, the identity of the machine.

- s3: ``accessKey``, ``secretKey``, ``sessionToken``, ``anonymous``, ``region``, ``endpoint``
  (``host:port`` or a URL), ``scheme`` (``https``, ``http``), ``roleArn``, ``caFile``.
- gs: ``anonymous``, ``accessToken`` with ``accessTokenExpiration`` (ISO 8601), ``endpoint``,
  ``scheme``, ``projectId``.
- abfs: ``accountKey``, ``sasToken``, ``tenantId``, ``clientId``, ``clientSecret``, ``endpoint``,
  ``scheme``.
- hdfs: ``user``, ``kerberosTicket``, ``replication``. Needs libhdfs (``JAVA_HOME``,
  ``HADOOP_HOME``, ``CLASSPATH``).
"""

from __future__ import annotations

import difflib
import io
import os
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from jelly._arrow import require_pyarrow
from jelly._inputs import local_path
from jelly._whole_file import sync_file

if TYPE_CHECKING:
    import pyarrow.fs as pafs

# A read of remote storage is a request, so each takes much at once.
_READ_AHEAD = 4 << 20


class Place(NamedTuple):
    """A path in a file system."""

    fs: pafs.FileSystem
    path: str
    """Inside the file system."""
    uri: str
    """As it was given."""

    @property
    def can_rename(self) -> bool:
        """Whether a file moves at once, instead of being copied."""
        return self.fs.type_name in ("local", "hdfs")

    def under(self, name: str) -> Place:
        """A path below this one."""
        return Place(self.fs, f"{self.path.rstrip('/')}/{name}", f"{self.uri.rstrip('/')}/{name}")

    def shown(self, path: str) -> str:
        """The URI of another path in this file system, if this one is remote."""
        parts = _split(self.uri)
        assert parts is not None
        inside = path if path.startswith("/") else "/" + path.partition("/")[2]
        return f"{parts[0]}://{parts[1]}{inside}"


def is_remote(path: str) -> bool:
    """Whether it is a URI of something else than a local file."""
    return _split(path) is not None


def has_file_system(path: str) -> bool:
    """Whether it is a URI in remote storage that is read here."""
    parts = _split(path)
    return parts is not None and parts[0].lower() in _KINDS


def resolve(path: str, storage: Mapping[str, str]) -> Place:
    """The file system of a path or URI, and the path in it.

    Args:
        path: A local path, a ``file:`` URI, or a URI of a storage that this module names.
        storage: Its options, in lower case and without ``storage.``.

    Raises:
        ValueError: The scheme, the authority or an option is wrong.
        OSError: The file system cannot be reached.
        ImportError: pyarrow is not installed, or was built without this file system.
    """
    require_pyarrow()
    import pyarrow.fs as pafs

    parts = _split(path)
    if parts is None:
        inside = str(Path(local_path(path)).absolute())
        _options("file", {}, storage, path)
        return Place(pafs.LocalFileSystem(), inside, path)
    scheme, authority, rest = parts
    kind = _KINDS.get(scheme.lower())
    if kind is None:
        known = ", ".join(["file", *_KINDS])
        raise ValueError(
            f"{path}: there is no file system for {scheme}:; the known ones are {known}"
        )
    root, fs = _connected(kind, authority, tuple(sorted(storage.items())), path)
    return Place(fs, root + rest.lstrip("/") if root != "/" else rest or "/", path)


def open_input(where: str, storage: Mapping[str, str]) -> Any:
    """What a reader takes: the path of a local file, else a file object that can seek.

    Raises:
        OSError: It cannot be opened.
    """
    if not is_remote(where):
        return where
    place = resolve(where, storage)
    with naming(where):
        return io.BufferedReader(place.fs.open_input_file(place.path), _READ_AHEAD)


@contextmanager
def naming(uri: str) -> Iterator[None]:
    """Errors of the file system name the URI, and say where keys come from if that is it."""
    try:
        yield
    except OSError as error:
        text = str(error)
        if uri not in text:
            text = f"{uri}: {text}"
        if re.search(
            r"ACCESS_DENIED|CREDENTIAL|\b40[13]\b|Forbidden|Unauthorized", text, re.IGNORECASE
        ):
            text += " (keys come from the options storage.* or from the environment)"
        raise type(error)(text) from error


def put(folder: Place, name: str, content: bytes) -> None:
    """Writes a file that appears whole or not at all.

    Raises:
        OSError: It cannot be written.
    """
    target = part = folder.under(name)
    if folder.can_rename:  # else an upload appears whole by itself
        folder.fs.create_dir(folder.path)
        part = folder.under(f".{name}.{secrets.token_hex(8)}")
    with folder.fs.open_output_stream(part.path, compression=None) as file:
        file.write(content)
    if folder.fs.type_name == "local":
        sync_file(Path(part.path))
    if part is not target:
        folder.fs.move(part.path, target.path)


def _split(path: str) -> tuple[str, str, str] | None:
    """Scheme, authority and path of a remote URI. Nothing is percent-decoded, as in Hadoop."""
    parts = re.fullmatch(r"([A-Za-z][A-Za-z0-9+.-]+)://([^/]*)(/.*)?", path, re.DOTALL)
    if parts is None or parts[1].lower() == "file":
        return None
    return parts[1], parts[2], parts[3] or ""


# Options, by their keyword in pyarrow


def _flag(value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise ValueError(f"{value!r} is neither true nor false")
    return value.lower() == "true"


_S3: dict[str, tuple[str, Callable[[str], Any]]] = {
    "accessKey": ("access_key", str),
    "secretKey": ("secret_key", str),
    "sessionToken": ("session_token", str),
    "anonymous": ("anonymous", _flag),
    "region": ("region", str),
    "endpoint": ("endpoint_override", str),
    "scheme": ("scheme", str),
    "roleArn": ("role_arn", str),
    "caFile": ("tls_ca_file_path", str),
}
_GS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "anonymous": ("anonymous", _flag),
    "accessToken": ("access_token", str),
    "accessTokenExpiration": ("credential_token_expiration", datetime.fromisoformat),
    "endpoint": ("endpoint_override", str),
    "scheme": ("scheme", str),
    "projectId": ("project_id", str),
}
_ABFS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "accountKey": ("account_key", str),
    "sasToken": ("sas_token", str),
    "tenantId": ("tenant_id", str),
    "clientId": ("client_id", str),
    "clientSecret": ("client_secret", str),
    "endpoint": ("endpoint", str),
    "scheme": ("scheme", str),
}
_HDFS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "user": ("user", str),
    "kerberosTicket": ("kerb_ticket", str),
    "replication": ("replication", int),
}


def _options(
    kind: str,
    known: Mapping[str, tuple[str, Callable[[str], Any]]],
    storage: Mapping[str, str],
    uri: str,
) -> dict[str, Any]:
    table = {name.lower(): name for name in known}
    chosen = {}
    for name, value in storage.items():
        if name.lower() not in table:
            near = difflib.get_close_matches(name.lower(), table, 1, cutoff=0.0)
            hint = f"; did you mean 'storage.{table[near[0]]}'?" if near else ""
            raise ValueError(f"{uri}: {kind} has no option 'storage.{name}'{hint}")
        keyword, parse = known[table[name.lower()]]
        try:
            chosen[keyword] = parse(value)
        except ValueError as error:
            raise ValueError(f"option 'storage.{table[name.lower()]}': {error}") from None
    if "://" in (endpoint := chosen.get("endpoint_override") or chosen.get("endpoint") or ""):
        scheme, _, host = endpoint.partition("://")
        chosen["endpoint_override" if "endpoint_override" in chosen else "endpoint"] = host.rstrip(
            "/"
        )
        chosen.setdefault("scheme", scheme)
    return chosen


# File systems; each gives the root that paths in it have


@lru_cache(maxsize=32)
def _connected(
    kind: str, authority: str, storage: tuple[tuple[str, str], ...], uri: str
) -> tuple[str, pafs.FileSystem]:
    try:
        with naming(uri):
            return _CONNECT[kind](authority, dict(storage), uri)
    except (ImportError, AttributeError) as error:
        raise ImportError(f"{uri}: this pyarrow was built without {kind} ({error})") from error


def _s3(bucket: str, storage: dict[str, str], uri: str) -> tuple[str, pafs.FileSystem]:
    from pyarrow.fs import S3FileSystem, resolve_s3_region

    _require(bucket, uri, "s3://bucket/path")
    named = {name.lower() for name in storage}
    for variable, name in (
        ("AWS_ENDPOINT_URL", "endpoint"),
        ("AWS_ENDPOINT_URL_S3", "endpoint"),
        ("AWS_DEFAULT_REGION", "region"),
        ("AWS_REGION", "region"),
    ):
        if name not in named and os.environ.get(variable):
            storage[name] = os.environ[variable]
    keywords = _options("s3", _S3, storage, uri)
    if ("access_key" in keywords) != ("secret_key" in keywords):
        missing = "secretKey" if "access_key" in keywords else "accessKey"
        raise ValueError(f"{uri}: storage.{missing} is missing")
    if "region" not in keywords:
        # Another service does not care, but a region must be in the signature.
        keywords["region"] = (
            "us-east-1" if "endpoint_override" in keywords else resolve_s3_region(bucket)
        )
    # pyarrow gives up after 3 seconds, which a busy service may need.
    return f"{bucket}/", S3FileSystem(request_timeout=60, connect_timeout=10, **keywords)


def _gs(bucket: str, storage: dict[str, str], uri: str) -> tuple[str, pafs.FileSystem]:
    from pyarrow.fs import GcsFileSystem

    _require(bucket, uri, "gs://bucket/path")
    return f"{bucket}/", GcsFileSystem(**_options("gs", _GS, storage, uri))


def _abfs(authority: str, storage: dict[str, str], uri: str) -> tuple[str, pafs.FileSystem]:
    from pyarrow.fs import AzureFileSystem

    container, _, host = authority.partition("@")
    account = host.partition(".")[0]
    _require(container and account, uri, "abfss://container@account.dfs.core.windows.net/path")
    keywords = _options("abfs", _ABFS, storage, uri)
    if endpoint := keywords.pop("endpoint", None):
        keywords |= {"blob_storage_authority": endpoint, "dfs_storage_authority": endpoint}
    if scheme := keywords.pop("scheme", None):
        keywords |= {"blob_storage_scheme": scheme, "dfs_storage_scheme": scheme}
    return f"{container}/", AzureFileSystem(account, **keywords)


def _hdfs(authority: str, storage: dict[str, str], uri: str) -> tuple[str, pafs.FileSystem]:
    from pyarrow.fs import HadoopFileSystem

    host, _, port = authority.partition(":")
    try:
        fs = HadoopFileSystem(
            host or "default", int(port or 0), **_options("hdfs", _HDFS, storage, uri)
        )
    except OSError as error:
        raise OSError(
            f"{uri}: {str(error).partition(chr(10))[0]} (libhdfs needs JAVA_HOME, HADOOP_HOME and "
            "CLASSPATH=`hadoop classpath --glob`)"
        ) from error
    return "/", fs


def _require(authority: str, uri: str, example: str) -> None:
    if not authority:
        raise ValueError(f"{uri}: expected a URI such as {example}")


_KINDS = {"s3": "s3", "s3a": "s3", "gs": "gs", "abfs": "abfs", "abfss": "abfs", "hdfs": "hdfs"}
_CONNECT = {"s3": _s3, "gs": _gs, "abfs": _abfs, "hdfs": _hdfs}
