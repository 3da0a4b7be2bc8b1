"""What tests of conversions share: a log, statements, and ways to convert and to read them back."""

import io
import subprocess
import sys
from typing import Any

import jelly

TABLES = ["parquet", "arrow"]
LOG = """H id <urn:1> .
H "a key" "v" .
TX .
PA "e" "http://e/" .
A <http://e/a#s> <http://e/p> "x"@en <http://e/g> .
A <http://e/a#s> <http://e/p> "a\\n\\"b"^^<http://e/t> .
D <_:b> <http://e/p> <<( <_:b> <u:p> "" )>> <_:g> .
TC .
H id <urn:2> .
TX .
PD "e" .
A <_:a\\u0020b> <u:p> "5"^^<http://www.w3.org/2001/XMLSchema#integer> .
TA .
Z .
Z .
A <u:s> <u:p> <u:o> .
"""
QUADS = """<http://e/a#s> <http://e/p> "x"@en <http://e/g> .
<http://e/a#s> <http://e/p> "a\\n\\"b"^^<http://e/t> <http://e/g> .
_:b <http://e/p> <u:o> .
"""


def rows(data: Any, **options: Any) -> list[tuple[Any, ...]]:
    """All but the names of the ends of patches, which the formats imply in their own ways."""
    found = [row[4:] for row in jelly.read_patch(data, **options).rows()]
    return [row if row[0] != "Z" else ("Z",) for row in found]


def statements(data: Any, **options: Any) -> list[tuple[Any, ...]]:
    return sorted(row[3:] for row in jelly.read_rdf(data, **options).rows())


def converted(data: Any, to: Any, **options: Any) -> bytes:
    out = io.BytesIO()
    jelly.convert(data, out, to=to, **options)
    return out.getvalue()


def run(*arguments: object, data: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", "from jelly.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, input=data, capture_output=True, check=False)
