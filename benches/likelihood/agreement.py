"""Whether every candidate's score is that of the reference.

    agreement.py RESULTS --reference FILE --rows FILE --model DIR

Reads what compare.sh left in RESULTS: the tables of surprisal's run and, if they were run, the scores of its peers.
Each is held against the reference, candidate by candidate: the log-likelihood of the continuation in nats, the
perplexity of OpenCompass (the sum over the whole text divided by all its tokens), and the chosen answer. Prompts and
token counts must be equal.

Only surprisal's answers decide; those of the peers are told. OpenCompass pads on the left and scores the first token
after the padding, so that its perplexities of padded rows are others.
"""

import argparse
import json
import math
import os
from pathlib import Path

from results import ranked, read_json, read_lines
from tokenizers import Tokenizer

LOG_LIKELIHOOD_NATS = 1e-4
PERPLEXITY_RELATIVE = 1e-6


def scores_of_samples(answered: list, rows: list, tokenizer: Tokenizer) -> tuple[list, list[str]]:
    """Samples in the shape of the reference, and which prompts are not what they should be."""
    scored, faults = [], []
    for record, row in zip(answered, rows, strict=True):
        context = row["prefix"] + row["question"]
        context_tokens = len(tokenizer.encode(context).ids)
        scores = []
        for candidate, choice in zip(record["candidates"], row["choices"], strict=True):
            if candidate["prompt"] != context + choice:
                faults.append(f"{row['id']}, label {candidate['label']}: the prompt is not prefix + question + choice")
            # The first token has no surprisal.
            continuation = candidate["nlls"][context_tokens - 1 :]
            tokens = candidate["tokens"]
            ppl = candidate["sum_nll_nats"] / tokens
            scores.append(dict(ll=-math.fsum(continuation), ppl_oc=ppl, n_tokens=tokens))
        scored.append(dict(gold=record["gold"], pred=record["prediction"], scores=scores))
    return scored, faults


class Differences:
    """How many values are within a bound of the reference, and the largest difference."""

    def __init__(self, bound: float):
        self.bound, self.within, self.largest = bound, None, None

    def add(self, difference: float) -> None:
        self.within = (self.within or 0) + (difference <= self.bound)
        # What is not a number is neither within the bound nor small.
        self.largest = max(self.largest or 0.0, math.inf if math.isnan(difference) else difference)


def likeliest(scores: list) -> int:
    return max(range(len(scores)), key=lambda choice: scores[choice]["ll"])


def compare(scored: list, reference: list) -> dict:
    """A program's scores against the reference."""
    log_likelihoods, perplexities = Differences(LOG_LIKELIHOOD_NATS), Differences(PERPLEXITY_RELATIVE)
    candidates = tokens_differ = golds_differ = predictions_equal = 0
    for row, right in zip(scored, reference, strict=True):
        candidates += len(right["scores"])
        # Exported golds and predictions are texts.
        golds_differ += str(row["gold"]) != str(right["gold"])
        by_perplexity = "ppl_oc" in row["scores"][0]
        expected = right["pred"] if by_perplexity else likeliest(right["scores"])
        predictions_equal += str(row["pred"]) == str(expected)
        for mine, theirs in zip(row["scores"], right["scores"], strict=True):
            if "n_tokens" in mine:
                tokens_differ += mine["n_tokens"] != theirs["n_tokens"]
            if "ll" in mine:
                log_likelihoods.add(abs(mine["ll"] - theirs["ll"]))
            if by_perplexity:
                perplexities.add(abs(mine["ppl_oc"] / theirs["ppl_oc"] - 1))
    return dict(
        questions=len(reference),
        candidates=candidates,
        log_likelihoods_within=log_likelihoods.within,
        largest_log_likelihood_difference_nats=log_likelihoods.largest,
        perplexities_within=perplexities.within,
        largest_perplexity_difference_relative=perplexities.largest,
        predictions_equal=predictions_equal,
        golds_different=golds_differ,
        token_counts_different=tokens_differ,
    )


def agrees(told: dict) -> bool:
    return (
        told["questions"] > 0
        and told["log_likelihoods_within"] == told["perplexities_within"] == told["candidates"]
        and told["predictions_equal"] == told["questions"]
        and told["golds_different"] == 0
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("results", type=Path)
    for name in ("reference", "rows", "model"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    arguments = parser.parse_args()

    def scores(file: Path) -> list:
        by_id = {row["id"]: row for row in read_json(file)["rows"]}
        return [by_id[row["id"]] for row in rows]

    answered = ranked(arguments.results)
    rows = read_lines(arguments.rows)[: len(answered)]
    reference = scores(arguments.reference)
    tokenizer = Tokenizer.from_file(os.fspath(arguments.model / "tokenizer.json"))
    scored, faults = scores_of_samples(answered, rows, tokenizer)
    programs = dict(surprisal=compare(scored, reference))
    for mode in ("lmeval", "oc"):
        if (file := arguments.results / f"{mode}.json").exists():
            programs[mode] = compare(scores(file), reference)
    if different := programs["surprisal"]["token_counts_different"]:
        faults.append(f"{different} candidates have another number of tokens than in the reference")
    agreed = agrees(programs["surprisal"]) and not faults
    print(json.dumps(dict(agrees=agreed, faults=faults, programs=programs), indent=1))


if __name__ == "__main__":
    main()
