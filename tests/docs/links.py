#!/usr/bin/env python3
"""Whether README and book hold together: links, chapters, lengths, and every name that a config or a table may have.

    tests/docs/links.py [--binary FILE]

Every linked file and anchor exists; every chapter is in SUMMARY.md once; README has at most 150 lines; every part that `surprisal list`
names, every column of the exported tables and every kind of warning stands in the book.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

import console_blocks
import markdown_page
from console_blocks import REPOSITORY
from markdown_page import Page

BOOK = REPOSITORY / "docs" / "src"
README_LINES = 150
CHAPTER_LINES = 250
#: What `surprisal list` names, and where the book has each name. Loaders, post-processors and families are too many: the program lists them.
PARTS = {
    "retrievers": "configs.md",
    "templates": "configs.md",
    "inferencers": "configs.md",
    "models": "configs.md",
    "rules": "rules.md",
    "judge-rules": "judges_and_code.md",
    "evaluators": "metrics.md benchmark_metrics.md",
    "task-filters": "tasks.md",
    "task-metrics": "metrics.md",
    "task-aggregations": "tasks.md",
}


class Checks:
    """What was looked at, and what is wrong."""

    def __init__(self) -> None:
        self.passed = 0
        self.failures: list[str] = []

    def expect(self, holds: bool, message: str) -> None:
        if holds:
            self.passed += 1
        else:
            self.failures.append(message)


def check_links(checks: Checks, pages: dict[Path, Page]) -> None:
    """Files and anchors. What lies outside of the book is not part of its pages, so a chapter may not link there."""
    for page in pages.values():
        for line, target in page.links:
            if re.match(r"[a-z]+:", target):
                continue
            place = f"{page.place(line)}: {target}"
            name, _, anchor = target.partition("#")
            file = (page.path.parent / name).resolve() if name else page.path
            checks.expect(file.exists(), f"{place}: there is no such file")
            is_chapter = page.path.parent == BOOK
            checks.expect(not is_chapter or file.parent == BOOK, f"{place}: leads out of the book")
            if anchor and file in pages:
                checks.expect(anchor in pages[file].anchors, f"{place}: there is no such heading")


def check_chapters(checks: Checks, pages: dict[Path, Page]) -> None:
    """SUMMARY.md, and lengths."""
    listed = [target for _, target in pages[BOOK / "SUMMARY.md"].links]
    for path in sorted(BOOK.glob("*.md")):
        if path.name != "SUMMARY.md":
            checks.expect(listed.count(path.name) == 1, f"{path.name} is not in SUMMARY.md once")
            count = pages[path].line_count
            checks.expect(count <= CHAPTER_LINES, f"{path.name} has {count} lines, more than {CHAPTER_LINES}")
    count = pages[REPOSITORY / "README.md"].line_count
    checks.expect(count <= README_LINES, f"README.md has {count} lines, more than {README_LINES}")


def check_names(checks: Checks, pages: dict[Path, Page], binary: Path) -> None:
    """Names that are in the program."""
    listed = json.loads(subprocess.run([binary, "list", "--json"], check=True, capture_output=True).stdout)
    for part, chapters in PARTS.items():
        text = "\n".join(pages[BOOK / name].text for name in chapters.split())
        for entry in listed[part]:
            for name in [entry["name"], *(entry["aliases"] if part == "evaluators" else [])]:
                is_there = re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)
                checks.expect(bool(is_there), f"{chapters} lacks {name} of `surprisal list {part}`")
    source = (REPOSITORY / "src/warn/kind.rs").read_text(encoding="utf-8")
    names = source.split("impl Kind", 1)[-1].split("pub fn name", 1)[-1].split("\n    }\n", 1)[0]
    kinds = re.findall(r"=> \"(\w+)\"", names)
    checks.expect(len(kinds) > 10, "src/warn/kind.rs: the names of warnings are not where they were")
    for kind in kinds:
        checks.expect(f"`{kind}`" in pages[BOOK / "warnings.md"].text, f"warnings.md lacks {kind}")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", type=Path, default=REPOSITORY / "target/release/surprisal")
    arguments = parser.parse_args()
    pages = {path: markdown_page.read(path) for path in console_blocks.pages()}
    checks = Checks()
    check_links(checks, pages)
    check_chapters(checks, pages)
    check_names(checks, pages, arguments.binary.resolve())
    for failure in checks.failures:
        print(failure, file=sys.stderr)
    print(f"links: {checks.passed} passed, {len(checks.failures)} failed")
    return 1 if checks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
