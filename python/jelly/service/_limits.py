"""The limits of a server."""

from __future__ import annotations

from typing import NamedTuple

from jelly.service._problems import Problem
from jelly.types import Limits as Reading


class Limits(NamedTuple):
    """The limits of a server.

    Attributes:
        body: Bytes of a body as it is sent; 413.
        decompressed: Bytes of a body after decompression; 413.
        headers: Seconds until the headers of a request have arrived; 408.
        idle: Seconds without a byte of a body; 408.
        rate: Bytes a second that a body has on average after ``idle`` seconds; 408.
        connections: Connections at once; more are answered with 503.
        publishes: Publishes to a log that are running or waiting; more are rejected (503).
        datasets: Datasets, differences and histories that are computed at once; more are rejected (503).
        watchers: Requests that wait for versions at once; more are rejected (503).
        followers: Subscriptions over gRPC that follow a log or topic at once; more are rejected.
        requests: Requests a minute with one token, or of all clients without tokens; more are rejected (429). 0 for
            no limit.
        decoders: Bodies and answers that are decoded at once; others wait.
        states: Bytes of the datasets that are kept for a log (``_states``); 0 to keep none.
        free: Bytes of the disk that stay free; requests that would take them are rejected (507).
        topic: Bytes of a topic that was published over gRPC; more are rejected.
        drain: Seconds for running requests when the server stops.
        reading: Limits of the readers of bodies.
    """

    body: int = 256 << 20
    decompressed: int = 2 << 30
    headers: float = 10
    idle: float = 60
    rate: float = 1024
    connections: int = 256
    publishes: int = 64
    datasets: int = 2
    watchers: int = 128
    followers: int = 1024
    requests: int = 0
    decoders: int = 4
    states: int = 1 << 30
    free: int = 256 << 20
    topic: int = 10 << 30
    drain: int = 30
    reading: Reading = Reading()

    def given(self, name: str, text: str) -> Limits:
        """Returns the limits with one of them changed, as in ``--limit NAME=NUMBER``.

        Raises:
            ValueError: There is no such limit, or the text is not a valid number for it.
        """
        own = [field for field in self._fields if field != "reading"]
        try:
            if name in own:
                now = getattr(self, name)
                value = float(text) if isinstance(now, float) or name in _SECONDS else int(text)
                if value < 0:
                    raise ValueError("it cannot be less than 0")
                return Limits(**{**self._asdict(), name: value})
            if name in Reading.__dataclass_fields__:
                return self._replace(reading=self.reading.replace(**{name: int(text)}))
        except ValueError as error:
            raise ValueError(f"--limit {name}={text}: {error}") from None
        known = ", ".join([*own, *Reading.__dataclass_fields__])
        raise ValueError(f"--limit {name}: there is no such limit; there are {known}")

    @property
    def of_bodies(self) -> Reading:
        """Limits for the readers of bodies."""
        return self.reading.replace(decompressed_bytes=self.decompressed)


_SECONDS = ("headers", "idle", "rate")


class Rates:
    """Counts the requests of each client in the last minute."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, name: str, now: float) -> None:
        """Counts a request at a time in seconds.

        Raises:
            Problem: There were too many requests in the minute (429).
        """
        if not self._most:
            return
        left, before = self._left.get(name, (float(self._most), now))
        left = min(self._most, left + (now - before) * self._most / 60)
        if left < 1:
            seconds = str(max(1, round((1 - left) * 60 / self._most)))
            raise Problem(429, "rate", f"more than {self._most} requests a minute; try again later", {"Retry-After": seconds})  # fmt: skip
        self._left[name] = left - 1, now
