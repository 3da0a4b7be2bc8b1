"""The PEM files by which servers and clients authenticate each other over TLS, checked before they are used."""

from __future__ import annotations

import os
import ssl
from pathlib import Path
from typing import NamedTuple, TypeAlias

File: TypeAlias = str | os.PathLike[str] | None

# what OpenSSL says of files that are not what they should be, and what users need to know
_REASONS = {
    "KEY_VALUES_MISMATCH": "the key does not belong to the certificate",
    "NO_CERTIFICATE_OR_CRL_FOUND": "no certificate in PEM format",
}


class Names(NamedTuple):
    """The names of the options that have the files, for errors."""

    cert: str
    key: str
    ca: str


class Pem(NamedTuple):
    """The contents of the files."""

    cert: bytes | None
    key: bytes | None
    ca: bytes | None


def loaded(context: ssl.SSLContext, names: Names, cert: File, key: File, ca: File = None) -> Pem:
    """Reads a certificate, its key, and the authorities to trust, and loads them into a context.

    Args:
        context: The context.
        names: What the files are called in errors.
        cert: The certificate.
        key: Its key; None if the file of the certificate has it.
        ca: The authorities.

    Raises:
        ValueError: There is a key, but no certificate.
        OSError: A file cannot be read or is not in PEM format, or the key is encrypted or does not belong to the
            certificate.
    """
    if key and not cert:
        raise ValueError(f"{names.key} needs {names.cert}")
    pem = Pem(*(_content(*one) for one in zip(names, (cert, key, ca), strict=True)))
    try:
        if ca:
            context.load_verify_locations(ca)
    except ssl.SSLError as error:
        raise _wrong(f"{names.ca}: {ca}", error) from error
    try:
        if cert:
            context.load_cert_chain(cert, key or None, password=lambda: "")
    except ssl.SSLError as error:
        given = f"{names.cert} and {names.key}: {cert}, {key}" if key else f"{names.cert}: {cert}"
        raise _wrong(given, error) from error
    return pem._replace(key=pem.key or pem.cert)


def client_context() -> ssl.SSLContext:
    """Returns how servers are checked, with the certificate of ``JELLY_CLIENT_CERT`` and ``JELLY_CLIENT_KEY``.

    Raises:
        ValueError: There is a key, but no certificate.
        OSError: As for :func:`loaded`.
    """
    context = ssl.create_default_context()
    names = Names("JELLY_CLIENT_CERT", "JELLY_CLIENT_KEY", "SSL_CERT_FILE")
    loaded(context, names, os.environ.get(names.cert), os.environ.get(names.key))
    return context


def server_files(cert: File, key: File, client_ca: File) -> Pem | None:
    """Reads the files of a server; None: it has no TLS.

    Raises:
        ValueError: There is a key, or an authority of clients, but no certificate.
        OSError: As for :func:`loaded`.
    """
    names = Names("--tls-cert", "--tls-key", "--client-ca")
    if client_ca and not cert:
        raise ValueError(f"{names.ca} needs {names.cert}")
    pem = loaded(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), names, cert, key, client_ca)
    return pem if cert else None


def _content(name: str, file: File) -> bytes | None:
    if not file:
        return None
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise type(error)(error.errno, f"{name}: {error.strerror}", str(file)) from error


def _wrong(files: str, error: ssl.SSLError) -> OSError:
    found = "no certificate with an unencrypted key in PEM format"
    return OSError(f"{files}: {_REASONS.get(error.reason, found)}")
