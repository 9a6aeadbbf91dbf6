"""The likelihood workloads as tasks of lm-eval: its `hf` model, the model of the Python package and `surprisal run` side by side.

    lm_eval_workloads.py WORKLOADS FOLDER

`surprisal diff` must find that lm-eval's samples and the run agree within 1e-4 nats, and must name what was changed on purpose: a
token at the beginning, the delimiter, the window, the type. SURPRISAL names the program; CPU seconds are those of all processes.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

from lm_eval_model import Comparison, evaluate

#: Rows of a run with a fault.
FAULTY_ROWS = "24"

YAML = """
task: {task}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {rows}}}}}
output_type: multiple_choice
test_split: test
doc_to_text: "{{{{prompt}}}}"
doc_to_choice: choices
doc_to_target: gold
target_delimiter: "{delimiter}"
metric_list: [{{metric: acc}}, {{metric: acc_norm}}]
"""

#: Faults: what is told of the `hf` model, the delimiter, and the cause that must be found.
FAULTS = {
    "beginning": (",add_bos_token=False", " ", "beginning"),
    "delimiter": ("", "\\n", "white_space"),
    "truncation": (",max_length=400", " ", "truncation"),
    "type": (",dtype=bfloat16", " ", "noise"),
}


def write_task(folder, workloads, workload, delimiter):
    """A task whose candidates are written without the blank before them, because the delimiter is that blank."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = folder / f"{workload}.jsonl"
    with rows.open("w") as out:
        for line in (workloads / f"{workload}.jsonl").read_text().splitlines():
            row = json.loads(line)
            own = {"prompt": row["prefix"] + row["question"], "choices": [one.lstrip() for one in row["choices"]], "gold": row["gold"]}
            out.write(json.dumps(own) + "\n")
    (folder / f"{workload}.yaml").write_text(YAML.format(task=workload, rows=rows, delimiter=delimiter))


def run(*arguments):
    """Output, exit code and CPU seconds of the program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run([os.environ["SURPRISAL"], *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.stdout, ended.returncode, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    workloads, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    model = folder / "llama25m"
    if not (model / "model.safetensors").exists():
        subprocess.run([sys.executable, workloads / "gen.py", "model", "llama25m", model], check=True, stdout=sys.stderr)
    out = folder / "workloads"
    shutil.rmtree(out, ignore_errors=True)
    comparison = Comparison()
    for workload in ("mmlu_like", "cloze_like"):
        tasks, kept = out / "tasks", out / "kept"
        write_task(tasks, workloads, workload, " ")
        theirs, their_samples, their_seconds = evaluate(
            "lm_eval", "hf", f"pretrained={model},dtype=float32", [workload], [], tasks, out / f"{workload}_hf"
        )
        ours, our_samples, our_seconds = evaluate(
            "surprisal.lm_eval", "surprisal", f"pretrained={model}", [workload], [], tasks, out / f"{workload}_surprisal"
        )
        comparison.figures(workload, theirs[workload], ours[workload])
        comparison.samples(workload, their_samples[workload], our_samples[workload])
        asked = ("--tasks", workload, "--tasks-path", tasks, "--model", model, "--dtype", "f32", "--format", "lm-eval", "-w", kept)
        _, code, run_seconds = run("run", *asked)
        comparison.hold(f"{workload}: run ends with {code}", code == 0)
        (samples,) = (out / f"{workload}_hf").glob(f"**/samples_{workload}_*.jsonl")
        told, code, _ = run("diff", "latest", samples, "-w", kept, "--tolerance", "1e-4")
        print(told)
        comparison.hold(f"{workload}: diff ends with {code}", code == 0)
        print(f"{workload}: CPU seconds of lm-eval with hf {their_seconds:.1f}, with surprisal {our_seconds:.1f}, of run {run_seconds:.1f}")
        for fault, (model_args, delimiter, wanted) in FAULTS.items():
            faulty = out / f"{workload}_{fault}"
            write_task(faulty / "tasks", workloads, workload, delimiter)
            base = "" if "dtype" in model_args else ",dtype=float32"
            evaluate("lm_eval", "hf", f"pretrained={model}{base}{model_args}", [workload], ["--limit", FAULTY_ROWS], faulty / "tasks", faulty)
            (samples,) = faulty.glob(f"**/samples_{workload}_*.jsonl")
            told, code, _ = run("diff", "latest", samples, "-w", kept, "--json")
            found = json.loads(told)["reports"][0]["causes"] if told else []
            named = found[0]["kind"] if found else None
            comparison.hold(f"{workload}: diff names {named} for {fault} and ends with {code}", named == wanted and code == 1)
            print(f"{workload}, {fault}: {named}", flush=True)
    print(f"farthest log-likelihoods: {comparison.farthest_nats:.1e} nats")
    print(f"lm_eval_workloads: {comparison.passed} passed, {comparison.failed} failed")
    sys.exit(comparison.failed > 0)


if __name__ == "__main__":
    main()
