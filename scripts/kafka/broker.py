#!/usr/bin/env python3
"""A Kafka broker of one node on loopback, for tests and for trying things out.

    python scripts/kafka/broker.py [TOPIC...]

Fetches Kafka with Maven into target/kafka the first time, starts it with an empty log and these topics, prints its
address once it answers, and runs until its standard input ends or it is interrupted. Topics are not made by writing
to them. Needs Java 17, Maven and confluent-kafka.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
HOME = HERE.parents[1] / "target" / "kafka"
PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
SECONDS = 120
JAVA = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")

SETTINGS = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
log.dirs={folder}/log
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
offsets.topic.num.partitions=1
transaction.state.log.num.partitions=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
log.retention.ms=-1
"""
LOGGING = """\
log4j.rootLogger=WARN, file
log4j.appender.file=org.apache.log4j.FileAppender
log4j.appender.file.File={folder}/broker.log
log4j.appender.file.layout=org.apache.log4j.PatternLayout
log4j.appender.file.layout.ConversionPattern=%d %p %m (%c)%n
"""


def main() -> None:
    """Runs a broker until a signal stops it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with contextlib.suppress(KeyboardInterrupt), broker() as address:
        make_topics(address, sys.argv[1:])
        print(address, flush=True)
        sys.stdin.read()


@contextlib.contextmanager
def broker() -> Iterator[str]:
    """Starts a broker and gives its address; it and its log are gone afterwards."""
    jars = fetch()
    HOME.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="broker-", dir=HOME))
    try:
        port, controller = free_ports(2)
        settings = folder / "server.properties"
        settings.write_text(SETTINGS.format(port=port, controller=controller, folder=folder))
        (folder / "log4j.properties").write_text(LOGGING.format(folder=folder))
        run = [
            java(),
            *JAVA,
            f"-Dlog4j.configuration=file:{folder}/log4j.properties",
            f"-Djava.io.tmpdir={folder}",
        ]
        run += ["-cp", f"{jars}/*"]
        done = subprocess.run(
            [*run, "kafka.tools.StorageTool", "format", "-t", "AAAAAAAAAAAAAAAAAAAAAQ", "-c", settings],
            capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        if done.returncode:
            sys.exit(f"the log of the broker could not be made: {done.stdout}{done.stderr}")
        with (folder / "output").open("wb") as output:
            process = subprocess.Popen(
                [*run, "kafka.Kafka", settings],
                stdout=output,
                stderr=output,
                stdin=subprocess.DEVNULL,
            )
        try:
            address = f"127.0.0.1:{port}"
            if not answers(address, process):
                said = (folder / "output").read_text(errors="replace")[-3000:]
                sys.exit(f"the broker did not come up: {said}")
            yield address
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def fetch() -> Path:
    """The folder of Kafka's jars."""
    jars, made = HOME / "lib", HOME / "lib" / ".complete"
    pom = HERE / "pom.xml"
    if made.exists() and made.read_bytes() == pom.read_bytes():
        return jars
    if shutil.which("mvn") is None:
        sys.exit("missing: mvn. To get it: apt install maven, or brew install maven")
    shutil.rmtree(jars, ignore_errors=True)
    fetched = subprocess.run(
        ["mvn", "-q", "-B", "-f", pom, f"-Dmaven.repo.local={HOME}/repository", PLUGIN, f"-DoutputDirectory={jars}"],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    if fetched.returncode:
        sys.exit(f"Kafka could not be fetched: {(fetched.stdout + fetched.stderr)[-2000:]}")
    made.write_bytes(pom.read_bytes())
    shutil.rmtree(HOME / "repository", ignore_errors=True)  # the jars are copied
    return jars


def java() -> str:
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(str(Path(home, "bin", "java")) if home else "java")
    if found is None:
        sys.exit("missing: Java 17 or later. To get it: apt install openjdk-17-jre-headless")
    return found


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def answers(address: str, process: subprocess.Popen[bytes]) -> bool:
    """Asks until the broker lists its topics."""
    from confluent_kafka import KafkaException
    from confluent_kafka.admin import AdminClient

    quiet = {"log_level": 0, "reconnect.backoff.ms": 50, "reconnect.backoff.max.ms": 200}
    admin = AdminClient({"bootstrap.servers": address, "error_cb": lambda _: None, **quiet})
    for _ in range(SECONDS):
        if process.poll() is not None:
            return False
        with contextlib.suppress(KafkaException):
            if admin.list_topics(timeout=1).brokers:
                return True
    return False


def make_topics(address: str, names: list[str]) -> None:
    """Makes topics of one partition."""
    from confluent_kafka.admin import AdminClient, NewTopic

    if names:
        admin = AdminClient({"bootstrap.servers": address})
        for made in admin.create_topics([NewTopic(name, 1, 1) for name in names]).values():
            made.result(SECONDS)


if __name__ == "__main__":
    main()
