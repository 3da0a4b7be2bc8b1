"""Converts settings of Kafka's Java clients, which Spark users know, to settings of librdkafka."""

from __future__ import annotations

import re
from collections.abc import Mapping

PREFIX = "kafka."

_RENAMED = {
    "fetch.max.wait.ms": "fetch.wait.max.ms",
    "receive.buffer.bytes": "socket.receive.buffer.bytes",
    "send.buffer.bytes": "socket.send.buffer.bytes",
    "max.request.size": "message.max.bytes",
    "socket.connection.setup.timeout.max.ms": "socket.connection.setup.timeout.ms",
}
_OURS = {
    "auto.offset.reset": "startingOffsets sets where to begin",
    "enable.auto.commit": "Spark's checkpoint holds the offsets",
    "enable.auto.offset.store": "Spark's checkpoint holds the offsets",
    "enable.partition.eof": "the source needs it",
    "enable.idempotence": "it is always on",
    "key.serializer": "keys are bytes",
    "value.serializer": "values are Jelly",
    "key.deserializer": "keys are bytes",
    "value.deserializer": "values are Jelly",
    "interceptor.classes": "the source does not use Java",
    "max.poll.records": "the workers fetch without it; maxOffsetsPerTrigger bounds a batch",
}
# settings that only one kind of client knows; the other kinds would log a warning
_CONSUMER = (
    "fetch.",
    "group.",
    "isolation.",
    "queued.",
    "max.partition.",
    "check.crcs",
    "session.",
)
_PRODUCER = (
    "acks", "batch.", "buffer.", "compression.", "delivery.", "linger.", "max.in.flight.", "message.",
    "partitioner", "queue.", "retries", "retry.", "transactional.",
)  # fmt: skip


def translated(options: Mapping[str, str]) -> dict[str, str]:
    """Converts the options ``kafka.*`` to settings of librdkafka.

    Raises:
        ValueError: The source sets a setting itself, librdkafka has no equivalent, or ``kafka.bootstrap.servers`` is
            missing.
    """
    settings: dict[str, str] = {}
    given = {
        name.lower().removeprefix(PREFIX): value
        for name, value in options.items()
        if name.lower().startswith(PREFIX)
    }
    for name in _OURS:
        if name in given:
            raise ValueError(f"option 'kafka.{name}' cannot be set: {_OURS[name]}")
    if not given.get("bootstrap.servers"):
        raise ValueError("option 'kafka.bootstrap.servers' is missing: host:port, with commas")
    settings |= _stores(given)
    if (jaas := given.pop("sasl.jaas.config", None)) is not None:
        settings |= _jaas(jaas)
    if (memory := given.pop("buffer.memory", None)) is not None:
        settings["queue.buffering.max.kbytes"] = str(int(memory) // 1024 or 1)
    if given.get("ssl.endpoint.identification.algorithm") == "":
        given["ssl.endpoint.identification.algorithm"] = "none"
    for name, value in given.items():
        settings[_RENAMED.get(name, name)] = value
    return settings


def for_consumer(settings: Mapping[str, str]) -> dict[str, str]:
    """Returns the settings without those that only producers know."""
    return {name: value for name, value in settings.items() if not name.startswith(_PRODUCER)}


def for_producer(settings: Mapping[str, str]) -> dict[str, str]:
    """Returns the settings without those that only consumers know."""
    return {name: value for name, value in settings.items() if not name.startswith(_CONSUMER)}


def for_admin(settings: Mapping[str, str]) -> dict[str, str]:
    """Returns the settings without those that only consumers or producers know."""
    return for_producer(for_consumer(settings))


def _stores(given: dict[str, str]) -> dict[str, str]:
    """Converts Java's key stores and trust stores; removes their settings from ``given``."""
    settings = {}
    kind = given.pop("ssl.truststore.type", "JKS").upper()
    if (path := given.pop("ssl.truststore.location", None)) is not None:
        if kind != "PEM":
            raise ValueError(
                f"option 'kafka.ssl.truststore.location': librdkafka cannot read {kind} trust "
                "stores; export the certificates as PEM and set 'kafka.ssl.ca.location'"
            )
        settings["ssl.ca.location"] = path
    given.pop("ssl.truststore.password", None)  # PEM files have no password
    kind = given.pop("ssl.keystore.type", "JKS").upper()
    path = given.get("ssl.keystore.location")
    if path is not None and kind == "PEM":
        del given["ssl.keystore.location"]
        settings |= {"ssl.certificate.location": path, "ssl.key.location": path}
    elif path is not None and kind != "PKCS12":
        raise ValueError(
            f"option 'kafka.ssl.keystore.location': librdkafka cannot read {kind} key stores; use "
            "one in PKCS12 or PEM and set 'kafka.ssl.keystore.type'"
        )
    return settings


def _jaas(text: str) -> dict[str, str]:
    """Parses user and password of Java's login modules."""
    module = re.match(r"\s*[\w.]*\.(Plain|Scram)LoginModule\s", text)
    values = dict(re.findall(r"""(\w+)\s*=\s*["']([^"']*)["']""", text))
    if module is None or not {"username", "password"} <= values.keys():
        raise ValueError(
            "option 'kafka.sasl.jaas.config': only PlainLoginModule and ScramLoginModule with "
            "username and password are supported; for others, use librdkafka's own settings, "
            "such as 'kafka.sasl.username'"
        )
    return {"sasl.username": values["username"], "sasl.password": values["password"]}
