"""Which rooms of the library name which: modules at the top of `src` and of `python/jelly`."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
PACKAGE = ROOT / "python/jelly"

Graph = dict[str, set[str]]
Arrow = tuple[str, str]

_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TESTS = re.compile(r"#\[cfg\(test\)\]\s*mod \w+ \{.*", re.DOTALL)  # they stand at the end
_PATHS = re.compile(r"\bcrate::(\{|\w+)")
_EXPORTS = re.compile(r"^pub use (?:crate::)?(\w+)::(?:(\w+)|\{([^}]*)\});", re.MULTILINE)


def rooms(folder: Path, ending: str) -> dict[str, list[Path]]:
    """The files of each room; a room is a file or a folder, and the file at the root has none."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(folder.rglob(f"*{ending}")):
        first, *rest = path.relative_to(folder).parts
        if rest or first not in ("lib.rs", "__init__.py", "__main__.py"):
            found[first.removesuffix(ending)].append(path)
    return found


def rust() -> Graph:
    """The rooms that each room of the crate names; `lib.rs` only passes names on."""
    files = rooms(SRC, ".rs")
    exports = {
        name.strip(): room
        for room, one, several in _EXPORTS.findall((SRC / "lib.rs").read_text())
        for name in (one or several).split(",")
    }
    graph: Graph = {}
    for room, paths in files.items():
        named: set[str] = set()
        for path in paths:
            text = _TESTS.sub("", _COMMENTS.sub("", path.read_text()))
            if path.parent == SRC or (path.name == "mod.rs" and path.parent.parent == SRC):
                text = re.sub(r"(?m)^((?:pub )?use )super::", r"\1crate::", text)
            for match in _PATHS.finditer(text):
                first = match[1]
                named |= {exports.get(name, name) for name in _heads(text, match.end(), first)}
        graph[room] = (named & files.keys()) - {room}
    return graph


def _heads(text: str, at: int, first: str) -> Iterable[str]:
    """The first names of `{a::b, c::{d, e}}`, whose brace was just read; else the name itself."""
    if first != "{":
        return [first]
    depth, group = 1, ""
    while depth:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        group += text[at] if depth == 1 else ""
        at += 1
    return [part.strip().partition("::")[0].strip() for part in group.split(",")]


def python() -> Graph:
    """The rooms that each room of the package imports, also late, but not for types alone.

    The native module imports what `src/python` names in `import("jelly...")`.
    """
    files = rooms(PACKAGE, ".py")
    names = {*files, "_internal"}
    native = "".join(path.read_text() for path in (SRC / "python").rglob("*.rs"))
    graph: Graph = {"_internal": set(re.findall(r'import\("jelly\.(\w+)', native)) & names}
    for room, paths in files.items():
        graph[room] = set()
        for path in paths:
            graph[room] |= _imports(ast.parse(path.read_text())) & names - {room}
    return graph


def _imports(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and node.module == "jelly":
            found |= {alias.name for alias in node.names}
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        found |= {module.split(".")[1] for module in modules if module.startswith("jelly.")}
        found |= _imports(node)
    return found


def circles(graph: Graph, without: Iterable[Arrow] = ()) -> list[list[str]]:
    """Rooms that reach each other by the arrows of the graph, without those that are given."""
    gone = set(without)
    arrows = {room: {to for to in named if (room, to) not in gone} for room, named in graph.items()}

    def reached(start: str) -> set[str]:
        found: set[str] = set()
        ahead = [start]
        while ahead:
            new = arrows[ahead.pop()] - found
            found |= new
            ahead.extend(new)
        return found

    reach = {room: reached(room) for room in graph}
    found = {frozenset(to for to in reach[room] if room in reach[to]) for room in graph}
    return sorted(sorted(one) for one in found if len(one) > 1)
