"""What a server asks of publishes, users and browsers when its options say so."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jelly
from asgi import ask

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from jelly.service import Limits, app, serve
from jelly.service._limits import Rates
from jelly.service._problems import Problem
from jelly.service._tokens import made


def patch(value: int, *headers: str) -> bytes:
    return "".join([*headers, f'TX .\nA <a:s> <a:p> "{value}" .\nTC .\n']).encode()


def head(root: Path) -> int:
    return jelly.Log(root / "x").head.version


@pytest.fixture
def root(tmp_path: Path) -> Path:
    jelly.Log.create(tmp_path / "logs" / "x")
    return tmp_path / "logs"


@pytest.fixture
def tokens(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A file of tokens, and what each is: ci publishes, anna (behind a proxy) too, bob only reads."""
    ci, line = made("ci", "read,publish,admin")
    bob, other = made("bob", "read")
    path = tmp_path / "tokens"
    path.write_text(f'{line}\n{other}\nanna - read,publish *\n"o\\dd - publish,read *\n')
    return path, {"ci": f"Bearer {ci}", "bob": f"Bearer {bob}"}


def test_a_condition_is_required(root: Path) -> None:
    served = app(root, require_condition=True)
    bare = ask(served, "POST", "/x", patch(1))
    assert (bare.status, bare.kind, head(root)) == (428, "condition", 0)
    tag = ask(served, "GET", "/x").headers["etag"]
    assert ask(served, "POST", "/x", patch(1, "H id <u:1> .\n"), if_match=tag).status == 201
    assert ask(served, "POST", "/x?expect=1", patch(2, "H id <u:2> .\n")).status == 201
    assert ask(served, "PATCH", "/x/data", patch(3, "H prev <u:2> .\n")).status == 200
    assert ask(served, "POST", "/x", patch(4), if_none_match="*").status == 412
    assert head(root) == 3


def test_conditions_in_every_form_of_the_rfc(root: Path) -> None:
    """Lines of a header are one list, a compressed answer's tag is that of the log, and weak tags match nothing strong."""
    served = app(root)
    assert ask(served, "POST", "/x", patch(1)).status == 201
    now = ask(served, "GET", "/x").headers["etag"]
    packed, other = now.removesuffix('"') + '.gzip"', ("if-none-match", '"zz"')
    refused: list[list[tuple[str, str]]] = [
        [("if-none-match", now)],
        [("if-none-match", packed)],
        [("if-none-match", f"W/{packed}")],
        [other, ("if-none-match", now)],
        [("if-match", f"W/{now}")],
        [("if-match", f'"zz", W/{now}')],
        [("if-match", '"zz"'), ("if-match", f"W/{now}")],
        [("if-match", "")],
    ]
    for headers in refused:
        answer = ask(served, "POST", "/x", patch(2), *headers)
        assert (answer.status, head(root)) == (412, 1), headers
    for headers in ([("if-none-match", now)], [other, ("if-none-match", packed)], [("if-none-match", f"W/{now}"), other]):  # fmt: skip
        assert ask(served, "GET", "/x", b"", *headers).status == 304, headers
    taken: list[Callable[[str], list[tuple[str, str]]]] = [
        lambda now: [("if-match", f'W/"zz", {now}')],
        lambda now: [("if-match", now), ("if-match", '"zz"')],
        lambda _: [other, ("if-none-match", '"z"')],
    ]
    for version, make in enumerate(taken, 2):
        now = ask(served, "GET", "/x").headers["etag"]
        assert ask(served, "POST", "/x", patch(version), *make(now)).status == 201, version


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PATCH", "/x/data?version=1"),
        ("GET", "/x/data?expect=0"),
        ("HEAD", "/x/data?expect=0"),
        ("GET", "/x?expect=0"),
        ("PUT", "/y?expect=5"),
        ("PUT", "/y?format=html"),
        ("POST", "/x?page=1"),
    ],
)
@pytest.mark.parametrize("accept", ["*/*", "text/html"])
def test_parameters_of_another_method_of_the_path(
    root: Path, method: str, path: str, accept: str
) -> None:
    """A change with a parameter that it ignores would not do what was asked for; a page may be linked with any."""
    body = patch(1) if method in ("PATCH", "POST") else b""
    answer = ask(app(root), method, path, body, accept=accept)
    is_page = method in ("GET", "HEAD") and accept == "text/html"
    assert (answer.status == 400) is not is_page
    assert (head(root), (root / "y").exists()) == (0, False)
    if answer.body and not is_page:
        assert answer.kind == "query"
        assert f"is not a parameter of {method}" in json.loads(answer.body)["detail"]


def test_the_publisher_is_recorded(root: Path, tokens: tuple[Path, dict[str, str]]) -> None:
    served = app(root, tokens=tokens[0], record_publisher=True, trust_header="X-Remote-User", proxy_addresses=["10.0.0.7"])  # fmt: skip
    ci = tokens[1]["ci"]
    for _ in range(2):
        done = ask(served, "POST", "/x", patch(1, "H id <u:1> .\n"), authorization=ci)
    assert (done.status, json.loads(done.body)["replayed"]) == (200, True)
    odd = ask(served, "POST", "/x", patch(2), client="10.0.0.7", x_remote_user='"o\\dd')
    assert odd.status == 201
    found = [dict(version.headers)["publisher"] for version in jelly.Log(root / "x").versions()]
    assert found == ['"ci"', '"\\"o\\\\dd"']
    forged = ask(served, "POST", "/x", patch(3, 'H publisher "root" .\n'), authorization=ci)
    assert (forged.status, forged.kind, head(root)) == (422, "patch.header", 2)
    with pytest.raises(ValueError, match="--tokens"):
        app(root, record_publisher=True)


def test_only_the_proxy_says_who_the_user_is(
    root: Path, tokens: tuple[Path, dict[str, str]]
) -> None:
    served = app(root, tokens=tokens[0], trust_header="X-Remote-User", proxy_addresses=["10.0.0.7"])

    def by(user: str, client: str, *more: tuple[str, str]) -> int:
        return ask(served, "POST", "/x", patch(1), *more, client=client, x_remote_user=user).status

    assert by("anna", "10.0.0.7") == 201
    assert by("anna", "10.0.0.8") == 401, "somebody else says it"
    assert by("nobody", "10.0.0.7") == 401
    assert by("ci", "10.0.0.7") == 401, "a name that has a token is not vouched for"
    assert by("anna", "10.0.0.7", ("x-remote-user", "bob")) == 401, "two names are none"
    forwarded = ask(served, "POST", "/x", patch(2), client="10.0.0.8", x_remote_user="anna", x_forwarded_for="10.0.0.7")  # fmt: skip
    assert forwarded.status == 401
    assert ask(served, "POST", "/x", patch(2), client="10.0.0.7", authorization=tokens[1]["ci"]).status == 201  # fmt: skip
    assert head(root) == 2
    for wrong in (
        {"trust_header": "X"},
        {"proxy_addresses": ["10.0.0.7"]},
        {"trust_header": "X", "proxy_addresses": ["10.0.0.7"]},
    ):
        with pytest.raises(ValueError, match="--proxy-address"):
            app(root, **wrong)


def test_pages_of_other_sites(root: Path) -> None:
    closed = app(root)
    site = "https://example.org"
    for headers in ({"origin": site}, {"sec_fetch_site": "cross-site"}, {"sec_fetch_site": "same-site"}, {"origin": "null"}):  # fmt: skip
        refused = ask(closed, "POST", "/x", patch(1), **headers)
        assert (refused.status, refused.kind) == (403, "site"), headers
    assert "access-control-allow-origin" not in ask(closed, "GET", "/x", origin=site).headers
    assert ask(closed, "POST", "/x", patch(1), origin="http://localhost").status == 201
    for media in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        assert ask(closed, "POST", "/x", patch(2), content_type=media).status == 415, media
    opened = app(root, cors=[site])
    asked = ask(opened, "OPTIONS", "/x", origin=site, access_control_request_method="POST", access_control_request_headers="content-type")  # fmt: skip
    assert (asked.status, asked.headers["access-control-allow-origin"]) == (200, site)
    done = ask(opened, "POST", "/x", patch(2), origin=site, sec_fetch_site="cross-site")
    assert (done.status, done.headers["access-control-allow-origin"]) == (201, site)
    assert ask(opened, "POST", "/x", patch(3), origin="https://evil.example").status == 403
    assert head(root) == 2


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "", "[::2]"])  # fmt: skip
def test_other_names_of_the_server(host: str, root: Path) -> None:
    def named(*hosts: str) -> Any:
        served = app(root, hosts=hosts) if hosts else app(root)
        messages: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": b""}

        async def send(message: Any) -> None:
            messages.append(message)

        import asyncio

        scope = {"type": "http", "method": "GET", "path": "/x", "raw_path": b"/x", "query_string": b"", "headers": [(b"host", host.encode())], "http_version": "1.1", "client": ("127.0.0.1", 1), "server": ("x", 80), "scheme": "http"}  # fmt: skip
        asyncio.run(served(scope, receive, send))
        return messages[0]["status"]

    assert named() == 403
    assert named(host.lower()) == 200


def test_rows_without_effect_are_refused_if_asked(root: Path) -> None:
    served = app(root)
    assert ask(served, "POST", "/x", patch(1, "H id <u:1> .\n")).status == 201
    strict = {"prefer": "handling=strict"}
    useless = ask(served, "POST", "/x", patch(1, "H id <u:2> .\n"), **strict)
    assert (useless.status, useless.kind, head(root)) == (422, "patch.effect", 1)
    assert ask(served, "POST", "/x", patch(1, "H id <u:1> .\n"), **strict).status == 200, "a replay"
    assert ask(served, "POST", "/x", patch(2), **strict).status == 201
    stale = ask(served, "POST", "/x", patch(3), if_match='"0.x"', **strict)
    assert (stale.status, head(root)) == (412, 2)
    assert ask(served, "POST", "/x", patch(1)).status == 201, "without that, it is taken"


@pytest.mark.parametrize(
    ("limits", "request_", "status"),
    [
        (Limits(publishes=0), ("POST", "/x", patch(1)), 503),
        (Limits(datasets=0), ("GET", "/x/data"), 503),
        (Limits(datasets=0), ("GET", "/x/diff?from=0&to=0"), 503),
        (Limits(datasets=0), ("GET", "/x/history?subject=a:s"), 503),
        (Limits(watchers=0), ("GET", "/x/events"), 503),
        (Limits(free=1 << 60), ("POST", "/x", patch(1)), 507),
        (Limits(free=1 << 60), ("PUT", "/y"), 507),
        (Limits(body=10), ("POST", "/x", patch(1)), 413),
        (Limits().given("row_bytes", "128"), ("POST", "/x", patch(10**200)), 413),
    ],
)
def test_what_is_too_much(limits: Limits, request_: Any, status: int, root: Path) -> None:
    answer = ask(app(root, limits=limits), *request_)
    assert answer.status == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert ("retry-after" in answer.headers) == (status == 503)
    assert (head(root), list(root.iterdir())) == (0, [root / "x"]), "nothing is left"


def test_requests_of_a_token_are_counted(root: Path, tokens: tuple[Path, dict[str, str]]) -> None:
    served = app(root, tokens=tokens[0], limits=Limits(requests=2))
    found = [ask(served, "GET", "/x", authorization=tokens[1][who]).status for who in ("ci", "ci", "bob", "ci", "ci")]  # fmt: skip
    assert found == [200, 200, 200, 429, 429]
    rates = Rates(60)
    for _ in range(60):
        rates.take("a", 5.0)
    rates.take("b", 5.0)
    for now, fits in [(5.5, False), (6.0, True), (6.1, False), (8.0, True)]:
        if fits:
            rates.take("a", now)
        else:
            with pytest.raises(Problem) as caught:
                rates.take("a", now)
            assert caught.value.headers == {"Retry-After": "1"}


def test_limits_are_given_by_name(tmp_path: Path) -> None:
    limits = Limits().given("headers", "0.5").given("body", "7").given("nesting", "3")
    assert (limits.headers, limits.body, limits.of_bodies.nesting) == (0.5, 7, 3)
    assert limits.of_bodies.decompressed_bytes == 2 << 30
    for name, text in [("bodies", "1"), ("body", "x"), ("body", "-1"), ("nesting", "999")]:
        with pytest.raises(ValueError, match=f"--limit {name}"):
            Limits().given(name, text)
    with pytest.raises(ValueError, match="--insecure"):
        serve(tmp_path, host="0.0.0.0")


def test_nothing_new_while_the_server_stops(root: Path) -> None:
    served = app(root)
    served.state.logs.is_draining = True
    for request_ in (("POST", "/x", patch(1)), ("PUT", "/y"), ("PATCH", "/x/data", patch(1))):
        answer = ask(served, *request_)
        assert (answer.status, answer.kind) == (503, "draining")
    assert ask(served, "GET", "/-/ready").status == 503
    assert ask(served, "GET", "/-/health").status == 200
    assert ask(served, "GET", "/x/data").status == 200
    assert b"the server stops" in ask(served, "GET", "/x/events").body
    tag = ask(served, "GET", "/x").headers["etag"]
    assert ask(served, "GET", "/x", if_none_match=tag, prefer="wait=60").status == 304
    assert head(root) == 0
