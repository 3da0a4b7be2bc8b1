"""Canonical N-Triples terms, as the text twins of the corpus have them."""

import re

_ESCAPES = {
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
    '"': '\\"',
    "\\": "\\\\",
}
_PLAIN = {escape: char for char, escape in _ESCAPES.items()}
_TO_ESCAPE = re.compile(r'[\b\t\n\f\r"\\]')
_ESCAPED = re.compile(r"\\.")
TERM = re.compile(
    r'<(?P<iri>[^>]*)>|_:(?P<label>\S+)|"(?P<lex>(?:[^"\\]|\\.)*)"'
    r"(?:@(?P<lang>[\w-]+)|\^\^<(?P<datatype>[^>]*)>)?"
)
_LANGUAGE = re.compile(r'"@[\w-]+')


def escape(lexical: str) -> str:
    return _TO_ESCAPE.sub(lambda match: _ESCAPES[match[0]], lexical)


def unescape(lexical: str) -> str:
    return _ESCAPED.sub(lambda match: _PLAIN[match[0]], lexical)


def folded(line: str) -> str:
    """Language tags in lower case: that of a tag means nothing, and one twin differs in it."""
    return _LANGUAGE.sub(lambda match: match[0].lower(), line)
