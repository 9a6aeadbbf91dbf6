"""What compare.sh measured, as a table or as one JSON document: `report.py [--json] RESULTS TYPE…`.

Tokens per CPU second are those of the difference between a long and a short run, so loading, which differs between the
programs, is not in them. The fewer tokens, the more of that difference is noise.
"""

import argparse
import json
import re
from pathlib import Path

from results import aligned, less, number, read_json

PROGRAMS = ("ours", "theirs")
# Name, the runs' names, tokens of the difference.
PHASES = [
    ("reading 512", "read_5", "read_1", 4 * 512),
    ("continuing 1", "1_264", "1_8", 256),
    ("continuing 16", "16_72", "16_8", 16 * 64),
]


def cost(results: Path, program: str, run: str) -> dict:
    """The least of all rounds."""
    rounds = [read_json(path) for path in results.glob(f"{program}_{run}.*cost.json")]
    return min(rounds, key=lambda cost: cost["cpu_s"])


def speeds(results: Path, kind: str) -> list[dict]:
    """Tokens per CPU second of both programs, phase by phase."""
    told = []
    for phase, long, short, tokens in PHASES:
        line = dict(type=kind, phase=phase)
        for program in PROGRAMS:
            seconds = less(cost(results, program, f"{kind}_{long}"), cost(results, program, f"{kind}_{short}"))["cpu_s"]
            line[program] = tokens / seconds if seconds > 0 else None
        line["ratio"] = line["ours"] / line["theirs"] if line["ours"] and line["theirs"] else None
        told.append(line)
    return told


def scored(results: Path, name: str) -> dict:
    """CPU seconds of both programs for a workload, loading included, and how many tasks llama.cpp scored."""
    seconds = {program: cost(results, program, name)["cpu_s"] for program in PROGRAMS}
    printed = (results / f"theirs_{name}.txt").read_text(encoding="utf-8")
    tasks = [int(found) for found in re.findall(r"^(\d+)\t\d", printed, re.MULTILINE)]
    return dict(workload=name, **seconds, ratio=seconds["theirs"] / seconds["ours"], tasks=max(tasks, default=0))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("results", type=Path)
    parser.add_argument("types", nargs="*")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    results = arguments.results
    run = [kind for kind in arguments.types if (results / f"ours_{kind}_1_8.1.cost.json").exists()]
    lines = [line for kind in run for line in speeds(results, kind)]
    workloads = [
        scored(results, name)
        for name in ("mmlu_like", "cloze_like")
        if (results / f"theirs_{name}.cost.json").exists()
    ]
    if arguments.json:
        print(json.dumps(dict(speeds=lines, workloads=workloads), indent=1))
        return
    if lines:
        print("Tokens per CPU second\n")
        rows = [
            [line["type"], line["phase"], number(line["ours"], ",.1f"), number(line["theirs"], ",.1f"), number(line["ratio"], ".2f")]
            for line in lines
        ]
        print(aligned(["type", "what", "surprisal", "llama.cpp", "ratio"], rows))
    if workloads:
        print("\nCPU seconds of a workload\n")
        rows = [
            [told["workload"], f"{told['ours']:.1f}", f"{told['theirs']:.1f}", f"{told['ratio']:.1f}", str(told["tasks"])]
            for told in workloads
        ]
        print(aligned(["workload", "surprisal", "llama.cpp", "ratio", "llama.cpp's tasks"], rows))


if __name__ == "__main__":
    main()
