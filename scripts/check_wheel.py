"""Checks what `make wheel` built: names, contents, and that it installs where nothing else is.

python scripts/check_wheel.py DIST
"""

import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "target"
# The newest glibc that a wheel of ours may ask for.
GLIBC = (2, 28)
SDIST_HOLDS = ["Cargo.lock", "Cargo.toml", "LICENSE", "README.md", "pyproject.toml", "src/lib.rs"]
SDIST_HOLDS += [str(path.relative_to(ROOT)) for path in ROOT.glob("proto/*.proto")]
PYTHON = ROOT / "python"
WHEEL_HOLDS = [str(path.relative_to(PYTHON)) for path in PYTHON.glob("*/**/*.py")]
WHEEL_HOLDS += [str(path.relative_to(PYTHON)) for path in PYTHON.glob("*/**/*.binpb")]


def main(dist: Path) -> None:
    [wheel], [sdist] = dist.glob("*.whl"), dist.glob("*.tar.gz")
    check_tags(wheel)
    sdist_holds = SDIST_HOLDS + [f"python/{name}" for name in WHEEL_HOLDS]
    check_contents(wheel, members := dict(wheel_members(wheel)))
    require(not (absent := set(WHEEL_HOLDS) - members.keys()), f"{wheel.name} lacks {absent}")
    check_contents(sdist, members := dict(tar_members(sdist)))
    require(not (absent := set(sdist_holds) - members.keys()), f"{sdist.name} lacks {absent}")
    for archive in (wheel, sdist):
        version = install_alone(archive)
        require(f"-{version}" in archive.name, f"{archive.name} calls itself {version}")
        print(f"good: {archive} ({archive.stat().st_size / 1024:.0f} kB)")


def require(true: bool, otherwise: str) -> None:
    if not true:
        sys.exit(f"bad: {otherwise}")


def check_tags(wheel: Path) -> None:
    python, abi, platform = wheel.stem.split("-")[-3:]
    require((python, abi) == ("cp311", "abi3"), f"{wheel.name} is not for all Pythons from 3.11")
    if sys.platform == "linux":
        glibc = re.search(r"manylinux_(\d+)_(\d+)_", platform)
        require(glibc is not None, f"{wheel.name} is not a manylinux wheel")
        assert glibc
        require((int(glibc[1]), int(glibc[2])) <= GLIBC, f"{wheel.name} needs too new a glibc")


def wheel_members(wheel: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            yield name, archive.read(name)


def tar_members(sdist: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(sdist) as archive:
        for member in archive:
            if (file := archive.extractfile(member)) is not None:
                yield member.name.partition("/")[2], file.read()


def check_contents(archive: Path, members: dict[str, bytes]) -> None:
    require(len(members) > 3, f"{archive.name} is empty")
    traces = [re.escape(os.fsencode(path)) for path in folders_of_this_machine()]
    traces += [rb"/home/\w+/", rb"/Users/\w+/", rb"registry/src/", rb"\.cargo/registry"]
    pattern = re.compile(b"|".join(traces))
    for name, content in members.items():
        if found := pattern.search(content):
            line = content[max(0, found.start() - 40) : found.end() + 80]
            require(False, f"{name} of {archive.name} names a folder: {line!r}")
        if name.endswith("/METADATA"):
            needs = [
                line
                for line in content.decode().splitlines()
                if line.startswith("Requires-Dist:") and "extra ==" not in line
            ]
            require(not needs, f"{archive.name} depends on {needs}")


def folders_of_this_machine() -> set[str]:
    home = Path.home()
    folders = {ROOT, Path(os.environ.get("CARGO_HOME", home / ".cargo")), home}
    folders |= {path.resolve() for path in folders}
    return {f"{path}/" for path in folders if path != Path("/")}


def install_alone(archive: Path) -> str:
    """Installs into an environment that holds not even pip; gives the version it calls itself."""
    home = TARGET / "check"
    venv.create(home, clear=True, with_pip=False)
    python = home / "bin" / "python"
    # The sdist builds without protoc, and with a target folder that the next check uses again.
    environ = os.environ | {"PROTOC": "/nonexistent", "CARGO_TARGET_DIR": str(TARGET / "sdist")}
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python)]
    # pip would take the wheel that it once built from an sdist at this path.
    run([*pip, "install", "--quiet", "--no-cache-dir", str(archive)], environ)
    installed = run([*pip, "list", "--format", "freeze"], environ).split()
    require(len(installed) == 1, f"{archive.name} brought {installed}")
    return run([str(python), "-I", "-c", "import jelly; print(jelly.__version__)"], environ).strip()


def run(command: list[str], environ: dict[str, str]) -> str:
    # Away from the repository, where `import jelly` must find what was installed.
    done = subprocess.run(
        command, cwd=TARGET, env=environ, check=False, stdout=subprocess.PIPE, text=True
    )
    require(done.returncode == 0, f"failed: {' '.join(command)}")
    return done.stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
