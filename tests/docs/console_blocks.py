#!/usr/bin/env python3
"""Runs every console block of README and book, and compares the output where it is shown.

    tests/docs/console_blocks.py [--binary FILE] [--write] [PAGE…]

Blocks of `console` have commands behind `$ ` (and `> ` where one goes on) with their output below; blocks of `sh` are commands alone.
Each page has an empty scratch folder, in which its blocks run one after the other, offline, with the program in the path, $REPOSITORY
for this repository and 80 columns. What a remark before a block says about it is in markdown_page.py, what may vary in shown_output.py.
`--write` puts the real output into the pages wherever a block differs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import markdown_page
import shown_output
from markdown_page import Block, Page

REPOSITORY = Path(__file__).resolve().parents[2]
#: No command of a page may take so long, in seconds.
PATIENCE = float(os.environ.get("DOCS_PATIENCE", "300"))


@dataclass
class Step:
    """A command of a block, and the output shown below it."""

    command: str
    #: The lines with the command, as they stand in the block.
    typed: list[str]
    shown: list[str]


class Failed(Exception):
    """A block does not do what its page says."""


def pages() -> list[Path]:
    """README and the chapters."""
    return [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs" / "src").glob("*.md"))]


def steps(block: Block) -> list[Step]:
    """The commands of a block of `console`."""
    found: list[Step] = []
    for line in block.lines:
        if line.startswith("$ "):
            found.append(Step(line[2:], [line], []))
        elif found and not found[-1].shown and line.startswith("> "):
            found[-1].command += "\n" + line[2:]
            found[-1].typed.append(line)
        elif found and not found[-1].shown and found[-1].command.endswith("\\"):
            found[-1].command += "\n" + line
            found[-1].typed.append(line)
        elif found:
            found[-1].shown.append(line)
        else:
            raise Failed("a block of console begins with a command behind '$ '")
    return found


class Scratch:
    """The folder of a page, and what its commands see."""

    def __init__(self, folder: Path, binary: Path):
        self.home = folder / "home"
        self.work = folder / "work"
        programs = folder / "bin"
        for made in (self.home, self.work, programs):
            made.mkdir()
        (programs / "surprisal").symlink_to(binary)
        kept = ("LANG", "LC_ALL", "TMPDIR", "RAYON_NUM_THREADS")
        self.environment = {name: os.environ[name] for name in kept if name in os.environ} | {
            "HOME": str(self.home),
            "PATH": f"{programs}:{os.environ['PATH']}",
            "REPOSITORY": str(REPOSITORY),
            "COLUMNS": "80",
            "HF_HUB_OFFLINE": "1",
            "NO_COLOR": "1",
        }

    def run(self, command: str) -> tuple[int, str]:
        """The exit code and all output of a command."""
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=self.work,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            check=False,
        )
        return done.returncode, done.stdout.decode("utf-8", errors="replace")


def run_console(block: Block, scratch: Scratch, write: bool) -> list[str] | None:
    """Runs a block of `console`; the lines that it should have, if it is to be written anew."""
    varying = shown_output.kinds(block.remarks.get("varies"))
    expected_code = int(block.remarks.get("exit", "0"))
    is_compared = "output not compared" not in block.remarks
    all_steps = steps(block)
    anew: list[str] = []
    differs = False
    for number, step in enumerate(all_steps):
        code, real = scratch.run(step.command)
        wanted = expected_code if number == len(all_steps) - 1 else 0
        if code != wanted:
            raise Failed(f"`{step.command}` ends with {code} instead of {wanted}:\n{real}")
        if is_compared and not shown_output.agrees(step.shown, real, varying):
            differs = True
            if not write:
                shown = "\n".join(step.shown)
                raise Failed(f"`{step.command}` prints something else. Shown:\n{shown}\nReal:\n{real}")
        anew += [*step.typed, *(real.rstrip().splitlines() if differs else step.shown)]
    return anew if differs else None


def run_page(page: Page, scratch: Scratch, write: bool, not_run: Counter[str]) -> tuple[int, list[str]]:
    """How many blocks of a page passed, and what failed."""
    passed, failures = 0, list(page.mistakes)
    changed: list[tuple[Block, list[str]]] = []
    for setup in page.setups:
        code, output = scratch.run(setup)
        if code:
            failures.append(f"{page.path}: the setup ends with {code}:\n{output}")
    for block in page.blocks:
        if "file" in block.remarks:
            file = scratch.work / block.remarks["file"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        if block.language not in {"console", "sh", "bash", "shell"}:
            continue
        if "not run" in block.remarks:
            not_run[block.remarks["not run"]] += 1
            continue
        try:
            if block.language == "console":
                anew = run_console(block, scratch, write)
                if anew is not None:
                    changed.append((block, anew))
            else:
                code, output = scratch.run("\n".join(block.lines))
                if code != int(block.remarks.get("exit", "0")):
                    raise Failed(f"ends with {code}:\n{output}")
            passed += 1
        except (Failed, shown_output.UnknownKind, subprocess.TimeoutExpired) as error:
            failures.append(f"{page.place(block.line)}: {error}")
    if changed:
        lines = page.text.splitlines()
        for block, anew in reversed(changed):
            lines[block.line - 1 : block.line - 1 + len(block.lines)] = anew
        page.path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return passed, failures


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", type=Path, default=REPOSITORY / "target/release/surprisal")
    parser.add_argument("--write", action="store_true", help="put the real output into the pages")
    parser.add_argument("--times", action="store_true", help="say how long each page takes")
    parser.add_argument("pages", nargs="*", type=Path)
    arguments = parser.parse_args()
    binary = arguments.binary.resolve()
    if not binary.is_file():
        print(f"there is no program at {binary}; build it, or name it with --binary", file=sys.stderr)
        return 2
    passed, failures, not_run = 0, [], Counter()
    for path in arguments.pages or pages():
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="surprisal-docs-") as folder:
            page = markdown_page.read(path.resolve())
            good, bad = run_page(page, Scratch(Path(folder), binary), arguments.write, not_run)
        passed += good
        failures += bad
        if arguments.times:
            print(f"{path.name}: {time.monotonic() - began:.1f} s", file=sys.stderr)
    for failure in failures:
        print(failure, file=sys.stderr)
    for reason, count in sorted(not_run.items()):
        print(f"  not run ({count}): {reason}")
    print(f"console_blocks: {passed} passed, {len(failures)} failed, {not_run.total()} not run")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
