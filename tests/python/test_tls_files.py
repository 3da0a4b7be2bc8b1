"""The files of TLS, wrong in each way, through servers and clients; and a certificate that has its key in one file."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import jelly

pytest.importorskip("grpc")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

import jelly.grpc
import jelly.service
from certificates import authority
from grpc_servers import here
from jelly.grpc import Tls
from jelly.service.grpc import GrpcServer
from servers import free_port, served

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")

# certificate, key and authority, and what the error says; {cert}, {key} and {ca} are the names of the options
WRONG: dict[str, tuple[str | None, str | None, str | None, type[Exception], str]] = {
    "a key alone": (None, "server.key", None, ValueError, "^{key} needs {cert}$"),
    "no file of a certificate": ("none", "server.key", None, FileNotFoundError, "{cert}: .*none"),
    "no file of a key": ("server.pem", "none", None, FileNotFoundError, "{key}: .*none"),
    "the key of another": ("server.pem", "client.key", None, OSError, "{cert} and {key}: .*server.pem, .*client.key: the key does not belong"),
    "no certificate": ("san", "server.key", None, OSError, "{cert} and {key}: .*no certificate with an unencrypted key"),
    "no key": ("server.pem", "san", None, OSError, "{cert} and {key}: .*no certificate with an unencrypted key"),
    "no key in the one file": ("server.pem", None, None, OSError, "{cert}: .*no certificate with an unencrypted key"),
    "an encrypted key": ("server.pem", "secret.key", None, OSError, "secret.key: no certificate with an unencrypted key"),
    "no authority": ("server.pem", "server.key", "san", OSError, "{ca}: .*san: no certificate in PEM format"),
    "no file of an authority": ("server.pem", "server.key", "none", FileNotFoundError, "{ca}: .*none"),
}  # fmt: skip


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with authority(tmp_path_factory.mktemp("keys")) as folder:
        both = (folder / "server.pem").read_bytes() + (folder / "server.key").read_bytes()
        (folder / "both.pem").write_bytes(both)
        command = ["openssl", "pkey", "-in", "server.key", "-aes128", "-passout", "pass:secret", "-out", "secret.key"]  # fmt: skip
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        yield folder


def asked(cert: str | None, key: str | None, ca: str | None, _: Path) -> None:
    jelly.grpc.describe("localhost:1", "x", tls=Tls(ca, cert, key))


def served_grpc(cert: str | None, key: str | None, ca: str | None, root: Path) -> None:
    GrpcServer(root, tls_cert=cert, tls_key=key, client_ca=ca)


def served_http(cert: str | None, key: str | None, ca: str | None, root: Path) -> None:
    jelly.service.serve(root, port=free_port(), tls_cert=cert, tls_key=key, client_ca=ca)


SERVER = {"cert": "--tls-cert", "key": "--tls-key", "ca": "--client-ca"}
DOORS: list[tuple[Callable[..., None], dict[str, str]]] = [
    (asked, {"cert": "cert", "key": "key", "ca": "ca"}),
    (served_grpc, SERVER),
    (served_http, SERVER),
]


@pytest.mark.parametrize(("door", "names"), DOORS)
@pytest.mark.parametrize("case", WRONG)
def test_wrong_files(case: str, door: Any, names: dict[str, str], keys: Path, tmp_path: Path) -> None:  # fmt: skip
    *files, kind, message = WRONG[case]
    with pytest.raises(kind, match=message.format(**names)):
        door(*(file and str(keys / file) for file in files), tmp_path / "logs")


@pytest.mark.parametrize("case", [name for name, (_, _, ca, *_) in WRONG.items() if not ca])
def test_wrong_files_of_the_environment(
    case: str, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cert, key, _, kind, message = WRONG[case]
    names = {"cert": "JELLY_CLIENT_CERT", "key": "JELLY_CLIENT_KEY", "ca": ""}
    for name, file in ((names["cert"], cert), (names["key"], key)):
        if file:
            monkeypatch.setenv(name, str(keys / file))
    with pytest.raises(kind, match=message.format(**names)):
        jelly.Log("https://localhost:1/x").info()


@pytest.mark.parametrize("door", [served_grpc, served_http])
def test_clients_with_certificates_need_a_server_with_one(door: Any, keys: Path, tmp_path: Path) -> None:  # fmt: skip
    with pytest.raises(ValueError, match="--client-ca needs --tls-cert"):
        door(None, None, str(keys / "ca.pem"), tmp_path / "logs")


def test_a_certificate_with_its_key_in_one_file(keys: Path, tmp_path: Path) -> None:
    """Both servers of a process have TLS with it, and clients too."""
    root, both = tmp_path / "logs", str(keys / "both.pem")
    jelly.Log.create(root / "x")
    own = Tls(keys / "ca.pem", both)
    with here(root, tls_cert=both, client_ca=str(keys / "ca.pem")) as target:
        target = target.replace("127.0.0.1", "localhost")
        assert jelly.grpc.describe(target, "x", tls=own).base == "empty"
        for tls in (None, Tls(keys / "ca.pem")):
            with pytest.raises(ConnectionError):
                jelly.grpc.describe(target, "x", tls=tls)


def test_an_address_without_tls_of_a_server_with_tls(keys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setenv("SSL_CERT_FILE", str(keys / "ca.pem"))
    root = tmp_path / "logs"
    jelly.Log.create(root / "x")
    with served(root, "--tls-cert", str(keys / "both.pem")) as address:
        assert jelly.Log(f"{address.replace('127.0.0.1', 'localhost')}/x").head.version == 0
        with pytest.raises(ConnectionError, match=r"without an answer.* https://"):
            jelly.Log(f"{address.replace('https', 'http')}/x").info()
    both = str(keys / "both.pem")
    with served(root, "--tls-cert", both, "--client-ca", str(keys / "ca.pem")) as address:
        with pytest.raises(OSError, match=r"without an answer.* JELLY_CLIENT_CERT|certificate required"):  # fmt: skip
            jelly.Log(f"{address}/x").info()
        monkeypatch.setenv("JELLY_CLIENT_CERT", both)
        assert jelly.Log(f"{address}/x").head.version == 0
