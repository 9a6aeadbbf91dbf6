"""The output that a page shows, held against the real one.

`…` stands for what is left out: on a line of its own for any lines, inside of a line for any text there. Everything else has to be
the same, but for what the page says to vary (`<!-- varies: run, seconds -->`).
"""

from __future__ import annotations

import re

#: What may vary, by its name in a remark: what the shown text and the real one both have to look like there.
KINDS = {
    # The name of a run is its date and time; a second run in the same second is longer by `_2`, and so is its column.
    "run": r"\d{8}_\d{6}(?:_\d+)?",
    "seconds": r"\d+(?:\.\d+)? ?(?:ms|s|min|h)\b",
    "speed": r"\d[\d.,]*(?= (?:per second|tokens/s|GFLOP/s))",
    # Every number, and so the widths of columns.
    "numbers": r"[−+-]?\d[\d.,]*(?:e-?\d+)?",
    "bytes": r"\d+(?:\.\d+)? (?:bytes|KiB|MiB|GiB|kB|MB|GB)\b",
    "hash": r"\b[0-9a-f]{8,64}\b",
    # Dates and times of day as people write them.
    "time": r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}[:-]\d{2}[:-]\d{2}(?:\.\d+)?)?|\b\d{2}:\d{2}(?::\d{2})?\b",
    # Absolute paths.
    "path": r"/[\w./@+-]+",
}

#: How far a command is. It says so after some seconds, so that a slow machine has lines that no page shows.
PROGRESS = re.compile(r".+: [\d,]+ of [\d,]+, [\d.,]+ \w+/s\b.*|building prompts for .+: [\d,]+ of [\d,]+")


class UnknownKind(ValueError):
    """A remark names a kind that is not there."""


def kinds(remark: str | None) -> list[str]:
    """The kinds that a remark names."""
    names = [name.strip() for name in (remark or "").split(",") if name.strip()]
    for name in names:
        if name not in KINDS:
            raise UnknownKind(f"nothing is known to vary as '{name}', only {', '.join(KINDS)}")
    return names


def agrees(shown: list[str], real: str, varying: list[str]) -> bool:
    """Whether the real output is what is shown."""
    real_lines = _trimmed([line for line in real.splitlines() if not PROGRESS.fullmatch(line.rstrip())])
    shown_lines = _trimmed(shown)
    return _agree(shown_lines, real_lines, varying)


def _trimmed(lines: list[str]) -> list[str]:
    lines = [line.rstrip() for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines


def _agree(shown: list[str], real: list[str], varying: list[str]) -> bool:
    """Lines of `…` are taken as late as possible, so that what follows is found wherever it is."""
    # reachable[n]: the first n real lines are accounted for.
    reachable = {0}
    for line in shown:
        if line.strip() == "…":
            reachable = set(range(min(reachable), len(real) + 1)) if reachable else set()
            continue
        pattern = line_pattern(line, varying)
        reachable = {at + 1 for at in reachable if at < len(real) and pattern.fullmatch(real[at])}
        if not reachable:
            return False
    return len(real) in reachable


def line_pattern(line: str, varying: list[str]) -> re.Pattern[str]:
    """What a real line has to look like."""
    kinds_there = [(name, re.compile(KINDS[name])) for name in varying]
    loose_blanks = bool({"numbers", "run"} & set(varying))
    parts: list[str] = []
    place = 0
    while place < len(line):
        found = next(((name, hit) for name, kind in kinds_there if (hit := kind.match(line, place))), None)
        if found:
            parts.append(f"(?:{KINDS[found[0]]})")
            place = found[1].end()
        elif line[place] == "…":
            parts.append(".*")
            place += 1
        elif loose_blanks and line[place] == " ":
            while place < len(line) and line[place] == " ":
                place += 1
            parts.append(" +" if parts else " *")
        elif loose_blanks and line[place] == "-" and line.startswith("---", place):
            # The rule below a heading is as long as its column is wide.
            while place < len(line) and line[place] == "-":
                place += 1
            parts.append("-+")
        else:
            parts.append(re.escape(line[place]))
            place += 1
    return re.compile("".join(parts))
