"""Random runs with ties, and what trec_eval says of them: a line of JSON each, read by tests/ranking_fixtures.rs.

    trec_eval.py RUNS SEED > FILE

The gain 2^relevance - 1 is trec_eval's own figure of relevances that were raised so.
"""

import json
import random
import sys

import pytrec_eval

CUTS = [1, 3, 5, 10, 100]
MEASURES = {f"{name}.{','.join(map(str, CUTS))}" for name in ("recall", "success", "P", "map_cut", "ndcg_cut")}


def drawn(chance):
    """A run and the relevances of items; at least one is relevant, and some were not found."""
    items = [f"{chance.choice('abD')}{number}" for number in chance.sample(range(200), chance.randint(1, 120))]
    found = chance.sample(items, chance.randint(1, len(items)))
    levels = chance.choice([2, 5, 1000])
    run = {item: chance.randrange(levels) / 8 for item in found}
    grades = chance.choice([1, 3])
    judged = chance.sample(items, chance.randint(1, min(len(items), 30)))
    relevant = {item: chance.randint(0, grades) for item in judged}
    relevant[judged[0]] = chance.randint(1, grades)
    return run, relevant


def figures(run, relevant, measures):
    found = pytrec_eval.RelevanceEvaluator({"q": relevant}, measures).evaluate({"q": run})["q"]
    return {name: value for name, value in found.items()}


def main():
    chance = random.Random(int(sys.argv[2]))
    for _ in range(int(sys.argv[1])):
        run, relevant = drawn(chance)
        expected = figures(run, relevant, MEASURES)
        expected["recip_rank_all"] = figures(run, relevant, {"recip_rank"})["recip_rank"]
        expected["map_cut_all"] = figures(run, relevant, {"map"})["map"]
        raised = {item: 2**grade - 1 for item, grade in relevant.items()}
        for name, value in figures(run, raised, {m for m in MEASURES if m.startswith("ndcg")}).items():
            expected[name.replace("ndcg_cut", "ndcg_cut_exponential")] = value
        print(json.dumps({"run": run, "relevant": relevant, "expected": expected}, sort_keys=True))


main()
