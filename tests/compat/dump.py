"""Writes what OpenCompass's own loader makes of each of its configs, one JSON object per line.

    dump.py PACKAGE OUTPUT

PACKAGE is the folder that holds `opencompass/`. A line is {"file": …, "variables": {…}}, or {"file": …, "error": …}
where the loader rejects the config. Values have the form of `surprisal config --json`: tuples are arrays, classes their
dotted paths, a dict with other keys than strings is {"$items": [[key, value], …]}, and infinity is text.
"""

import contextlib
import io
import json
import math
import os
import sys
import types
import warnings
from pathlib import Path

import mmengine.config.utils
from mmengine.config import Config
from mmengine.config.lazy import LazyAttr, LazyObject

CONFIGS = Path("opencompass/configs")


def plain(value):
    """The value as JSON holds it."""
    if isinstance(value, (LazyObject, LazyAttr)):
        return f"{value.module}.{value}"
    if isinstance(value, dict):
        # Not value.items(): that would import what is lazy.
        entries = [(key, plain(item)) for key, item in dict.items(value)]
        if all(isinstance(key, str) for key, _ in entries):
            return dict(entries)
        return {"$items": [[plain(key), item] for key, item in entries]}
    if isinstance(value, (list, tuple, range)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    # Equal to nothing, so that it shows up as a difference.
    return {"$unknown": type(value).__name__}


def is_data(value):
    """Whether a variable is a value, and not a left-over of the program: a module, a function, an open file."""
    if isinstance(value, (LazyObject, LazyAttr)):
        return True
    return not isinstance(value, (types.ModuleType, io.IOBase)) and not callable(value)


def variables(file):
    """The variables of a config in order, without those that it imported."""
    config = Config.fromfile(file, format_python_code=False)
    # Config and its dicts answer every attribute with a variable of the config.
    values = object.__getattribute__(config, "_cfg_dict")
    imported = getattr(config, "_imported_names", set())
    return {name: plain(value) for name, value in dict.items(values) if name not in imported and is_data(value)}


def main():
    package, output = Path(sys.argv[1]), Path(sys.argv[2]).absolute()
    # The loader takes a module for a built-in one, which is not lazy, when it lies beside the interpreter. In a virtual
    # environment the standard library does not.
    mmengine.config.utils.PYTHON_ROOT_DIR = sys.base_prefix
    warnings.filterwarnings("ignore")
    # Configs open files relative to the package and import each other by its name.
    os.chdir(package)
    sys.path.insert(0, os.getcwd())

    with output.open("w", encoding="utf-8") as lines:
        for file in sorted(CONFIGS.rglob("*.py")):
            record = {"file": str(file)}
            try:
                # Some configs print.
                with contextlib.redirect_stdout(None):
                    record["variables"] = variables(file)
            # Configs are programs, and fail in every way.
            except Exception as error:  # noqa: BLE001
                record["error"] = f"{type(error).__name__}: {error}".rstrip(": ")
            lines.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
