"""The rules `sum`, `per_char` and `per_byte` choose as lm-eval's `acc`, `acc_norm` and `acc_bytes` do.

    likelihood_rules.py SURPRISAL REPOSITORY WORKLOADS FOLDER

WORKLOADS holds mmlu_like.jsonl and cloze_like.jsonl, the log-likelihoods that lm-eval's own code gives
(results/*.shared.json) and gen.py, which draws the weights. lm-eval's formula is applied to those; each workload is run
once and scored by every rule from what was kept. FOLDER takes the runs. Exit code 1: a prediction differs.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

# What lm-eval divides a candidate's log-likelihood by. Its choices are written without the blank before them.
LENGTHS = {
    "sum": lambda choice: 1,
    "per_char": lambda choice: len(choice.lstrip()),
    "per_byte": lambda choice: len(choice.lstrip().encode()),
}


def expected(scores: list, choices: list, length) -> int:
    return max(range(len(choices)), key=lambda at: scores[at]["ll"] / length(choices[at]))


def read_lines(text: str) -> list:
    return [json.loads(line) for line in text.splitlines()]


def main() -> int:
    surprisal, repository, workloads, folder = (Path(argument).resolve() for argument in sys.argv[1:5])
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / "llama25m"
    if not (model / "model.safetensors").exists():
        subprocess.run([sys.executable, workloads / "gen.py", "model", "llama25m", model], check=True, stdout=sys.stderr)
    configs = repository / "benches/likelihood"
    flat = folder / "cloze_like.jsonl"
    with flat.open("w") as out:
        subprocess.run([sys.executable, configs / "choice_columns.py", workloads / "cloze_like.jsonl"], check=True, stdout=out)
    environment = os.environ | {"SURPRISAL_LIKELIHOOD": str(workloads), "SURPRISAL_CLOZE_LIKE": str(flat)}

    def call(*arguments) -> str:
        command = [surprisal, *arguments, "-w", folder / "runs"]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout

    passed = failed = 0
    for workload in ("mmlu_like", "cloze_like"):
        call("run", configs / f"{workload}.py", "--model", model)
        rows = read_lines((workloads / f"{workload}.jsonl").read_text())
        reference = json.loads((workloads / f"results/{workload}.shared.json").read_text())["rows"]
        for rule, length in LENGTHS.items():
            evaluation = json.loads(call("evaluate", "latest", "--rule", rule, "--json"))["name"]
            candidates = read_lines(call("export", evaluation, "--table", "candidates"))
            chosen = {one["row"]: int(one["label"]) for one in candidates if one["is_chosen"]}
            assert {one["rule"] for one in candidates} == {rule}
            right = 0
            for place, (row, scored) in enumerate(zip(rows, reference, strict=True)):
                wanted = expected(scored["scores"], row["choices"], length)
                if chosen.get(place) == wanted:
                    right += 1
                else:
                    print(f"{workload}, row {place}, {rule}: {chosen.get(place)} is chosen, lm-eval chooses {wanted}")
            print(f"{workload}, {rule}: {right} of {len(rows)}")
            passed, failed = passed + right, failed + len(rows) - right
    print(f"likelihood_rules: {passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
