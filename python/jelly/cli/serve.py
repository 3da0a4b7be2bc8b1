"""The command ``jelly serve``."""

from __future__ import annotations

import logging
import sys
from typing import Any

import click

from jelly.cli.summaries import counted


@click.command(name="serve", short_help="Serves logs over HTTP.")
@click.argument("root", required=False, metavar="DIR")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on; an address that other machines can reach needs --tokens, --client-ca or --insecure.")  # fmt: skip
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8080,
    show_default=True,
    help="The port to listen on.",
)
@click.option("--grpc-port", type=click.IntRange(0, 65535), metavar="N", help="Also serve the logs and RDF streams over gRPC, on this port.")  # fmt: skip
@click.option("--topic", "topics", multiple=True, metavar="NAME=FILE", help="A file in any RDF format that gRPC clients can subscribe to; can be given several times.")  # fmt: skip
@click.option("--tokens", metavar="FILE", help="The tokens file, which says who may do what: lines of `name sha256 scopes logs`.")  # fmt: skip
@click.option("--tls-cert", metavar="FILE", help="The certificate of the server.")
@click.option("--tls-key", metavar="FILE", help="The key of --tls-cert.")
@click.option("--client-ca", metavar="FILE", help="Accept only clients with a certificate that this authority has signed.")  # fmt: skip
@click.option("--host-name", "host_names", multiple=True, metavar="NAME", help="Also accept requests whose Host header has this name; can be given several times.")  # fmt: skip
@click.option("--read-only", is_flag=True, help="Reject all requests that change something.")
@click.option("--insecure", is_flag=True, help="Let everyone who can reach the address do everything.")  # fmt: skip
@click.option("--cors", multiple=True, metavar="ORIGIN", help="Accept requests from pages of this origin; can be given several times.")  # fmt: skip
@click.option("--trust-header", metavar="NAME", help="The header in which a proxy gives the name of the user; the tokens file has this name with - for the hash.")  # fmt: skip
@click.option("--proxy-address", "proxy_addresses", multiple=True, metavar="ADDRESS", help="The address of the proxy of --trust-header; can be given several times.")  # fmt: skip
@click.option("--require-condition", is_flag=True, help="Reject patches that are published without saying which version they come after.")  # fmt: skip
@click.option("--record-publisher", is_flag=True, help="Add the name of the token to each patch, as the header publisher.")  # fmt: skip
@click.option("--delta", is_flag=True, help="Also speak the protocol of RDF Delta, under /-/delta/.")  # fmt: skip
@click.option("--limit", "limits", multiple=True, metavar="NAME=NUMBER", help="Change a limit, such as body=1000000 or row_bytes=100000; can be given several times.")  # fmt: skip
@click.option("--make-token", metavar="NAME", help="Print a new token and its line for the tokens file; serve nothing.")  # fmt: skip
def serve_command(
    root: str | None, make_token: str | None, limits: tuple[str, ...], **options: Any
) -> None:
    """Serves the logs in the folder DIR, or in an object store, over HTTP.

    Each log is a folder in DIR; in an object store, its name follows the address: s3://bucket/logs has the log s3://bucket/logs/brick. Only this machine can reach the server, unless --host says otherwise.

    Examples: jelly serve logs; jelly serve s3://bucket/logs
    """
    from jelly import service
    from jelly.service._tokens import made

    if make_token is not None:
        token, line = made(make_token)
        click.echo(token)
        click.echo(line)
        return
    if root is None:
        raise click.UsageError("Missing argument 'DIR'.")
    bounds = service.Limits()
    for text in limits:
        name, _, number = text.partition("=")
        bounds = bounds.given(name, number)
    options["topics"] = _named(options["topics"])
    logging.basicConfig(stream=sys.stderr, format="%(message)s")
    logging.getLogger("jelly.service").setLevel(logging.INFO)
    scheme = "https" if options["tls_cert"] else "http"
    address = f"{scheme}://{options['host']}:{options['port']}"
    service.serve(root, limits=bounds, ready=lambda: _greet(address, root), **options)


def _greet(address: str, root: str) -> None:
    """Prints where the server is, and what it serves."""
    from jelly.log._objects import is_store
    from jelly.service._stores import logs_at

    if is_store(root):
        click.echo(f"{address}/ serves the logs of {root}")
    elif names := logs_at(root).names():
        click.echo(f"{address}/ serves {counted(len(names), 'log')} of {root}")
    else:
        click.echo(f"{address}/ has no logs yet; to make one, and to publish to it:")
        click.echo(f"  curl -X PUT {address}/brick")
        patch = 'TX . A <urn:x:a> <urn:x:b> "c" . TC .'
        click.echo(f"  curl -H 'Content-Type: application/rdf-patch' -d '{patch}' {address}/brick")


def _named(topics: tuple[str, ...]) -> dict[str, str]:
    """Files by the names of their topics."""
    found: dict[str, str] = {}
    for text in topics:
        name, equals, path = text.partition("=")
        if not (name and equals and path) or name in found:
            raise click.BadParameter(f"{text!r} is not NAME=FILE with a unique name", param_hint="--topic")  # fmt: skip
        found[name] = path
    return found


COMMANDS = [serve_command]
