"""Terms as HTML: short where a prefix is known, links where they are addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from jelly._html import Html, joined, link, tag, text

_LOCAL = re.compile(r"[A-Za-z0-9_][\w-]*(?:\.[\w-]+)*", re.ASCII)
_LITERAL = re.compile(r'("(?:[^"\\]|\\.)*")(?:\^\^(<[^>]*>)|(@[A-Za-z0-9-]+))?', re.DOTALL)
# http and https alone: a link must not run anything
_WEB = re.compile(r"https?://[^\s]+", re.IGNORECASE)
WELL_KNOWN = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dcterms": "http://purl.org/dc/terms/",
}


class Terms(NamedTuple):
    """How terms are shown.

    Attributes:
        prefixes: Names and what they stand for.
        history: The address of the history of a term; None: there is none.
    """

    prefixes: Mapping[str, str]
    history: Callable[[str], str | None] | None = None

    def short(self, iri: str) -> str | None:
        """An IRI as a prefixed name; None: no prefix fits."""
        best: tuple[int, str] | None = None
        for name, start in self.prefixes.items():
            if iri.startswith(start) and _LOCAL.fullmatch(iri[len(start) :]):
                best = max(best or (0, ""), (len(start), f"{name}:{iri[len(start) :]}"))
        return best[1] if best else None

    def plain(self, term: str) -> str:
        """A term as text: short where a prefix is known."""
        return (self.short(term[1:-1]) if term.startswith("<") else None) or term

    def html(self, term: str | None) -> Html:
        """A term in canonical N-Triples; links lead to where an IRI points."""
        if not term:
            return Html("")
        if term.startswith("<") and not term.startswith("<<"):
            iri = term[1:-1]
            name = self.short(iri)
            to = iri if _WEB.fullmatch(iri) else None
            return link(to, name or f"<{iri}>", title=iri if name else None, rel="noopener noreferrer nofollow") if to else text(name or term)  # fmt: skip
        if match := _LITERAL.fullmatch(term):
            value, datatype, language = match.groups()
            if datatype:
                return joined((value, tag("span", "^^", self.html(datatype), class_="soft")))
            return joined((value, tag("span", language or "", class_="soft")))
        return text(term)

    def subject(self, term: str) -> Html:
        """A subject, with a link to its history."""
        shown = self.html(term)
        if self.history is None or (to := self.history(term)) is None:
            return shown
        return joined((shown, " ", tag("a", "history", href=to, class_="soft")))
