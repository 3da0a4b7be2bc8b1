"""Frames with their lengths, as they stand in a delimited stream."""

from __future__ import annotations

from collections.abc import Iterator


def length_of(message: bytes) -> bytes:
    """The length of a message as it stands before it in a stream."""
    size, out = len(message), bytearray()
    while size > 0x7F:
        out.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes([*out, size])


def length_at(buffer: bytes | bytearray, at: int) -> tuple[int, int] | None:
    """The length that stands at a place, and where it ends; None: the buffer cuts it."""
    length = shift = 0
    for place in range(at, min(len(buffer), at + 10)):
        length |= (buffer[place] & 0x7F) << shift
        if buffer[place] < 0x80:
            return length, place + 1
        shift += 7
    return None


def frames_in(stream: bytes) -> Iterator[bytes]:
    """The frames of a stream in memory, without their lengths."""
    at = 0
    while at < len(stream):
        length, at = length_at(stream, at) or (0, len(stream))
        yield stream[at : at + length]
        at += length
