"""Compares `surprisal config --json` with what dump.py wrote: values, their kinds, and the order of keys.

    compare.py PACKAGE DUMP SURPRISAL

Exit code 1 when a config differs, or when a group has no config to compare. JSON has no tuples and no types, so a tuple
equals a list here, and a class equals a string with its path.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

GROUPS = ["datasets", "models", "summarizers", "others"]

# Iterates over a set of strings, whose order in Python changes from run to run: never counted as a match.
SET_ORDER = "opencompass/configs/datasets/calm/calm.py"


def group(file):
    """The group of a config: its folder below opencompass/configs, if that is one of the large ones."""
    folder = file.split("/")[2]
    return folder if folder in GROUPS else "others"


def shown(value):
    """The beginning of a value, for messages."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else text[:100] + "…"


def children(value):
    """What a value holds, in order: pairs of a step of the key path and a value."""
    if isinstance(value, dict):
        return [(f".{key}", item) for key, item in value.items()]
    if isinstance(value, list):
        return [(f"[{index}]", item) for index, item in enumerate(value)]
    return []


def first_difference(original, ours, path=""):
    """Key path of the first place where two values differ, and what is there; None when they are the same."""
    place = path.removeprefix(".") or "variables"
    # True == 1 == 1.0 in Python.
    if type(original) is not type(ours):
        return f"{place}: {shown(original)}, here {shown(ours)}"
    if not isinstance(original, (dict, list)):
        return None if original == ours else f"{place}: {shown(original)}, here {shown(ours)}"
    for (step, item), (own_step, own_item) in zip(children(original), children(ours)):
        if step != own_step:
            return f"{place}: {step} is next, here {own_step}"
        difference = first_difference(item, own_item, path + step)
        if difference:
            return difference
    if len(original) != len(ours):
        return f"{place}: {len(original)} entries, here {len(ours)}"
    return None


def without_set_order(variables):
    """The variables of the config at SET_ORDER, but for the order of its set."""
    ordered = {
        name: sorted(value, key=json.dumps) if isinstance(value, list) else value for name, value in variables.items()
    }
    # What the last turn of the loop left behind; every turn's is among the data sets too.
    ordered["calm_eval_cfg"] = None
    return ordered


def main():
    package, dump, surprisal = sys.argv[1:]
    with open(dump, encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]

    def evaluate(record):
        command = [surprisal, "config", record["file"], "--json"]
        return subprocess.run(command, cwd=package, capture_output=True, encoding="utf-8", check=False)

    matched, total = Counter(), Counter()
    differences, rejected, exceptions = [], [], []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for record, run in zip(records, pool.map(evaluate, records)):
            file = record["file"]
            if "error" in record:
                here = "read here" if run.returncode == 0 else "rejected here too"
                rejected.append(f"{file} ({here}): {record['error'].splitlines()[0][:100]}")
                continue
            total[group(file)] += 1
            original = record["variables"]
            if run.returncode != 0:
                reason = (run.stderr.splitlines() or ["no message"])[0]
                differences.append(f"{file}: exit code {run.returncode}: {reason}")
                continue
            ours = json.loads(run.stdout)
            difference = first_difference(original, ours)
            if difference is None and file != SET_ORDER:
                matched[group(file)] += 1
            elif file == SET_ORDER:
                beyond = first_difference(without_set_order(original), without_set_order(ours))
                if beyond is None:
                    exceptions.append(f"{file}: the same entries; Python's order of a set has no fixed value")
                else:
                    differences.append(f"{file}: {beyond}")
            else:
                differences.append(f"{file}: {difference}")

    for name in GROUPS:
        print(f"{name}: {matched[name]}/{total[name]}")
    lists = [
        ("not comparable, not counted as a match", exceptions),
        ("rejected by OpenCompass's own loader, not in the totals", rejected),
        ("different", differences),
    ]
    for title, files in lists:
        print(f"\n{title}: {len(files)}", *files, sep="\n  ")
    if differences or not all(total[name] for name in GROUPS):
        sys.exit(1)


if __name__ == "__main__":
    main()
