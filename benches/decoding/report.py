"""What compare.sh measured, as a table or as one JSON document.

    report.py [--json] --model DIR --new-tokens N RESULTS…

Decoding is the cost of all tokens less the cost of the first, for which the prompts are read; so loading cancels out
too. The fewer tokens, the more of that difference is noise; a speed is not told when none of it is left.
Where two texts part, transformers computes the logits after what they share: if the two choices are closer than a
margin, rounding told them apart, and the text counts as a near-tie.

Exit code 1: texts differ where the choice was no near-tie.
"""

import argparse
import json
import sys
from pathlib import Path

from results import aligned, generated_ids, less, number, read_json, read_lines

PROGRAMS = ("surprisal", "transformers")
NEAR_TIE_LOGITS = 1e-3


def parting(prompt: str, ours: list[int], theirs: list[int]) -> tuple | None:
    """Where two continuations part: the prompt, what they share, the two choices. None if they are equal."""
    for at, choices in enumerate(zip(ours, theirs, strict=True)):
        if choices[0] != choices[1]:
            return prompt, ours[:at], choices
    return None


def margins(model_folder: Path, partings: list[tuple]) -> list[float]:
    """By how many logits transformers prefers its own choices."""
    if not partings:
        return []
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model_folder)
    model = AutoModelForCausalLM.from_pretrained(model_folder, dtype=torch.float32).eval()
    gaps = []
    for prompt, shared, (ours, theirs) in partings:
        with torch.inference_mode():
            logits = model(torch.tensor([tokenizer(prompt)["input_ids"] + shared])).logits[0, -1]
        gaps.append((logits[theirs] - logits[ours]).item())
    return gaps


def summary(results: Path, model: Path, new_tokens: int) -> dict:
    """All numbers for one number of prompts."""
    first, whole = (read_json(results / f"run_{tokens}.cost.json") for tokens in (1, new_tokens))
    peer = read_json(results / "peer.json")
    prompts = [row["prompt"] for row in read_lines(results / "prompts.jsonl")]
    ours = generated_ids(results / f"tokens_{new_tokens}.jsonl")
    pairs = zip(prompts, ours, peer["ids"], strict=True)
    partings = [place for place in (parting(*pair) for pair in pairs) if place]
    gaps = margins(model, partings)

    decoded_tokens = len(prompts) * (new_tokens - 1)
    decoding = dict(surprisal=less(whole, first), transformers=less(peer["all"], peer["first"]))
    speed = {program: decoded_tokens / cost["cpu_s"] for program, cost in decoding.items() if cost["cpu_s"] > 0}
    return dict(
        prompts=len(prompts),
        decoded_tokens=decoded_tokens,
        decoding=decoding,
        tokens_per_cpu_s=speed,
        ratio=speed["surprisal"] / speed["transformers"] if len(speed) == 2 else None,
        process=dict(surprisal=whole, transformers=read_json(results / "peer.cost.json")),
        texts_equal=len(prompts) - len(partings),
        near_ties=sum(abs(gap) <= NEAR_TIE_LOGITS for gap in gaps),
        margins_logits=gaps,
    )


def line(told: dict) -> list[str]:
    speed, cost, process = told["tokens_per_cpu_s"], told["decoding"], told["process"]
    return [
        str(told["prompts"]),
        *(number(speed.get(program), ",.1f") for program in PROGRAMS),
        number(told["ratio"], ".2f"),
        *(f"{cost[program]['wall_s']:.1f}" for program in PROGRAMS),
        *(f"{process[program]['peak_mib']:,.0f}" for program in PROGRAMS),
        f"{told['texts_equal']} of {told['prompts']}",
        str(told["near_ties"]),
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("results", type=Path, nargs="+")
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--new-tokens", type=int, required=True)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()

    counts = [summary(results, arguments.model, arguments.new_tokens) for results in arguments.results]
    if arguments.json:
        print(json.dumps(counts, indent=1))
    else:
        head = ["prompts", "surprisal, tokens/CPU s", "transformers", "ratio", "surprisal, wall s", "transformers"]
        head += ["surprisal, peak MiB", "transformers", "equal texts", "near-ties"]
        print(
            f"{arguments.new_tokens} tokens after each prompt on {arguments.model.name}, without reading the prompts\n"
        )
        print(aligned(head, list(map(line, counts))))
    unexplained = [told for told in counts if told["texts_equal"] + told["near_ties"] < told["prompts"]]
    for told in unexplained:
        print(f"{told['prompts']} prompts: texts differ by more than near-ties", file=sys.stderr)
    sys.exit(bool(unexplained))


if __name__ == "__main__":
    main()
