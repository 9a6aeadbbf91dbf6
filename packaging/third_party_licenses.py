"""Writes the licences of all crates that are part of the program, with their texts.

    third_party_licenses.py TARGET >LICENSE-THIRD-PARTY

A text that several crates have is written once, under all their names. Licences that a crate bundles with C sources count as its own.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

# Where a crate names no file, its manifest's expression is all that there is.
FILE = re.compile(r"(UN)?LICEN[CS]E|COPYING|COPYRIGHT|NOTICE", re.IGNORECASE)
SOURCES = {".rs", ".c", ".h", ".py", ".toml", ".json"}


def main() -> None:
    """Writes to stdout."""
    crates = crates_of(sys.argv[1])
    names_of: dict[str, list[str]] = {}
    print("The program surprisal contains these crates. The texts of their licences follow.\n")
    for crate in crates:
        name = f"{crate['name']} {crate['version']}"
        print(f"{name}: {crate['license'] or 'see its text'}")
        for text in texts_of(Path(crate["manifest_path"]).parent):
            names_of.setdefault(text, []).append(name)
    for text, names in sorted(names_of.items(), key=lambda entry: entry[1]):
        print("\n" + "=" * 80 + "\n" + ", ".join(sorted(set(names))) + "\n" + "-" * 80 + "\n\n" + text)


def crates_of(target: str) -> list[dict]:
    """The crates that the program's own ones lead to, without those of tests and of build scripts."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    metadata = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    root = metadata["resolve"]["root"]
    found, open_ = {root}, [root]
    while open_:
        for dependency in nodes[open_.pop()]["deps"]:
            is_part = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if is_part and dependency["pkg"] not in found:
                found.add(dependency["pkg"])
                open_.append(dependency["pkg"])
    return sorted((packages[id_] for id_ in found - {root}), key=lambda crate: (crate["name"], crate["version"]))


def texts_of(folder: Path) -> list[str]:
    """The texts in a crate's folder and in those of the sources that it bundles."""
    files = (path for path in sorted(folder.rglob("*")) if FILE.match(path.name) and path.is_file())
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in files if path.suffix not in SOURCES)
    return [text.replace("\r\n", "\n").strip() for text in texts]


if __name__ == "__main__":
    main()
