"""Computes the figures of `surprisal compare` again from exported tables, with Python's standard library alone.

    surprisal compare latest -w out --json > comparison.json
    surprisal export latest -w out --table candidates > candidates.jsonl
    python3 tests/compat/compare_figures.py comparison.json candidates.jsonl

For one run whose comparisons are by variant and by a share, without gaps. Says how many figures agree to 1e-9 and
ends with 1 if one does not. Resampled figures are not among them: simulations try those.
"""

import json
import math
import statistics
import sys

Z_95, Z_80 = statistics.NormalDist().inv_cdf(0.975), statistics.NormalDist().inv_cdf(0.8)


class Check:
    """Counts figures, and prints those that differ."""

    def __init__(self):
        self.figures = self.wrong = 0

    def __call__(self, found, expected, what):
        self.figures += 1
        if found is None or abs(found - expected) > 1e-9 * max(1, abs(expected)):
            self.wrong += 1
            print(f"{what}: {found}, expected {expected}")


def wilson(share, n):
    square = Z_95 * Z_95 / n
    half = math.sqrt(square * (share * (1 - share) + square / 4))
    return [(share + square / 2 + sign * half) / (1 + square) for sign in (-1, 1)]


def ranks(values):
    return [sum(b < a for b in values) + (sum(b == a for b in values) + 1) / 2 for a in values]


def correlation(x, y):
    return statistics.correlation(ranks(x), ranks(y))


def member_columns(candidates):
    """For each sample: whether the gold was chosen, its nats a token, and the margin."""
    rows = {}
    for line in candidates:
        rows.setdefault(line["row"], []).append(line)
    right, gold_nats, margins = [], [], []
    for row in sorted(rows):
        (gold,) = [line for line in rows[row] if line["is_gold"]]
        others = [line["score"] for line in rows[row] if not line["is_gold"]]
        right.append(int(gold["is_chosen"]))
        gold_nats.append(gold["answer_nll_nats"] / gold["answer_tokens"])
        margins.append(min(others) - gold["score"])
    return right, gold_nats, margins


def check_pair(check, pair, critical, left, right):
    n = len(left[0])
    only_left = sum(a > b for a, b in zip(left[0], right[0]))
    only_right = sum(a < b for a, b in zip(left[0], right[0]))
    differing, fewer = only_left + only_right, min(only_left, only_right)
    tail = sum(math.comb(differing, k) for k in range(fewer + 1)) / 2**differing
    exact_p = min(1, 2 * tail)
    check(pair["gained"], only_left, "gained")
    check(pair["lost"], only_right, "lost")
    check(pair["value"], 100 * (only_left - only_right) / n, "difference")
    check(pair["p"], exact_p, "p")
    check(pair["mid_p"], min(1, 2 * tail - math.comb(differing, fewer) / 2**differing), "mid-p")
    margins = [a - b for a, b in zip(left[2], right[2])]
    check(pair["margin"]["value"], statistics.mean(margins), "margin")
    if any(margins):
        t = statistics.mean(margins) / (statistics.stdev(margins) / math.sqrt(n))
        check(pair["margin"]["t"], t, "t of the margin")
    if pair["could_show"] is not None:
        share, least = differing / n, pair["could_show"] / 100
        edge = critical * math.sqrt(share) + Z_80 * math.sqrt(share - least**2)
        check(least * math.sqrt(n), edge, "could show")
    return exact_p


def check_comparison(check, comparison, candidates):
    columns = []
    for member in comparison["members"]:
        variant = member["variant"]
        abbr = member["dataset"] + ("" if variant == "base" else f"@{variant}")
        own = [c for c in candidates if (c["dataset"], c["model"]) == (abbr, member["model"])]
        right, gold_nats, margins = column = member_columns(own)
        columns.append(column)
        share = statistics.mean(right)
        low, high = wilson(share, len(right))
        check(member["value"], 100 * share, "value")
        check(member["low"], 100 * low, "low")
        check(member["high"], 100 * high, "high")
        check(member["gold_nats_per_token"], statistics.mean(gold_nats), "gold nll")
        check(member["margin"], statistics.mean(margins), "mean margin")
    pairs, critical = comparison["pairs"], comparison["critical_value"]
    p = [check_pair(check, pair, critical, columns[pair["left"]], columns[pair["right"]]) for pair in pairs]
    adjusted = 0
    for rank, index in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        adjusted = min(1, max(adjusted, p[index] * (len(p) - rank)))
        check(pairs[index]["p_holm"], adjusted, "Holm")
    rho = comparison["rank_of_prompts"]["rho"]
    if rho is not None:
        prompts = [member["prompt_nats_per_token"] for member in comparison["members"]]
        values = [member["value"] for member in comparison["members"]]
        check(rho, correlation(prompts, values), "rho")


def main():
    with open(sys.argv[1]) as file:
        comparisons = json.load(file)["comparisons"]
    with open(sys.argv[2]) as file:
        candidates = [json.loads(line) for line in file]
    check = Check()
    for comparison in comparisons:
        check_comparison(check, comparison, candidates)
    print(f"{check.figures - check.wrong} of {check.figures} figures agree")
    sys.exit(1 if check.wrong or not check.figures else 0)


if __name__ == "__main__":
    main()
