"""What both programs say of the questions, and what each took: `report.py OURS.json PEER.json`.

Exit code 1: a candidate's surprisal is further apart than the tolerance, or another candidate is the likeliest.
"""

import json
import sys
from pathlib import Path

# A candidate has some ten tokens, each of which may be 2e-4 nats apart.
TOLERANCE_NATS = 2e-3


def main() -> int:
    ours, peer = (json.loads(Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:3])
    pairs = [pair for question in zip(ours["nlls"], peer["nlls"], strict=True) for pair in zip(*question, strict=True)]
    apart = max(abs(one - other) for one, other in pairs)
    likeliest = lambda question: min(range(len(question)), key=question.__getitem__)
    differing = sum(likeliest(one) != likeliest(other) for one, other in zip(ours["nlls"], peer["nlls"]))
    print(f"{len(ours['nlls'])} questions, {len(pairs)} candidates")
    print(f"{'':14}{'surprisal':>12}{'transformers':>14}{'ratio':>8}")
    for name in ("tower_passes", "tokens", "cpu_s", "wall_s"):
        one, other = ours[name], peer[name]
        print(f"{name:14}{one:>12.6g}{other:>14.6g}{other / one:>8.1f}")
    print(f"surprisals at most {apart:.2g} nats apart; the likeliest candidate differs for {differing} questions")
    return int(apart > TOLERANCE_NATS or differing > 0)


if __name__ == "__main__":
    sys.exit(main())
