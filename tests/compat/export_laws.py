"""What must hold between the columns of a run's tables, and between them and the results that the run told."""

import json
import math
from collections import defaultdict

# What the score of a candidate is, by the columns that the rule's name speaks of.
RULES = {
    "choices": lambda line: line["oc_ppl"],
    "choices-sum": lambda line: line["answer_nll_nats"],
    "choices-text_sum": lambda line: line["sum_nll_nats"],
    "choices-per_token": lambda line: line["answer_nll_nats"] / max(line["answer_tokens"], 1),
    "counts": lambda line: line["oc_ppl"],
}


def close(left, right):
    """Equal but for the last digits of a sum."""
    return math.isclose(left, right, rel_tol=1e-12, abs_tol=1e-12)


def key(line, *more):
    """What tells a line from the others of its table."""
    return tuple(line[column] for column in ("run", "model", "dataset", "row", *more))


def grouped(lines, *more):
    """Lines by their keys, in their order."""
    groups = defaultdict(list)
    for line in lines:
        groups[key(line, *more)].append(line)
    return groups


def check(checks, run, tables, told):
    """Everything that must hold within a run."""
    samples, candidates = tables["samples"], tables["candidates"]
    tokens = grouped(tables["tokens"], "candidate")
    of_sample = grouped(candidates)
    is_unique = len(grouped(samples)) == len(samples) and len(grouped(candidates, "candidate")) == len(candidates)
    checks.expect(run, "run, model, dataset, row and candidate name a line", is_unique)
    for sample in samples:
        own = of_sample.pop(key(sample), [])
        of_one_sample(Laws(checks, run, sample), sample, own)
        for candidate in own:
            laws = Laws(checks, run, sample, f"candidate {candidate['candidate']}")
            of_one_candidate(laws, candidate, tokens.get(key(candidate, "candidate"), []))
    checks.expect(run, "candidates belong to samples", not of_sample, f"{list(of_sample)[:1]}")
    for name, own in tokens.items():
        positions = [token["position"] for token in own]
        checks.expect(run, "positions count from 0", positions == list(range(len(own))), f"{name[1:]}: {positions}")
    of_results(checks, run, samples, told)


class Laws:
    """Checks of a sample, told by its data set and row."""

    def __init__(self, checks, run, sample, detail=""):
        self.checks = checks
        self.place = f"{run}, {sample['dataset']}, {sample['model']}"
        self.row = f"row {sample['row']} {detail}".strip()

    def expect(self, law, holds, detail=""):
        """The law holds for this row."""
        self.checks.expect(self.place, law, holds, f"{self.row}: {detail}")


def of_one_sample(laws, sample, candidates):
    """A sample's line and those of its candidates."""
    gold = json.loads(sample["columns"]).get("answer")
    if sample["gold"] is not None and not isinstance(gold, list):
        laws.expect("gold is that of the row", sample["gold"] == str(gold), f"{sample['gold']!r}, there {gold!r}")
    scores = [value for column, value in sample.items() if column.startswith("score_") and value is not None]
    if sample["error"] is not None:
        nothing = not candidates and sample["prediction"] is None and not scores
        laws.expect("what failed has no answer", nothing, f"{sample}")
        return
    if not candidates:
        return
    laws.expect("prompt is the first candidate's", sample["prompt"] == candidates[0]["prompt"])
    if candidates[0]["label"] is None:
        laws.expect("a text on its own is no choice", len(candidates) == 1 and sample["prediction"] is None)
        return
    smallest = min(candidates, key=lambda candidate: candidate["score"])
    chosen = [candidate["label"] for candidate in candidates if candidate["is_chosen"]]
    laws.expect("the smallest score is chosen", chosen == [smallest["label"]], f"{chosen}")
    laws.expect("prediction is chosen", smallest["label"] == sample["prediction"], f"{sample['prediction']!r}")
    golds = [candidate["label"] for candidate in candidates if candidate["is_gold"]]
    # Every gold of these data sets is among the labels, or is a list of some.
    laws.expect("a gold is some candidate's", bool(golds) == (sample["gold"] is not None), f"gold {sample['gold']!r}")
    if sample["gold"] is None:
        unknown = [candidate["is_gold"] for candidate in candidates]
        laws.expect("without a gold nothing is known of right and wrong", set(unknown) == {None}, f"{unknown}")
    else:
        laws.expect("chosen and gold is right", scores == [float(smallest["is_gold"])], f"scores {scores}")
    labels = [candidate["label"] for candidate in candidates]
    if sample["gold"] in labels:
        laws.expect("is_gold is the sample's gold", golds == [sample["gold"]], f"{golds}, gold {sample['gold']!r}")


def of_one_candidate(laws, candidate, tokens):
    """A candidate's line and those of its tokens."""
    scored = [token["nll_nats"] for token in tokens if token["nll_nats"] is not None]
    answer = [token for token in tokens if token["is_answer"]]
    both = all((token["is_likeliest"] is None) == (token["nll_nats"] is None) for token in tokens)
    laws.expect("a scored token is the likeliest or not", both)
    # What is likelier than all others together is likelier than each.
    likely = [token for token in tokens if token["nll_nats"] is not None and token["nll_nats"] < math.log(2) - 1e-4]
    laws.expect("a token beyond one half is the likeliest", all(token["is_likeliest"] for token in likely))
    scored_tokens, sum_nats = candidate["scored_tokens"], candidate["sum_nll_nats"]

    def expect(column, definition, value):
        holds = close(candidate[column], value)
        laws.expect(f"{column} is {definition}", holds, f"{candidate[column]}, that is {value}")

    expect("tokens", "their number", len(tokens))
    expect("scored_tokens", "the number of those with a surprisal", len(scored))
    expect("answer_tokens", "the number of those that are answer", len(answer))
    expect("sum_nll_nats", "the sum of their surprisals", math.fsum(scored))
    expect("answer_nll_nats", "the sum over the answer's", math.fsum(token["nll_nats"] or 0.0 for token in answer))
    if scored_tokens:
        expect("mean_nll_nats", "sum_nll_nats / scored_tokens", sum_nats / scored_tokens)
        expect("perplexity", "exp(mean_nll_nats)", math.exp(candidate["mean_nll_nats"]))
    else:
        empty = candidate["mean_nll_nats"], candidate["perplexity"]
        laws.expect("no token has no mean and no perplexity", empty == (None, None), f"{empty}")
    of_oc_ppl(expect, candidate, answer)
    if candidate["dataset"] in RULES:
        expect("score", "what the rule says", RULES[candidate["dataset"]](candidate))
    spelled = "".join(token["text"] for token in answer)
    if candidate["label"] is not None and "\ufffd" not in spelled:
        laws.expect("answer is spelled by its tokens", candidate["answer"] == spelled, f"{spelled!r}")
    prompt, testing_input = candidate["prompt"], candidate["testing_input"]
    if candidate["label"] is None and len(answer) != candidate["tokens"]:
        # The predictions file shows it as the prompt of a generation.
        return
    expect("bytes", "those of prompt", len(prompt.encode()))
    expect("chars", "those of prompt", len(prompt))
    laws.expect("prompt ends with testing_input", prompt.endswith(testing_input), f"{testing_input!r}")
    spelled = "".join(token["text"] for token in tokens)
    if "\ufffd" not in spelled:
        laws.expect("tokens spell prompt", spelled.endswith(prompt), f"{spelled!r}")


def of_oc_ppl(expect, candidate, answer):
    """What OpenCompass calls PPL, in its three forms."""
    if candidate["normalizing_tokens"] is not None:
        other = candidate["normalizing_nll_nats"] / candidate["normalizing_tokens"]
        value = candidate["sum_nll_nats"] / candidate["scored_tokens"] - other
        expect("oc_ppl", "the difference to the normalizing text", value)
    elif candidate["label"] is None and len(answer) != candidate["tokens"]:
        expect("oc_ppl", "answer_nll_nats / answer_tokens", candidate["answer_nll_nats"] / candidate["answer_tokens"])
    else:
        expect("oc_ppl", "sum_nll_nats / tokens", candidate["sum_nll_nats"] / candidate["tokens"])


def of_results(checks, run, samples, told):
    """The figures of the run are those of the table."""
    for result in told["results"]:
        place = f"{run}, {result['dataset']}, {result['model']}"
        own = [line for line in samples if (line["dataset"], line["model"]) == (result["dataset"], result["model"])]
        scores = [line[f"score_{result['metric']}"] for line in own]
        scores = [score for score in scores if score is not None]
        mean = math.fsum(scores) / len(scores) * (100 if result["unit"] == "percent" else 1)
        law = f"the mean of score_{result['metric']} is the run's"
        checks.expect(place, law, close(mean, result["value"]), f"{mean}, told {result['value']}")
        counts = (len(scores), sum(line["error"] is not None for line in own))
        expected = (result["samples"], result["failed"])
        law = "scored and failed samples are the run's"
        checks.expect(place, law, counts == expected, f"{counts}, told {expected}")
    errors = sum(line["error"] is not None for line in samples)
    checks.expect(run, "errors are the run's", errors == told["failed_samples"], f"{errors}")
