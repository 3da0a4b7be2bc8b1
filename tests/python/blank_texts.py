"""Files with blank nodes, with labels and without."""

from __future__ import annotations

OLD = """@prefix : <urn:x:> .
:pump :has [ :property :power ; :max 5 ] , [ :property :flow ; :max 7 ] .
:valve :list ( :a [ :property :power ] ) .
"""
# the same graph, its nodes in another order
AGAIN = """@prefix : <urn:x:> .
:valve :list ( :a [ :property :power ] ) .
:pump :has [ :max 7 ; :property :flow ] , [ :max 5 ; :property :power ] .
"""
NEW = AGAIN.replace(":max 5", ":max 6")
NAMED = b"""<urn:x:pump> <urn:x:has> _:power .
_:power <urn:x:property> <urn:x:power> .
"""
XML = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="urn:x:">
<rdf:Description rdf:about="urn:x:pump"><x:has><rdf:Description><x:max>5</x:max></rdf:Description></x:has></rdf:Description>
</rdf:RDF>
"""
JSON = '{"@id": "urn:x:pump", "urn:x:has": {"urn:x:max": 5}}'
TRIG = "@prefix : <urn:x:> . :g { :pump :has [ :max 5 ] } "
FORMATS = {"ttl": OLD, "trig": TRIG, "rdf": XML, "jsonld": JSON}
DELETE = "D _:anon-0 <urn:x:property> <urn:x:power> .\n"


def in_transaction(rows: str, end: str = "TC") -> bytes:
    return f"H id <urn:p:1> .\nTX .\n{rows}{end} .\n".encode()
