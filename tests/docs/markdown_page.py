"""A Markdown file as the checks of the documentation read it: fenced blocks with the remarks before them, headings, links.

A remark is an HTML comment, which readers of the rendered page do not see:

    <!-- setup: COMMANDS -->          run first, in the page's folder; may stand anywhere on the page
    <!-- file: NAME -->               the next block is the content of this file
    <!-- varies: run, numbers -->     what may differ between the output shown and the real one (shown_output.py)
    <!-- exit: N -->                  the last command of the next block ends with this code
    <!-- output not compared: WHY --> the next block is run, and its output may be anything
    <!-- not run: WHY -->             the next block is not run

A remark belongs to the block that follows it, with nothing but blank lines and other remarks between.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^(?P<indent> *)(?P<fence>```+)(?P<language>[\w-]*)\s*$")
REMARK = re.compile(r"^<!-- *(?P<name>[a-z ]+):\s*(?P<value>.*?)\s*-->$", re.DOTALL)
HEADING = re.compile(r"^(#+) +(.*?) *#*$")
LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
REMARKS = {"setup", "file", "varies", "exit", "output not compared", "not run"}


@dataclass
class Block:
    """A fenced block."""

    language: str
    lines: list[str]
    #: The line of its first line, from 1.
    line: int
    remarks: dict[str, str] = field(default_factory=dict)


@dataclass
class Page:
    """A Markdown file."""

    path: Path
    blocks: list[Block] = field(default_factory=list)
    setups: list[str] = field(default_factory=list)
    #: Text outside of blocks, line by line, without code spans.
    links: list[tuple[int, str]] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    #: Remarks that nothing understands.
    mistakes: list[str] = field(default_factory=list)
    line_count: int = 0
    text: str = ""

    def place(self, line: int) -> str:
        """A line of the page, for messages."""
        here = Path.cwd()
        path = self.path.relative_to(here) if self.path.is_relative_to(here) else self.path
        return f"{path}:{line}"


def read(path: Path) -> Page:
    """Reads a page."""
    page = Page(path, text=path.read_text(encoding="utf-8"))
    lines = page.text.splitlines()
    page.line_count = len(lines)
    remarks: dict[str, str] = {}
    place = 0
    while place < len(lines):
        line = lines[place]
        fence = FENCE.match(line)
        if fence:
            end = next((at for at in range(place + 1, len(lines)) if lines[at].strip() == fence["fence"]), None)
            if end is None:
                page.mistakes.append(f"{path}:{place + 1}: a block without an end")
                break
            indent = len(fence["indent"])
            content = [line[indent:] for line in lines[place + 1 : end]]
            page.blocks.append(Block(fence["language"], content, place + 2, remarks))
            remarks = {}
            place = end + 1
            continue
        if line.startswith("<!--"):
            end = next((at for at in range(place, len(lines)) if "-->" in lines[at]), len(lines) - 1)
            found = REMARK.match("\n".join(lines[place : end + 1]).strip())
            if not found or found["name"] not in REMARKS:
                page.mistakes.append(f"{path}:{place + 1}: a remark that no check understands")
            elif found["name"] == "setup":
                page.setups.append(found["value"])
            elif not found["value"]:
                page.mistakes.append(f"{path}:{place + 1}: '{found['name']}' without saying what")
            else:
                remarks[found["name"]] = found["value"]
            place = end + 1
            continue
        if line.strip():
            if remarks:
                page.mistakes.append(f"{path}:{place + 1}: a remark with text behind it, where a block was expected")
                remarks = {}
            _take_text(page, place + 1, line)
        place += 1
    return page


def _take_text(page: Page, number: int, line: str) -> None:
    heading = HEADING.match(line)
    if heading:
        page.anchors.add(_free_anchor(page.anchors, anchor(heading[2])))
    plain = re.sub(r"`[^`]*`", lambda code: "x" * len(code[0]), line)
    page.links += [(number, link["target"]) for link in LINK.finditer(plain)]


def anchor(heading: str) -> str:
    """What a heading is linked by, as GitHub and mdBook make it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"[`*]", "", text).lower()
    return re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")


def _free_anchor(taken: set[str], wanted: str) -> str:
    name, again = wanted, 0
    while name in taken:
        again += 1
        name = f"{wanted}-{again}"
    return name
