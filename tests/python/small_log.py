"""A base and three patches, and what comes of them."""

import io
from collections.abc import Callable
from typing import Any

import jelly

BASE = b'<a:s> <a:p> "x"@en .\n<a:s> <a:p> "y" <a:g> .\n_:b <a:p> <a:o> .\n'
FIRST = b'H id <u:1> .\nTX .\nA <a:n> <a:p> "1" .\nD <a:s> <a:p> "y" <a:g> .\nTC .\n'
SECOND = b"H id <u:2> .\nH prev <u:1> .\nTX .\nD _:b <a:p> <a:o> .\nTC .\nTX .\nA <a:z> <a:p> <a:o> .\nTA .\n"
THIRD = b'H id <u:3> .\nH prev <u:2> .\nTX .\nD <a:n> <a:p> "1" .\nA <a:n> <a:p> "2" .\nTC .\n'


def out_of(function: Callable[..., Any], *arguments: Any, **options: Any) -> bytes:
    out = io.BytesIO()
    function(*arguments, out, **options)
    return out.getvalue()


def applied(base: bytes, *patches: Any, **options: Any) -> bytes:
    return out_of(jelly.apply, base, list(patches), **options)
