"""What compare.sh measured, as a table or as one JSON document.

    report.py [--json] RESULTS

Of all rounds the call with the least CPU seconds counts. A ratio above 1 says that surprisal does more arithmetic per CPU second.
"""

import argparse
import json
from pathlib import Path

from results import aligned, number, read_json


def least(rounds: list[dict], index: int) -> float | None:
    """The least CPU seconds of a kernel in all rounds; None where the system does not tell."""
    seconds = [told["kernels"][index]["cpu_seconds"] for told in rounds]
    return None if None in seconds else min(seconds)


def summary(results: Path) -> dict:
    """All numbers."""
    ours, theirs = (
        [read_json(path) for path in sorted(results.glob(f"{side}_*.json"))] for side in ("ours", "theirs")
    )
    kernels = []
    for index, kernel in enumerate(ours[0]["kernels"]):
        seconds = {"surprisal": least(ours, index), "torch": least(theirs, index)}
        speed = {side: kernel["flops"] / cost / 1e9 for side, cost in seconds.items() if cost}
        shape = {key: value for key, value in kernel.items() if not key.endswith("seconds")}
        ratio = speed["surprisal"] / speed["torch"] if len(speed) == 2 else None
        kernels.append(shape | dict(cpu_seconds=seconds, gflops_per_cpu_second=speed, ratio=ratio))
    return dict(
        instructions=ours[0]["instructions"],
        torch=theirs[0]["torch"],
        torch_capability=theirs[0]["capability"],
        threads=ours[0]["threads"],
        rounds=len(ours),
        kernels=kernels,
    )


def name(kernel: dict) -> str:
    if kernel["kernel"] == "product":
        return f"{kernel['weights']} {kernel['rows']} × {kernel['inputs']} × {kernel['outputs']}"
    sequences, own, shared = (kernel[key] for key in ("sequences", "own_tokens", "shared_tokens"))
    return f"attention, {sequences} × {own} after {shared}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("results", type=Path)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    told = summary(arguments.results)
    if arguments.json:
        print(json.dumps(told, indent=1))
        return
    print(
        f"surprisal with {told['instructions']}, PyTorch {told['torch']} with {told['torch_capability']}, "
        f"{told['threads']} threads, {told['rounds']} rounds\nGFLOP per CPU second; PyTorch's are of f32\n"
    )
    lines = []
    for kernel in told["kernels"]:
        speed = kernel["gflops_per_cpu_second"]
        sides = [number(speed.get(side), ".1f") for side in ("surprisal", "torch")]
        lines.append([name(kernel), *sides, number(kernel["ratio"], ".2f")])
    print(aligned(["kernel", "surprisal", "PyTorch", "ratio"], lines))


if __name__ == "__main__":
    main()
