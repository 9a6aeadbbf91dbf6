"""What both programs say of the questions, and what each took: `report.py --ours FILE... --peer FILE...`.

Each of ours has all questions, and the mean of their costs counts; those of the peer are parts, whose costs are summed.

Exit code 1: two of ours differ, a candidate's surprisal is further apart than the tolerance, or another candidate is the likeliest.
"""

import argparse
import json
import sys
from pathlib import Path
from statistics import mean

# A candidate has some ten tokens, each of which may be 2e-4 nats apart.
TOLERANCE_NATS = 2e-3


def main() -> int:
    parser = argparse.ArgumentParser()
    for side in ("--ours", "--peer"):
        parser.add_argument(side, type=Path, nargs="+", required=True)
    arguments = parser.parse_args()
    ours, peer = ([json.loads(path.read_text(encoding="utf-8")) for path in side] for side in (arguments.ours, arguments.peer))
    own_nlls, *again = (run["nlls"] for run in ours)
    peer_nlls = [question for part in peer for question in part["nlls"]]
    pairs = [pair for question in zip(own_nlls, peer_nlls, strict=True) for pair in zip(*question, strict=True)]
    apart = max(abs(one - other) for one, other in pairs)
    likeliest = lambda question: min(range(len(question)), key=question.__getitem__)
    differing = sum(likeliest(one) != likeliest(other) for one, other in zip(own_nlls, peer_nlls))
    print(f"{len(own_nlls)} questions, {len(pairs)} candidates; surprisal: mean of {len(ours)} runs between {len(peer)} parts of the peer's")
    print(f"{'':14}{'surprisal':>12}{'least':>10}{'most':>10}{'transformers':>14}{'ratio':>8}")
    for name in ("tower_passes", "tokens", "cpu_s", "wall_s"):
        costs = [run[name] for run in ours]
        one, other = mean(costs), sum(part[name] for part in peer)
        print(f"{name:14}{one:>12.6g}{min(costs):>10.5g}{max(costs):>10.5g}{other:>14.6g}{other / one:>8.1f}")
    print(f"surprisals at most {apart:.2g} nats apart; the likeliest candidate differs for {differing} questions")
    return int(apart > TOLERANCE_NATS or differing > 0 or any(nlls != own_nlls for nlls in again))


if __name__ == "__main__":
    sys.exit(main())
