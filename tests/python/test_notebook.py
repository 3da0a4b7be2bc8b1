"""What results are in a notebook: tables, with all text of the data escaped."""

from __future__ import annotations

import io
from pathlib import Path

import jelly
from test_page import Page

ODD = "<script>alert(1)</script>"


def page(html: str) -> Page:
    found = Page(html)
    assert not [tag for tag, _ in found.tags if tag in ("script", "img")]
    return found


def test_a_difference_and_a_patch() -> None:
    out = io.BytesIO()
    done = jelly.diff(b"", b"<a:s> <a:p> <a:o> .\n", out, id="urn:1")
    text = page(done._repr_html_()).text
    assert "added1deleted0" in text
    assert "id<urn:1>" in text
    assert "added1" in page(jelly.squash(out.getvalue(), io.BytesIO())._repr_html_()).text


def test_counts_of_a_source() -> None:
    rows = "".join(f'<a:s> <a:p> "{n}" <a:g{n % 2}> .\n' for n in range(1500))
    text = page(jelly.stats(rows.encode(), format="nq")._repr_html_()).text
    assert "rows1,500" in text
    assert "<a:g0>750" in text
    found = jelly.stats(f'<a:s> <a:p> "x"^^<a:{ODD[1:7]}> .\n'.encode(), format="nq")
    assert "a:script" in page(found._repr_html_()).text


def test_a_log(tmp_path: Path) -> None:
    log = jelly.Log.create(tmp_path / "plant")
    assert "plant: version 0" in page(log._repr_html_()).text
    for number in range(23):
        log.publish(f'H author "{ODD}" .\nTX .\nA <a:s> <a:p> "{number}" .\nTC .\n'.encode())
    found = page(log._repr_html_())
    assert [tag for tag, _ in found.tags].count("tr") == 21
    assert "version 23; the newest 20 of 23 versions" in found.text
    assert ODD in found.text
