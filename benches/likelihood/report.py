"""What compare.sh measured, as tables or as one JSON document: `report.py [--json] RESULTS…`.

Whole process: everything from start to exit, imports and weights included. Scoring: for the peers the time that they
report themselves, after loading; for surprisal the whole run less `surprisal check`, which does all that a run does
before it reads weights. Reading weights and writing records are thus still counted for surprisal and not for its peers.
A ratio is a program's CPU seconds divided by those of surprisal.

Memory is the peak of the process; above the weights, less the checkpoint's bytes; above loaded, for the peers less what
they report to hold after loading and a first pass. For surprisal that is not known, so all above the weights counts.

Exit code 1: an answer is not that of the reference.
"""

import argparse
import json
import sys
from pathlib import Path

from results import aligned, less, number, read_json

NAMES = dict(oc="OpenCompass's formula", lmeval="lm-eval", surprisal="surprisal")
PARTS = ("process", "scoring")


def summary(results: Path) -> dict:
    """All numbers of one workload."""
    [check] = read_json(results / "check.json")
    process = read_json(results / "run.cost.json")
    scoring = less(process, read_json(results / "check.cost.json"))
    # Told by versions that compute shared text once.
    computed_tokens = check.get("computed_tokens")
    programs = dict(surprisal=dict(computed_tokens=computed_tokens, process=process, scoring=scoring))
    for mode in ("lmeval", "oc"):
        if (file := results / f"{mode}.json").exists():
            own = read_json(file)["run"]
            programs[mode] = dict(
                computed_tokens=own["computed_tokens"],
                process=read_json(results / f"{mode}.cost.json"),
                scoring={key: own[key] for key in ("cpu_s", "wall_s")},
                own=own,
            )
    weights_mib = int((results / "weights_bytes").read_text()) / 2**20
    for program in programs.values():
        own = program.get("own")
        program["ratio"] = {part: program[part]["cpu_s"] / programs["surprisal"][part]["cpu_s"] for part in PARTS}
        program["above_weights_mib"] = program["process"]["peak_mib"] - weights_mib
        program["above_loaded_mib"] = (
            own["rss_peak_mib"] - own["rss_loaded_mib"] if own else program["above_weights_mib"]
        )
    return dict(
        workload=results.name,
        model=check["model"],
        questions=check["samples"],
        candidates=check["prompts"],
        prompt_tokens=check["prompt_tokens"],
        weights_mib=weights_mib,
        programs=programs,
        agreement=read_json(results / "agreement.json"),
    )


def cost_table(programs: dict) -> str:
    head = ["", "computed tokens"]
    for part in PARTS:
        head += [f"{part} CPU s", "ratio", "wall s"]
    lines = []
    for key, name in NAMES.items():
        if (program := programs.get(key)) is None:
            continue
        line = [name, number(program["computed_tokens"], ",")]
        for part in PARTS:
            cost, ratio = program[part], program["ratio"][part]
            line += [f"{cost['cpu_s']:.1f}", f"{ratio:.2f}", f"{cost['wall_s']:.1f}"]
        memory = program["process"]["peak_mib"], program["above_weights_mib"], program["above_loaded_mib"]
        lines.append([*line, *(f"{mib:,.0f}" for mib in memory)])
    return aligned([*head, "peak MiB", "above weights", "above loaded"], lines)


def agreement_table(programs: dict) -> str:
    head = [
        "equal to the reference",
        "log-likelihoods",
        "off by at most, nats",
        "perplexities",
        "off by at most",
        "predictions",
    ]

    def share(count: int | None, whole: int) -> str:
        return "–" if count is None else f"{count} of {whole}"

    lines = [
        [
            name,
            share(told["log_likelihoods_within"], told["candidates"]),
            number(told["largest_log_likelihood_difference_nats"], ".1e"),
            share(told["perplexities_within"], told["candidates"]),
            number(told["largest_perplexity_difference_relative"], ".1e"),
            share(told["predictions_equal"], told["questions"]),
        ]
        for key, name in NAMES.items()
        if (told := programs.get(key))
    ]
    return aligned(head, lines)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("results", type=Path, nargs="+")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()

    workloads = [summary(results) for results in arguments.results]
    if arguments.json:
        print(json.dumps(workloads, indent=1))
    else:
        for told in workloads:
            sizes = f"{told['questions']} questions, {told['candidates']} candidates, {told['prompt_tokens']:,} tokens"
            print(f"{told['workload']} on {told['model']}: {sizes}, weights {told['weights_mib']:,.0f} MiB\n")
            print(cost_table(told["programs"]), agreement_table(told["agreement"]["programs"]), sep="\n\n", end="\n\n")
    disagreeing = [told for told in workloads if not told["agreement"]["agrees"]]
    for told in disagreeing:
        print(f"{told['workload']}: surprisal does not agree with the reference", file=sys.stderr)
        print(*told["agreement"]["faults"][:10], sep="\n", file=sys.stderr)
    sys.exit(bool(disagreeing))


if __name__ == "__main__":
    main()
