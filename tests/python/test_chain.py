"""The order of patches of tables: the cases are those of the native library."""

import pytest

from jelly.errors import PatchError
from jelly.spark.tables.chain import Facts, identity, ordered


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ("", []),
        ("< < <", [0, 1, 2]),
        ("a< b<a c<b", [0, 1, 2]),
        ("a<z b<a c<b", [0, 1, 2]),
        ("c<b a< b<a", [1, 2, 0]),
        ("c<b a<z b<a", [1, 2, 0]),
        ("a< b<", [0, 1]),
        ("a< b<a c< d<c", [0, 1, 2, 3]),
        ("a< <", "patch.mixed"),
        ("< <a", "patch.mixed"),
        ("a< a<", "patch.duplicate"),
        ("a< b<a c<a", "patch.fork"),
        ("a< c<b", "patch.gap"),
        ("b<x c<y", "patch.gap"),
        ("b<a c<", [0, 1]),
        ("a<b b<a", "patch.cycle"),
        ("a<a", "patch.cycle"),
        ("a< b<a c<d d<c", "patch.cycle"),
        ("a< b<a c<a d<x", "patch.fork"),
    ],
)
def test_logs_and_what_is_wrong_with_them(log: str, expected: list[int] | str) -> None:
    """``id<prev``, either of them may be missing."""
    pairs = [patch.partition("<")[::2] for patch in log.split()]
    patches = [Facts("s", n, id or None, prev or None) for n, (id, prev) in enumerate(pairs)]
    if isinstance(expected, list):
        found = ordered(patches[::-1], ignore=False)
        assert [facts.patch for facts in found] == expected
        return
    with pytest.raises(PatchError, match='chain="ignore" takes') as caught:
        ordered(patches, ignore=False)
    assert (caught.value.kind, caught.value.source) == (expected, "s")
    assert ordered(patches, ignore=True) == patches


def test_names_are_ordered_as_people_count() -> None:
    names = [None, "a/patch-9", "a/patch-10", "b/1"]
    patches = [Facts(name, patch) for name in names for patch in (0, 1)]
    assert ordered(patches[::-1], ignore=False) == patches


def test_a_uuid_is_one_id_in_three_spellings() -> None:
    uuid = "0b5e9d8a-77A9-4c0e-9f6e-3f0f3b0a2c11"
    spelled = [f"<uuid:{uuid}>", f"<URN:uuid:{uuid.lower()}>", f'"{uuid}"']
    assert {identity(term) for term in spelled} == {uuid.lower()}
    assert identity("<a>") != identity('"a"')
    assert identity(f'"{uuid}"@en') == f'"{uuid}"@en'
