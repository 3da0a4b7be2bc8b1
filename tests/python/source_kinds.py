"""A stream, and objects that give its bytes."""

import io
from typing import Any

import jelly
import jellybytes as jb

DATA = jb.small_rdf(2000, 20)


def check(source: object, **options: object) -> None:
    rows = list(jelly.read_rdf(source, **options).rows())  # type: ignore[call-overload]
    assert [row.object for row in rows] == [f'"{n}"' for n in range(2000)]


def count(reader: Any) -> int:
    return sum(1 for _ in reader.rows())


class Short(io.RawIOBase):
    """Gives a few bytes at a time, as sockets do."""

    def __init__(self, data: bytes, most: int) -> None:
        self.rest, self.most = data, most

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        assert size > 0
        piece, self.rest = self.rest[: self.most], self.rest[self.most :]
        return piece

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


def pieces(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]
