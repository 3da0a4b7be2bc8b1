"""Names and bytes in an object store where a name can be created only once: the basis of logs in object stores."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

SCHEMES = ("s3", "s3a", "gs", "az", "azure", "abfs", "abfss")

# time in seconds for which a failed request is repeated
_TRIES = 30.0
# minimum number of attempts, because one unanswered request may take that long
_LEAST = 3
# options `storage.*` of Spark for these settings; other settings have the names of obstore
_NAMES = {
    "accesskey": "access_key_id",
    "secretkey": "secret_access_key",
    "sessiontoken": "session_token",
    "anonymous": "skip_signature",
}

# a request for the credentials of a cloud machine, made if no other credentials are configured
_FROM_MACHINE = re.compile(
    r"https?://[^ ]*(/latest/api/token|/latest/meta-data/|/computeMetadata/|/metadata/identity/)"
)

# an error of a listing shows its kind only in its text
_DENIED = re.compile(r"status code: 40[13]\b")

_STORE = re.compile(rf"(?:{'|'.join(SCHEMES)})://", re.IGNORECASE)

Found = TypeVar("Found")


def is_store(place: str) -> bool:
    """Returns whether a place is an address in an object store."""
    return _STORE.match(place) is not None


class StoreDownError(ConnectionError):
    """A store does not answer."""


class StoreRefusedError(PermissionError):
    """A store rejects the credentials, or denies the request."""


class Stored(NamedTuple):
    """An object."""

    data: bytes
    tag: dict[str, str]
    """Tag by which the store identifies this state of the object."""


class Objects:
    """The objects under an address.

    Failed requests are repeated for half a minute. The client of the store itself repeats none: for a name that can
    be created only once, it could not tell whether it created the object.

    Args:
        url: ``s3://bucket/log``, ``gs://...`` or ``az://...``.
        storage: How to reach the store.
        what: What stands at the address.

    Raises:
        ImportError: obstore is not installed.
        ValueError: The address or an option is wrong.
    """

    def __init__(self, url: str, storage: Mapping[str, Any], what: str = "log") -> None:
        self.url = url.rstrip("/")
        self._has_answered = False
        parts = urlsplit(url)
        # abfss://container@account/... contains no user
        has_user = parts.username is not None and parts.scheme not in ("abfs", "abfss")
        if has_user or parts.password is not None:
            raise ValueError(
                f"the address of a {what} cannot contain a user or password: use storage="
            )
        if not parts.netloc or not parts.path.strip("/") or parts.query or parts.fragment:
            raise ValueError(
                f"{url!r} is not the address of a {what}; expected an address such as "
                f"s3://bucket/{what.rpartition(' ')[2]}"
            )
        try:
            import obstore.store
        except ModuleNotFoundError as error:
            raise ImportError("logs in object stores need obstore: pip install 'jelly-patch[object-store]'") from error  # fmt: skip
        config = {_NAMES.get(name.lower(), name): value for name, value in storage.items()}
        is_plain = str(config.get("endpoint", "")).startswith("http://")
        client = (
            {"allow_http": True} if is_plain else None
        )  # an empty value would hide the environment
        connect: Any = obstore.store.from_url
        try:
            self._store = connect(self.url, config=config, client_options=client, retry_config={"max_retries": 0})  # fmt: skip
        except Exception as error:
            raise ValueError(f"{self.url}: {error}") from error

    def get(self, name: str) -> Stored | None:
        """Returns an object; None if it does not exist.

        Raises:
            OSError: The store cannot be reached, or rejects the request.
        """
        from obstore.exceptions import NotFoundError

        def ask() -> Stored | None:
            try:
                found = self._store.get(name)
                tag = {name: found.meta[name] for name in ("e_tag", "version") if found.meta[name]}
                return Stored(bytes(found.bytes()), tag)
            except (NotFoundError, FileNotFoundError):
                return None

        return self._again(ask)

    def create(self, name: str, data: bytes) -> bytes | None:
        """Creates an object under a free name.

        The object that is finally stored under the name decides, not the answer of the store: after a refusal, an
        error or a lost answer the object may or may not have been created.

        Returns:
            None if this call created the object; otherwise the bytes of the existing object.

        Raises:
            OSError: The store cannot be reached, or rejects the request.
        """
        return self._put(name, data, "create")

    def replace(self, name: str, data: bytes, tag: dict[str, str]) -> bytes | None:
        """Replaces an object, if its state has this tag.

        Returns:
            None if the object was replaced; otherwise the bytes that are stored instead.

        Raises:
            OSError: The store cannot be reached, or rejects the request.
        """
        return self._put(name, data, tag)

    def delete(self, name: str) -> int:
        """Deletes an object, if it exists.

        Returns:
            The size of the deleted object in bytes.

        Raises:
            OSError: The store cannot be reached, or rejects the request.
        """
        from obstore.exceptions import NotFoundError

        def ask() -> int:
            try:
                size = int(self._store.head(name)["size"])
                self._store.delete(name)
            except (NotFoundError, FileNotFoundError):
                return 0
            return size

        return self._again(ask)

    def _put(self, name: str, data: bytes, mode: Any) -> bytes | None:
        """Creates or replaces an object: ``mode`` is ``create``, or the tag of the state to replace."""

        def ask() -> bytes | None:
            try:
                self._store.put(name, data, mode=mode, use_multipart=False)
                return None
            except _refusals() as error:
                found = self.get(name)
                if found is not None and found.tag != mode:
                    return None if found.data == data else found.data
                raise ConnectionError(_said(name, error)) from error

        return self._again(ask)

    def numbers(self, after: str) -> list[str]:
        """Returns the names of some objects after a name, in text order: one page.

        Raises:
            OSError: The store cannot be reached, or rejects the request.
        """
        return self._again(lambda: [one["path"] for one in next(iter(self._store.list(offset=after)), ())])  # fmt: skip

    def dated(self, start: str) -> dict[str, datetime]:
        """Returns the modification times of the objects whose names begin with a text.

        Raises:
            OSError: The store cannot be reached, or rejects the request.
        """

        def ask() -> dict[str, datetime]:
            found: dict[str, datetime] = {}
            for page in self._store.list(offset=start):
                for one in page:
                    if not one["path"].startswith(start):
                        return found  # names are listed in text order
                    found[one["path"]] = one["last_modified"]
            return found

        return self._again(ask)

    def folders(self) -> list[str]:
        """Returns the names before the first ``/`` of all objects.

        Raises:
            OSError: The store cannot be reached, or rejects the request.
        """
        found = self._again(lambda: self._store.list_with_delimiter()["common_prefixes"])
        return sorted(name.rstrip("/") for name in found)

    def _again(self, ask: Callable[[], Found]) -> Found:
        """Repeats a request until it is answered, for half a minute."""
        failed: Any = (ConnectionError, *_refusals())
        until, wait, tries = time.monotonic() + _TRIES, 0.05, 0
        while True:
            tries += 1
            try:
                found = ask()
                self._has_answered = True
                return found
            except (StoreDownError, StoreRefusedError):
                raise  # raised by a nested request, which was already repeated
            except failed as error:
                if _is_denied(error):
                    raise StoreRefusedError(_said(self.url, error)) from error
                if not self._has_answered and _FROM_MACHINE.search(str(error)):
                    raise StoreRefusedError(f"{self.url}: there are no credentials: give storage={{'accessKey': ..., 'secretKey': ...}}, storage={{'anonymous': True}} or the variables of the environment (AWS_ACCESS_KEY_ID and so on); {_said('this machine has none', error)}") from error  # fmt: skip
                if time.monotonic() > until and tries >= _LEAST:
                    raise StoreDownError(_said(self.url, error)) from error
            time.sleep(wait)
            wait = min(2 * wait, 2)


def _said(what: str, error: Exception) -> str:
    """Returns the message of the store, without the state of its client."""
    return f"{what}: {str(error).partition(chr(10))[0]}"


def _refusals() -> tuple[type[Exception], ...]:
    from obstore.exceptions import BaseError

    return (BaseError,)


def _is_denied(error: Exception) -> bool:
    from obstore.exceptions import (
        InvalidPathError,
        NotSupportedError,
        PermissionDeniedError,
        UnauthenticatedError,
    )

    kinds = (PermissionDeniedError, UnauthenticatedError, NotSupportedError, InvalidPathError)
    is_known = isinstance(error, kinds) or isinstance(error.__cause__, kinds)
    return is_known or _DENIED.search(_said("", error)) is not None
