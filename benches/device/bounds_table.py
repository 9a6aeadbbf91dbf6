"""transformers' errors in 16 bits beside this program's, as a table: `bounds_table.py BOUNDS [SELFTEST]`.

BOUNDS is what `bounds.py` printed, SELFTEST what `surprisal selftest --dtype bf16,f16 --checkpoints FOLDER --json` did. Each
cell is the largest and the mean difference of a surprisal from that in f32, in thousandths of a nat.
"""

import json
import pathlib
import sys

TYPES = ("bf16", "f16")


def cell(figures):
    if figures is None or any(figure is None for figure in figures):
        return "-"
    return " / ".join(f"{1000 * figure:.2g}" for figure in figures)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: bounds_table.py BOUNDS [SELFTEST]")
    bounds = json.loads(pathlib.Path(sys.argv[1]).read_text())
    rows = json.loads(pathlib.Path(sys.argv[2]).read_text()) if len(sys.argv) > 2 else []
    ours = {(row["subject"], row["dtype"]): row for row in rows if row.get("mean_nats") is not None}
    print("| checkpoint |" + "".join(f" {name}, transformers | {name}, surprisal |" for name in TYPES))
    print("|---|" + "---|" * 2 * len(TYPES))
    beyond = []
    for checkpoint, of_types in bounds.items():
        cells = []
        for name in TYPES:
            bound, row = of_types.get(name), ours.get((checkpoint, name))
            cells.append(cell(bound and (bound["max_nats"], bound["mean_nats"])))
            cells.append(cell(row and (row["furthest"], row["mean_nats"])))
            if row and row["bound"] is not None and row["judged"] > row["bound"]:
                beyond.append(f"{checkpoint} in {name}")
        print(f"| {checkpoint} | " + " | ".join(cells) + " |")
    if beyond:
        print("beyond the bound: " + ", ".join(beyond), file=sys.stderr)


main()
