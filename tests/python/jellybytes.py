"""Jelly streams by hand: just enough protobuf to write any row, right or wrong."""

from __future__ import annotations

from typing import Any

Fields = dict[int, Any]


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def message(fields: Fields) -> bytes:
    """A message; a list is a repeated field, a dict a message in it."""
    out = bytearray()
    for number, values in fields.items():
        for value in values if isinstance(values, list) else [values]:
            if isinstance(value, int):
                out += varint(number << 3) + varint(value)
                continue
            if isinstance(value, dict):
                value = message(value)
            elif isinstance(value, str):
                value = value.encode()
            assert isinstance(value, bytes)
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return bytes(out)


def frame(*rows: Fields, metadata: dict[str, bytes] | None = None) -> bytes:
    entries = [{1: key, 2: value} for key, value in (metadata or {}).items()]
    return message({1: list(rows), **({15: entries} if entries else {})})


def delimited(*frames: bytes) -> bytes:
    return b"".join(varint(len(frame)) + frame for frame in frames)


TRIPLES, QUADS, GRAPHS = 1, 2, 3
FRAME, FLAT, PUNCTUATED = 1, 2, 3


def rdf_options(physical: int = TRIPLES, logical: int = 0, **more: int | str) -> Fields:
    numbers = {"stream_name": 1, "generalized": 3, "star": 4, "names": 9, "prefixes": 10}
    numbers |= {"datatypes": 11, "version": 15}
    fields: Fields = {2: physical, 9: 16, 10: 8, 11: 8, 14: logical, 15: 2}
    return {1: fields | {numbers[name]: value for name, value in more.items()}}


def patch_options(stream: int = PUNCTUATED, statement: int = QUADS, **more: int) -> Fields:
    numbers = {"generalized": 3, "star": 4, "names": 9, "prefixes": 10, "datatypes": 11}
    numbers |= {"version": 15}
    fields: Fields = {1: statement, 2: stream, 9: 16, 10: 8, 11: 8, 15: 1}
    return {1: fields | {numbers[name]: value for name, value in more.items()}}


def rdf_entry(table: str, value: str, id: int = 0) -> Fields:
    return {{"name": 9, "prefix": 10, "datatype": 11}[table]: {1: id, 2: value}}


def patch_entry(table: str, value: str, id: int = 0) -> Fields:
    return {{"name": 11, "prefix": 12, "datatype": 13}[table]: {1: id, 2: value}}


def iri(name: int = 0, prefix: int = 0) -> Fields:
    return {number: id for number, id in ((1, prefix), (2, name)) if id}


def literal(lex: str, lang: str | None = None, datatype: int | None = None) -> Fields:
    fields: Fields = {1: lex}
    if lang is not None:
        fields[2] = lang
    if datatype is not None:
        fields[3] = datatype
    return fields


MEMBERS = {"iri": 0, "bnode": 1, "literal": 2, "triple": 3}
GRAPH_MEMBERS = {"iri": 13, "bnode": 14, "default": 15, "literal": 16}


def statement(**terms: object) -> Fields:
    """`s_iri=…, p_bnode=…, o_literal=…, g_default={}`; what is left out repeats."""
    fields: Fields = {}
    for term, value in terms.items():
        place, _, kind = term.partition("_")
        number = GRAPH_MEMBERS[kind] if place == "g" else 1 + 4 * "spo".index(place) + MEMBERS[kind]
        fields[number] = value
    return fields


def triple(**terms: object) -> Fields:
    return {2: statement(**terms)}


def quad(**terms: object) -> Fields:
    return {3: statement(**terms)}


def add(**terms: object) -> Fields:
    return {2: statement(**terms)}


def delete(**terms: object) -> Fields:
    return {3: statement(**terms)}


def header(key: str, **value: object) -> Fields:
    ((kind, content),) = value.items()
    return {14: {1: key, 2 + MEMBERS[kind]: content}}


BEGIN: Fields = {6: {}}
COMMIT: Fields = {7: {}}
ABORT: Fields = {8: {}}
MARK: Fields = {15: {}}


def small_rdf(statements: int = 3, frames: int = 1, physical: int = TRIPLES) -> bytes:
    """Triples `<http://e/s> <http://e/p> "n"`, n from 0, spread over frames."""
    first = [
        rdf_options(physical),
        rdf_entry("prefix", "http://e/"),
        rdf_entry("name", "s"),
        rdf_entry("name", "p"),
    ]
    make = quad if physical == QUADS else triple
    parts: list[list[Fields]] = [[] for _ in range(frames)]
    parts[0] += first
    for n in range(statements):
        terms: dict[str, object] = {"o_literal": literal(str(n))}
        if n == 0:
            terms |= {"s_iri": iri(1, 1), "p_iri": iri(2)}
            if physical == QUADS:
                terms["g_default"] = {}
        parts[n * frames // max(statements, 1)].append(make(**terms))
    return delimited(*(frame(*rows) for rows in parts))


def small_patch(patches: int = 2, adds: int = 2, stream: int = PUNCTUATED) -> bytes:
    """Patches with an id, a prev, and a transaction of some adds, each in a frame."""
    parts: list[bytes] = []
    count = 0
    for patch in range(patches):
        rows: list[Fields] = []
        if patch == 0:
            rows += [patch_options(stream), patch_entry("prefix", "http://e/")]
            rows += [patch_entry("name", "s"), patch_entry("name", "p")]
        rows.append(header("id", bnode=f"p{patch}"))
        if patch:
            rows.append(header("prev", bnode=f"p{patch - 1}"))
        rows.append(BEGIN)
        for _ in range(adds):
            terms: dict[str, object] = {"o_literal": literal(str(count))}
            if count == 0:
                terms |= {"s_iri": iri(1, 1), "p_iri": iri(2), "g_default": {}}
            rows.append(add(**terms))
            count += 1
        rows.append(COMMIT)
        if stream == PUNCTUATED:
            rows.append(MARK)
        parts.append(frame(*rows))
    return delimited(*parts)
