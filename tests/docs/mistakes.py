#!/usr/bin/env python3
"""Whether the checks of the documentation find mistakes: each is made in a page of its own, and must be told.

    tests/docs/mistakes.py

The program is stood in for by `echo`; nothing is built.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

import console_blocks
import links
import markdown_page

FENCE = "```"


def console(content: str, remark: str = "") -> str:
    """A page with one block."""
    return f"{remark}\n{FENCE}console\n{content}\n{FENCE}\n"


#: Pages that are right.
RIGHT = {
    "output": console("$ echo one; echo two\none\ntwo"),
    "lines left out": console("$ printf 'a\\nb\\nc\\nd\\n'\na\n…\nd"),
    "text left out": console("$ echo from a to z\nfrom … z"),
    "the name of a run": console("$ echo run 20261122_133358_2\nrun 20250101_000000", "<!-- varies: run -->"),
    "numbers and widths": console("$ printf 'a    b\\n---- -\\n12.5 3\\n'\na   b\n--- -\n1.5 3", "<!-- varies: numbers -->"),
    "speed": console("$ echo 12,345 tokens/s of 7 tokens\n1 tokens/s of 7 tokens", "<!-- varies: speed -->"),
    "an exit code": console("$ false", "<!-- exit: 1 -->"),
    "a file": f"<!-- file: a/b.txt -->\n{FENCE}text\nhere\n{FENCE}\n" + console("$ cat a/b.txt\nhere"),
    "a setup": "<!-- setup: echo here > a.txt -->\n" + console("$ cat a.txt\nhere"),
    "a block that goes on": console("$ cat <<'EOF'\n> here\n> EOF\nhere"),
    "stderr": console("$ echo talk >&2\ntalk"),
    "a block of sh": f"{FENCE}sh\ntrue\n{FENCE}\n",
    "not run": console("$ false", "<!-- not run: it fails -->"),
}

#: Pages that are not.
WRONG = {
    "other output": console("$ echo one\ntwo"),
    "less output": console("$ echo one; echo two\none"),
    "more output": console("$ echo one\none\ntwo"),
    "no output where some is": console("$ echo one"),
    "an end that does not come": console("$ printf 'a\\nb\\n'\na\n…\nc"),
    "a number that does not vary": console("$ echo 2 tokens\n1 tokens", "<!-- varies: speed -->"),
    "a text where a number is to be": console("$ echo many\n1", "<!-- varies: numbers -->"),
    "an exit code of its own": console("$ false"),
    "another exit code": console("$ false", "<!-- exit: 2 -->"),
    "a command in the middle that fails": console("$ false\n$ true"),
    "a block of sh that fails in the middle": f"{FENCE}sh\nfalse\ntrue\n{FENCE}\n",
    "a kind that is not known": console("$ true", "<!-- varies: weather -->"),
    "a remark that is not known": console("$ true", "<!-- skipped: for no reason -->"),
    "no reason": console("$ true", "<!-- not run: -->"),
    "a remark before text": "<!-- not run: it fails -->\ntext\n\n" + console("$ true"),
    "output without a command": console("one"),
    "a block without an end": f"{FENCE}console\n$ true\n",
    "a setup that fails": "<!-- setup: false -->\n" + console("$ true"),
}

#: Links of a page with the heading "A heading: `of` its own", by whether they are right.
LINKS = {
    "#a-heading-of-its-own": True,
    "here.md#a-heading-of-its-own": True,
    "https://example.org/nothing": True,
    "#another-heading": False,
    "nowhere.md": False,
    "here.md#another-heading": False,
}


def failures_of(text: str, folder: Path) -> list[str]:
    """What the blocks of a page fail with."""
    path = folder / "page.md"
    path.write_text(text, encoding="utf-8")
    scratch = folder / "scratch"
    scratch.mkdir()
    page = markdown_page.read(path)
    return console_blocks.run_page(page, console_blocks.Scratch(scratch, Path("/bin/true")), False, Counter())[1]


def link_failures(target: str, folder: Path) -> list[str]:
    """What a page with one link fails with."""
    path = folder / "here.md"
    path.write_text(f"# A heading: `of` its own\n\n[there]({target}) and `[code](nowhere.md)`\n", encoding="utf-8")
    checks = links.Checks()
    links.check_links(checks, {path: markdown_page.read(path)})
    return checks.failures


def main() -> int:
    passed, failed = 0, []
    for name, text, is_right in [(n, t, True) for n, t in RIGHT.items()] + [(n, t, False) for n, t in WRONG.items()]:
        with tempfile.TemporaryDirectory() as folder:
            told = failures_of(text, Path(folder))
        if bool(told) == is_right:
            failed.append(f"{name}: {told or 'nothing was told'}")
        else:
            passed += 1
    for target, is_right in LINKS.items():
        with tempfile.TemporaryDirectory() as folder:
            told = link_failures(target, Path(folder))
        if bool(told) == is_right:
            failed.append(f"link {target}: {told or 'nothing was told'}")
        else:
            passed += 1
    print(*failed, sep="\n", end="\n" if failed else "", file=sys.stderr)
    print(f"docs_mistakes: {passed} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
