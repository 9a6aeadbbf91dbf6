"""What each search cost, and how much of what exact search finds HNSW finds.

    report.py RESULTS
"""

import json
import sys
from pathlib import Path

NAMES = {
    "exact": "exact",
    "hnsw": "HNSW, graphs made",
    "resumed": "HNSW, after SIGKILL with half of them kept",
    "again": "HNSW, all graphs kept",
    "bm25": "BM25",
}


def found(path):
    """Of each query the ids, with their scores."""
    with open(path, encoding="utf-8") as file:
        queries = json.load(file)["queries"]
    return [{hit["id"]: hit["score"] for hit in query["hits"]} for query in queries]


def main():
    results = Path(sys.argv[1])
    print("| search | wall s | CPU s | peak MiB |")
    print("|---|---|---|---|")
    for name, title in NAMES.items():
        path = results / f"{name}.cost.json"
        if path.exists():
            cost = json.loads(path.read_text())
            print(f"| {title} | {cost['wall_s']:.0f} | {cost['cpu_s']:.0f} | {cost['peak_mib']:,.0f} |")
    hnsw = found(results / "hnsw.json")
    for name in ["again", "resumed"]:
        path = results / f"{name}.json"
        if path.exists():
            print(f"{NAMES[name]}: {'the same hits' if found(path) == hnsw else 'OTHER HITS'} as where graphs were made")
    if not (results / "exact.json").exists():
        return
    exact = found(results / "exact.json")
    shares = [len(one.keys() & other.keys()) / len(other) for one, other in zip(hnsw, exact, strict=True) if other]
    both = [(one[key], other[key]) for one, other in zip(hnsw, exact, strict=True) for key in one.keys() & other.keys()]
    print(f"recall@10 of HNSW: {sum(shares) / len(shares):.4f}, least of a query {min(shares):.1f}")
    print(f"scores that differ: {sum(one != other for one, other in both)} of {len(both):,}")


main()
