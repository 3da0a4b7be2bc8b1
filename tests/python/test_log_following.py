"""What follows a log (a topic of Kafka, a store, Spark), while the log is compacted or replaced."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import jelly
from jelly import _push, _relay
from jelly.errors import PatchError
from object_store import ObjectStore
from sparql_store import sparql_store

pytest.importorskip("moto")
pytest.importorskip("obstore")

COUNT = 4


class Place(NamedTuple):
    place: str
    storage: dict[str, str] | None

    @property
    def log(self) -> jelly.Log:
        return jelly.Log(self.place, storage=self.storage)

    def make(self, first: int) -> None:
        log = jelly.Log.create(self.place, storage=self.storage)
        for n in range(first, first + COUNT):
            log.publish(f'TX .\nA <x:s> <x:p> "{n}" .\nTC .\n'.encode())

    def compact(self) -> None:
        self.log.compact(COUNT - 1)

    def replace(self) -> None:
        log = self.log
        if self.storage is None:
            for path in Path(self.place).iterdir():
                path.unlink()
        else:
            for name in log.objects.numbers(""):  # type: ignore[attr-defined]
                log.objects.delete(name.rpartition("/")[2] if "_index" not in name else name)  # type: ignore[attr-defined]
        self.make(101)


@pytest.fixture(params=["folder", "store"])
def place(request: pytest.FixtureRequest, store: ObjectStore, tmp_path: Path) -> Place:
    place = Place(str(tmp_path / "log"), None) if request.param == "folder" else Place(store.place(), store.storage)  # fmt: skip
    place.make(1)
    return place


class Producer:
    """A producer whose transactions are seen once they are committed."""

    def __init__(self) -> None:
        self.seen: list[bytes] = []
        self.begun: list[bytes] = []

    def begin_transaction(self) -> None:
        self.begun.clear()

    def produce(self, topic: str, value: bytes, *_: object, **__: object) -> None:
        assert topic == "t"
        self.begun.append(value)

    def poll(self, _: float) -> None:
        pass

    def commit_transaction(self, _: float) -> None:
        self.seen += self.begun

    def abort_transaction(self, _: float) -> None:
        self.begun.clear()


def changed_after_the_list(monkeypatch: pytest.MonkeyPatch, module: Any, change: Callable[[], None]) -> None:  # fmt: skip
    listed = module.next_versions

    def found(*args: Any) -> list[Any]:
        versions: list[Any] = listed(*args)
        if versions:
            monkeypatch.setattr(module, "next_versions", listed)
            change()
        return versions

    monkeypatch.setattr(module, "next_versions", found)


CHANGES = pytest.mark.parametrize(("change", "kind"), [(Place.compact, "patch.gap"), (Place.replace, "patch.changed")])  # fmt: skip


@CHANGES
def test_a_topic(place: Place, monkeypatch: pytest.MonkeyPatch, change: Callable[[Place], None], kind: str) -> None:  # fmt: skip
    pytest.importorskip("confluent_kafka")
    producer = Producer()
    monkeypatch.setattr(_relay._Relaying, "_begun", lambda _: producer)
    monkeypatch.setattr(_relay._Relaying, "_last", lambda _: None)
    assert jelly.relay(place.log, "kafka://h/t").patches == COUNT == len(producer.seen)
    producer.seen.clear()
    changed_after_the_list(monkeypatch, _relay, lambda: change(place))
    with pytest.raises(PatchError) as caught:
        jelly.relay(place.log, "kafka://h/t")
    assert (caught.value.kind, producer.seen) == (kind, [])


@CHANGES
def test_a_store(place: Place, monkeypatch: pytest.MonkeyPatch, change: Callable[[Place], None], kind: str) -> None:  # fmt: skip
    with sparql_store() as store:
        changed_after_the_list(monkeypatch, _push, lambda: change(place))
        with pytest.raises(PatchError) as caught:
            jelly.push(place.log, store.url)
        assert caught.value.kind == kind
        assert store.statements() == set()
        if change is Place.replace:
            assert jelly.push(place.log, store.url).patches == COUNT


@CHANGES
def test_tasks_of_spark(place: Place, change: Callable[[Place], None], kind: str) -> None:
    pytest.importorskip("pyspark")
    from pyspark.sql.types import StructType

    from jelly.spark.log.batch import LogReader
    from jelly.spark.log.options import LogReadOptions

    given = {"path": place.place, "minPartitions": "1"}
    given |= {f"storage.{name}": value for name, value in (place.storage or {}).items()}
    options = LogReadOptions.of(given, stream=False)
    reader = LogReader(options, StructType().add("object", "string"))
    (task,) = reader.partitions()
    assert sum(batch.num_rows for batch in reader.read(task)) >= COUNT
    change(place)
    with pytest.raises(PatchError) as caught:
        list(reader.read(task))
    assert caught.value.kind == kind
