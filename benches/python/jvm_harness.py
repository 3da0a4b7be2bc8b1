"""The harness over Jelly-JVM and Jena, built once; benchmarks and tests run it."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from places import BUILD, SkippedError, need, shared


@cache
def harness() -> Path:
    """Its folder."""
    need("java", "mvn")
    source, home = shared("peers/jvm"), BUILD / "jvm"
    if not (home / "target" / "jvm-peer.jar").exists():
        shutil.copytree(source, home, dirs_exist_ok=True)
        for path in [home, *home.rglob("*")]:
            path.chmod(path.stat().st_mode | 0o200)  # the shared copy may be read-only
        made = subprocess.run([home / "build.sh"], capture_output=True, text=True)
        if made.returncode:
            said = f"{made.stdout[-500:]}{made.stderr[-500:]}"
            raise SkippedError(f"the harness over Jelly-JVM and Jena could not be built: {said}")
    return home


def run(*command: str | Path, java: str) -> subprocess.CompletedProcess[str]:
    """Runs a command of the harness; ``java``: options of the JVM."""
    environment = {**os.environ, "JAVA_OPTS": java}
    return subprocess.run(
        [harness() / "peer.sh", *command], env=environment, capture_output=True, text=True
    )
