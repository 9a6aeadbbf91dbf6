"""Conversations as the text that a chat model reads, made by `surprisal chat-template`.

lm-eval asks for one conversation at a time, thousands of times. So the program runs on, and is given a line for each.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from surprisal.program import SurprisalError, words

logger = logging.getLogger(__name__)

#: The file of lines is named for the program alone.
LINES = "conversations.jsonl"
#: Where a note of the program belongs, which says nothing here.
PLACE = re.compile(rf"^.*{re.escape(LINES)}:\d+: ")
COUNT_OF_FAILED = re.compile(r"\d+ of \d+ conversations have no text")


class ChatTemplate:
    """The chat template of a checkpoint."""

    def __init__(self, binary: str, model: str, name: str | None = None, variables: Mapping[str, Any] | None = None):
        """`name` is for checkpoints with several templates; `variables` are those of the template, such as `enable_thinking`."""
        settings = [f"{key}={json.dumps(value)}" for key, value in (variables or {}).items()]
        self._command = [binary, "chat-template", model]
        self._command += ["--name", name] if name else []
        self._command += [part for setting in settings for part in ("--set", setting)]
        self._process: subprocess.Popen | None = None
        self._folder: tempfile.TemporaryDirectory | None = None
        self._errors: TextIO | None = None
        self._raised: set[str] = set()

    def text(self, messages: Sequence[Mapping[str, Any]], add_generation_prompt: bool = True) -> str:
        """The text of a conversation, which ends with the opening of an answer or, without it, inside of its last message.

        Raises SurprisalError in the template's words.
        """
        end = "add_generation_prompt" if add_generation_prompt else "continue_final_message"
        line = self._answer(json.dumps({"messages": [dict(message) for message in messages], end: True}))
        if line.get("formatted_chat") is None:
            error = str(line.get("error", "the chat template gave no text"))
            self._raised.add(error)
            raise SurprisalError(error)
        return line["formatted_chat"]

    def source(self) -> str:
        """What the template itself is, for a record of it; empty where its file is not one of text."""
        shown = subprocess.run([*self._command, "--json"], capture_output=True, encoding="utf-8", errors="replace")
        if shown.returncode != 0:
            raise SurprisalError(words(shown.stderr.splitlines(), shown.returncode))
        told = json.loads(shown.stdout)
        return template_source(Path(told.get("template_file") or ""), told.get("template"))

    def close(self) -> None:
        """Ends the program, and passes on what it noted; what was raised already is not told again."""
        notes = (PLACE.sub("", line) for line in self._said())
        for note in dict.fromkeys(notes):
            if note not in self._raised and not COUNT_OF_FAILED.fullmatch(note):
                logger.warning("surprisal: %s", note)
        self._end()

    def _said(self) -> list[str]:
        """What the program said beside the texts, all of it once it has ended."""
        if self._process is None:
            return []
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
        self._errors.seek(0)
        return self._errors.read().splitlines()

    def _end(self) -> None:
        if self._process is not None:
            self._process.stdout.close()
            self._errors.close()
            self._folder.cleanup()
            self._process = None

    def _answer(self, request: str) -> dict[str, Any]:
        if self._process is None:
            self._start()
        try:
            self._process.stdin.write(request + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            said = self._said()
            code = self._process.returncode
            self._end()
            raise SurprisalError(words(said, code))
        return json.loads(line)

    def _start(self) -> None:
        # Files of lines are told by their names, so standard input is given one.
        self._folder = tempfile.TemporaryDirectory(prefix="surprisal-")
        lines = Path(self._folder.name, LINES)
        os.symlink("/dev/stdin", lines)
        self._errors = open(Path(self._folder.name, "errors"), "w+", encoding="utf-8", errors="replace")
        self._process = subprocess.Popen(
            [*self._command, "--messages", str(lines)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            encoding="utf-8",
        )


def template_source(path: Path, name: str | None) -> str:
    """The template of that name in a file, or nothing if it is in none of text."""
    if path.suffix == ".jinja":
        return path.read_text(encoding="utf-8")
    if path.suffix != ".json":
        return ""
    template = json.loads(path.read_text(encoding="utf-8")).get("chat_template") or ""
    if isinstance(template, str):
        return template
    named = {own.get("name"): own.get("template") for own in template if isinstance(own, dict)}
    return named.get(name) or named.get("default") or ""
