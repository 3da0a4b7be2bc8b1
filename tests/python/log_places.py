"""A model of a log, and a machine of Hypothesis that publishes and reads through any kind of place."""

from __future__ import annotations

import io
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import jelly
from jelly.errors import JellyError, PatchError

BASE = '<a:s> <a:p> "base" .\n'
VALUES = st.integers(0, 5)
CHOICE = st.integers(0, 7)
HOW = settings(
    max_examples=15,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def row(op: str, value: int) -> str:
    return f'{op} <a:s> <a:p> "{value}" .\n'


class LogMachine(RuleBasedStateMachine):
    """Each step does the same to a log and to lists; a subclass says where the log stands."""

    storage: dict[str, str] | None = None
    """How an object store is reached."""

    def make(self, folder: Path, stack: ExitStack) -> Any:
        """A place for a log that is not there yet."""
        raise NotImplementedError

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        self.place = self.make(folder, self.stack)
        self.copy = folder / "copy"
        self.ids: list[str] = []
        self.rows: list[tuple[str, int]] = []
        self.states: list[set[str]] = []

    def teardown(self) -> None:
        self.stack.close()

    @initialize(based=st.booleans())
    def begin(self, based: bool) -> None:
        data = BASE.encode() if based else None
        self.log = jelly.Log.create(self.place, data, base_format="nq", storage=self.storage)
        self.states.append({BASE} if based else set())

    def send(self, op: str, value: int, id: str | None, **more: Any) -> Any:
        head = f"H id <{id}> .\n" if id else ""
        if prev := more.pop("prev", None):
            head += f"H prev {prev} .\n"
        return self.log.publish(f"{head}TX .\n{row(op, value)}TC .\n".encode(), **more)

    def took(self, op: str, value: int, done: Any) -> None:
        assert not done.replayed
        assert done.version == len(self.ids) + 1
        assert done.prev == (self.ids[-1] if self.ids else None)
        self.ids.append(done.id)
        self.rows.append((op, value))
        quad = row("A", value)[2:]
        self.states.append(self.states[-1] | {quad} if op == "A" else self.states[-1] - {quad})

    @rule(op=st.sampled_from("AD"), value=VALUES, named=st.booleans(), how=CHOICE)
    def publish(self, op: str, value: int, named: bool, how: int) -> None:
        more: dict[str, Any] = {}
        head = self.ids[-1] if self.ids else None
        if how == 1:
            more["expect"] = len(self.ids)
        elif how in (2, 3) and head:
            more["expect" if how == 2 else "prev"] = head
        id = f"x:{len(self.ids)}" if named else None
        self.took(op, value, self.send(op, value, id, **more))

    @rule(op=st.sampled_from("AD"), value=VALUES, how=CHOICE)
    def conflict(self, op: str, value: int, how: int) -> None:
        expects: list[dict[str, Any]] = [{"expect": len(self.ids) + 1}, {"expect": "x:other"}]
        more = [*expects, {"prev": "<x:other>"}][how % 3]
        with pytest.raises(PatchError) as caught:
            self.send(op, value, "x:new", **more)
        assert caught.value.kind == "patch.conflict"

    @rule(at=CHOICE, expect=st.sampled_from([None, 0, 999, "x:other"]))
    def replay(self, at: int, expect: Any) -> None:
        if self.ids:
            at %= len(self.ids)
            done = self.send(*self.rows[at], self.ids[at].strip("<>"), expect=expect)
            assert done.replayed
            prev = self.ids[at - 1] if at else None
            assert (done.version, done.id, done.prev) == (at + 1, self.ids[at], prev)

    @rule(at=CHOICE)
    def duplicate(self, at: int) -> None:
        if self.ids:
            at %= len(self.ids)
            with pytest.raises(PatchError) as caught:
                self.send(self.rows[at][0], 99, self.ids[at].strip("<>"))
            assert caught.value.kind == "patch.duplicate"

    @rule(
        data=st.sampled_from(
            [b"TX .\n" + row("A", 1).encode(), b"", b"A <a:s> <a:p> .\n", b"A <a:s"]
        )
    )
    def refuse(self, data: bytes) -> None:
        with pytest.raises(JellyError):
            self.log.publish(data, format="rdfp")

    @rule(one=CHOICE, other=CHOICE)
    def ranges(self, one: int, other: int) -> None:
        after, upto = sorted(n % (len(self.ids) + 1) for n in (one, other))
        found = list(self.log.versions(after, upto))
        assert [version.version for version in found] == list(range(after + 1, upto + 1))
        assert [version.id for version in found] == self.ids[after:upto]
        assert [(v.added, v.deleted) for v in found] == [
            (int(op == "A"), int(op == "D")) for op, _ in self.rows[after:upto]
        ]
        with self.log.read(after, upto) as reader:
            assert [patch.id for patch in reader.patches()] == self.ids[after:upto]

    @rule(at=CHOICE, by_id=st.booleans())
    def fetch(self, at: int, by_id: bool) -> None:
        if self.ids:
            at %= len(self.ids)
            out = io.BytesIO()
            self.log.fetch(self.ids[at] if by_id else at + 1, out, to="rdfp")
            op, value = self.rows[at]
            assert row(op, value) in out.getvalue().decode()

    @rule(at=CHOICE, by_id=st.booleans())
    def state(self, at: int, by_id: bool) -> None:
        at %= len(self.states)
        out = io.BytesIO()
        self.log.dataset(out, self.ids[at - 1] if at and by_id else at, to="nq")
        assert set(out.getvalue().decode().splitlines(keepends=True)) == self.states[at]

    @rule(over=st.integers(1, 3))
    def beyond(self, over: int) -> None:
        for ask in (
            lambda: list(self.log.versions(0, len(self.ids) + over)),
            lambda: self.log.fetch(len(self.ids) + over, io.BytesIO()),
            lambda: self.log.fetch("x:none", io.BytesIO()),
        ):
            with pytest.raises(PatchError) as caught:
                ask()
            assert caught.value.kind == "patch.version"

    @rule()
    def again(self) -> None:
        """Another process opens the log."""
        self.log = jelly.Log(self.place, storage=self.storage)

    @rule()
    def pull(self) -> None:
        copy = self.log.pull(self.copy)
        assert copy.head == self.log.head
        out = io.BytesIO()
        copy.dataset(out, to="nq")
        assert set(out.getvalue().decode().splitlines(keepends=True)) == self.states[-1]
        assert {problem.kind for problem in copy.verify().problems} <= {"patch.effect"}

    @invariant()
    def head(self) -> None:
        if self.states:
            version = len(self.ids)
            assert tuple(self.log.head) == (version, self.ids[-1] if version else None)
            assert list(self.log.watch(max(0, version - 1), timeout=0))[-1:] == list(
                self.log.versions(max(0, version - 1))
            )
