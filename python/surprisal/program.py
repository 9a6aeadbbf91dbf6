"""The program `surprisal`: where it is, how it is run, and what it says when it cannot.

It is a process for each call and not a library: what it computes, keeps and refuses is the same as on the command line.
"""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence

HOW_TO_GET_IT = (
    "`pip install surprisal` brings it along. Or build it with `cargo install --path .` in a checkout of surprisal, and name it by "
    "binary=PATH, by the environment variable SURPRISAL, or have it in PATH."
)

#: Exit codes that come with answers: all is well, or some samples have none and say why.
WITH_ANSWERS = (0, 1)

#: Of what a failed program said, as many of its last lines are passed on where none of them is an error.
LAST_LINES = 20


class SurprisalError(RuntimeError):
    """What the program said when it could not do what was asked."""


def binary_path(given: str | os.PathLike | None = None) -> str:
    """The program's path: `given`, else what SURPRISAL names, else what was installed with this package, else what PATH has.

    Raises FileNotFoundError, which says how to get it.
    """
    named = [("binary", given), ("the environment variable SURPRISAL", os.environ.get("SURPRISAL"))]
    for where, path in named:
        if path:
            found = shutil.which(os.path.expanduser(os.fspath(path)))
            if found is None:
                raise FileNotFoundError(f"{where} names {path}, which is no program. {HOW_TO_GET_IT}")
            return os.path.abspath(found)
    found = installed_beside() or shutil.which("surprisal")
    if found is None:
        raise FileNotFoundError(f"The program surprisal is not here. {HOW_TO_GET_IT}")
    return os.path.abspath(found)


def installed_beside() -> str | None:
    """The program of the wheel that this package is of; None where the package came alone."""
    try:
        files = importlib.metadata.files("surprisal") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    places = (str(file.locate()) for file in files if file.name in ("surprisal", "surprisal.exe"))
    return next((place for place in places if os.path.isfile(place)), None)


class Program:
    """The program with the model and the settings that every call has."""

    def __init__(self, binary: str, model: str, options: Sequence[str] = (), show: Callable[[str], object] | None = None):
        """`options` are of commands that ask a model; `show` is given each line that the program says, stderr without it."""
        self.binary = binary
        self.model = model
        self.options = list(options)
        self._show = show or (lambda line: print(line, file=sys.stderr, flush=True))

    def ask(self, arguments: Iterable[str]) -> str:
        """Runs a command that asks the model; what it printed.

        Raises SurprisalError in the program's words if it ends without answers.
        """
        return self._run([*arguments, *self.options])

    def look(self, arguments: Iterable[str]) -> str:
        """Runs a command that asks no model; what it printed. Raises SurprisalError in the program's words if it fails."""
        return self._run(arguments)

    def _run(self, arguments: Iterable[str]) -> str:
        lines: list[str] = []
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as printed:
            with subprocess.Popen(
                [self.binary, *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
            ) as process:
                for line in process.stderr:
                    lines.append(line.rstrip("\n"))
                    self._show(lines[-1])
            if process.returncode not in WITH_ANSWERS:
                raise SurprisalError(words(lines, process.returncode))
            printed.seek(0)
            return printed.read()


def words(lines: Sequence[str], code: int) -> str:
    """What a program that ended with `code` said is wrong: its error and all after it, or else its last lines."""
    first = next((place for place, line in enumerate(lines) if line.startswith("error:")), None)
    said = lines[first:] if first is not None else lines[-LAST_LINES:]
    ended = f"by signal {-code}" if code < 0 else f"with exit code {code}"
    return "\n".join([f"surprisal ended {ended}:", *said] if said else [f"surprisal ended {ended} and said nothing"])
