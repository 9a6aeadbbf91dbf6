"""Runs lm-eval with its own `hf` model and with `surprisal` on tasks of invented rows, and compares all that comes out.

    lm_eval_model.py CHECKPOINT FOLDER [ROWS]

Prompts must be the same, log-likelihoods agree within 1e-4 nats (a document in windows: relative to their sum where that is large),
texts be equal, and so must the figures. SURPRISAL names the program; CPU seconds are those of all processes, user and system.
"""

import json
import os
import random
import resource
import shutil
import subprocess
import sys
from pathlib import Path

TOLERANCE_NATS = 1e-4
#: Of a sum over a thousand tokens, single precision keeps no more.
RELATIVE_TOLERANCE = 1e-6
#: Of a figure, such as a perplexity by words, whose logarithm is such a sum.
FIGURE_TOLERANCE = 1e-5

THINGS = ["lamp", "kettle", "ladder", "violin", "bucket", "saddle", "compass", "whistle", "blanket", "hammer"]
PLACES = ["in the cellar", "under the stairs", "on the roof", "behind the red door", "at the end of the garden", "near the well"]

YAML = {
    "invented_choice": """
dataset_path: json
dataset_kwargs: {{data_files: {{train: {folder}/choice_train.jsonl, test: {folder}/choice_test.jsonl}}}}
output_type: multiple_choice
fewshot_split: train
test_split: test
num_fewshot: 4
doc_to_text: "{{{{story}}}}\\nQuestion: Where is the {{{{thing}}}}?\\nAnswer:"
doc_to_choice: choices
doc_to_target: gold
metric_list: [{{metric: acc}}, {{metric: acc_norm}}]
""",
    "invented_letter": """
dataset_path: json
dataset_kwargs: {{data_files: {{train: {folder}/letter_train.jsonl, test: {folder}/letter_test.jsonl}}}}
output_type: multiple_choice
fewshot_split: train
test_split: test
num_fewshot: 2
doc_to_text: "Question: Which number is the smallest?\\nA. {{{{A}}}}\\nB. {{{{B}}}}\\nC. {{{{C}}}}\\nD. {{{{D}}}}\\nAnswer:"
doc_to_choice: [A, B, C, D]
doc_to_target: gold
metric_list: [{{metric: acc}}]
""",
    "invented_document": """
dataset_path: json
dataset_kwargs: {{data_files: {{test: {folder}/document_test.jsonl}}}}
output_type: loglikelihood_rolling
test_split: test
doc_to_text: ""
doc_to_target: "{{{{text}}}}"
metric_list: [{{metric: word_perplexity}}, {{metric: byte_perplexity}}, {{metric: bits_per_byte}}]
""",
    "invented_sum": """
dataset_path: json
dataset_kwargs: {{data_files: {{train: {folder}/sum_train.jsonl, test: {folder}/sum_test.jsonl}}}}
output_type: generate_until
fewshot_split: train
test_split: test
num_fewshot: 4
doc_to_text: "{{{{a}}}}+{{{{b}}}}=?\\n"
doc_to_target: "{{{{a + b}}}}"
target_delimiter: ""
fewshot_delimiter: "\\n"
generation_kwargs: {{until: ["\\n"], max_gen_toks: 8, do_sample: false}}
metric_list: [{{metric: exact_match, aggregation: mean, higher_is_better: true}}]
""",
}

#: Tasks and further arguments of each comparison.
RUNS = {
    "plain": (list(YAML), []),
    "chat": (["invented_choice"], ["--apply_chat_template", "--fewshot_as_multiturn", "true", "--system_instruction", "Be short."]),
}


def write_tasks(folder, count):
    draw = random.Random(7)

    def story():
        things = draw.sample(THINGS, 4)
        places = draw.sample(PLACES, 4)
        told = " ".join(f"The {thing} is {place}." for thing, place in zip(things, places))
        gold = draw.randrange(4)
        return {"story": told, "thing": things[gold], "choices": places, "gold": gold}

    def document(sentences):
        return {"text": " ".join(f"The {draw.choice(THINGS)} is {draw.choice(PLACES)}." for _ in range(sentences))}

    def letter():
        numbers = draw.sample(range(100), 4)
        return {**dict(zip("ABCD", map(str, numbers))), "gold": numbers.index(min(numbers))}

    def total():
        return {"a": draw.randrange(50), "b": draw.randrange(50)}

    rows = {
        "choice_train": [story() for _ in range(8)],
        "choice_test": [story() for _ in range(count)],
        "letter_train": [letter() for _ in range(8)],
        "letter_test": [letter() for _ in range(count)],
        # The last one is longer than what the model reads at once.
        "document_test": [document(sentences) for sentences in [1, 2, 5, 9, 14, 20, 30, 80]],
        "sum_train": [total() for _ in range(8)],
        "sum_test": [total() for _ in range(count)],
    }
    for name, own in rows.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in own))
    for task, text in YAML.items():
        (folder / f"{task}.yaml").write_text(f"task: {task}{text.format(folder=folder)}")


def evaluate(module, model, arguments, tasks, extra, folder, out):
    """Runs lm-eval; its figures, its samples and the CPU seconds that it took."""
    command = [sys.executable, "-m", module, "--model", model, "--model_args", arguments, "--tasks", ",".join(tasks)]
    command += ["--include_path", str(folder), "--device", "cpu", "--batch_size", "8", "--log_samples", "--output_path", str(out)]
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(folder / "hub")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(command + extra, env=os.environ | offline, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode != 0:
        sys.exit(f"{' '.join(command + extra)}\n{ended.stdout}\nended with {ended.returncode}")
    (results,) = out.glob("**/results_*.json")
    samples = {}
    for task in tasks:
        (file,) = out.glob(f"**/samples_{task}_*.jsonl")
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        samples[task] = sorted(rows, key=lambda row: row["doc_id"])
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(results.read_text())["results"], samples, seconds


def flat(value):
    """All that lies in nested lists, a number as a number."""
    if isinstance(value, list):
        return [leaf for part in value for leaf in flat(part)]
    try:
        return [float(value)]
    except (TypeError, ValueError):
        return [value]


class Comparison:
    """What agrees, what does not, and by how much."""

    def __init__(self):
        self.passed, self.failed, self.farthest_nats = 0, 0, 0.0

    def hold(self, what, agrees):
        self.passed += agrees
        self.failed += not agrees
        if not agrees:
            print(f"differs: {what}", file=sys.stderr)

    def samples(self, task, theirs, ours):
        self.hold(f"{task}: {len(theirs)} samples and {len(ours)}", len(theirs) == len(ours))
        for their, our in zip(theirs, ours):
            where = f"{task}, {their['doc_id']}"
            self.hold(f"{where}: the prompt", their["arguments"] == our["arguments"])
            ending, found = flat(their["resps"]), flat(our["resps"])
            agree = len(ending) == len(found)
            for one, other in zip(ending, found):
                if isinstance(one, float) and isinstance(other, float) and task != "invented_sum":
                    self.farthest_nats = max(self.farthest_nats, abs(one - other))
                    agree &= abs(one - other) <= max(TOLERANCE_NATS, RELATIVE_TOLERANCE * abs(one))
                else:
                    agree &= one == other
            self.hold(f"{where}: {their['resps']} and {our['resps']}", agree)

    def figures(self, task, theirs, ours):
        self.hold(f"{task}: names of figures", theirs.keys() == ours.keys())
        for name in theirs.keys() & ours.keys():
            one, other = theirs[name], ours[name]
            if isinstance(one, float) and isinstance(other, float):
                self.hold(f"{task}: {name} is {one} and {other}", abs(one - other) <= FIGURE_TOLERANCE * max(1.0, abs(one)))
            else:
                self.hold(f"{task}: {name} is {one} and {other}", one == other)


def main():
    checkpoint, folder = sys.argv[1], Path(sys.argv[2]).resolve()
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_tasks(folder, count)
    comparison = Comparison()
    for name, (tasks, extra) in RUNS.items():
        theirs, their_samples, their_seconds = evaluate(
            "lm_eval", "hf", f"pretrained={checkpoint},dtype=float32", tasks, extra, folder, folder / f"{name}_hf"
        )
        ours, our_samples, our_seconds = evaluate(
            "surprisal.lm_eval", "surprisal", f"pretrained={checkpoint}", tasks, extra, folder, folder / f"{name}_surprisal"
        )
        for task in tasks:
            comparison.figures(task, theirs[task], ours[task])
            comparison.samples(task, their_samples[task], our_samples[task])
            shown = {key: value for key, value in ours[task].items() if isinstance(value, float) and "stderr" not in key}
            print(f"{name}, {task}: {shown}")
        print(f"{name}: CPU seconds with hf {their_seconds:.1f}, with surprisal {our_seconds:.1f}", flush=True)
    print(f"farthest log-likelihoods: {comparison.farthest_nats:.1e} nats")
    print(f"lm_eval_model: {comparison.passed} passed, {comparison.failed} failed")
    sys.exit(comparison.failed > 0)


if __name__ == "__main__":
    main()
