"""Runs lm-eval on tasks of invented rows, once asking `surprisal serve` and once with the program as lm-eval's model, and compares.

    serve_lm_eval.py CHECKPOINT FOLDER [ROWS]

Log-likelihoods agree within 1e-4 nats, texts and figures are equal. SURPRISAL names the program.
"""

import os
import shutil
import sys
import time
from pathlib import Path

from lm_eval_model import Comparison, evaluate, write_tasks
from serve_process import Server

os.environ["PYTHONPATH"] = str(Path(__file__).parents[2] / "python")

#: lm-eval's model, its address, tasks and further arguments of each comparison.
RUNS = {
    "completions": ("local-completions", "completions", ["invented_choice", "invented_letter", "invented_sum"], []),
    "chat": ("local-chat-completions", "chat/completions", ["invented_sum"], ["--apply_chat_template", "--fewshot_as_multiturn", "true"]),
}


def main():
    began = time.monotonic()
    checkpoint, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_tasks(folder, count)
    comparison = Comparison()
    for name, (model, address, tasks, extra) in RUNS.items():
        own, own_samples, _ = evaluate(
            "surprisal.lm_eval", "surprisal", f"pretrained={checkpoint}", tasks, extra, folder, folder / f"{name}_surprisal"
        )
        with Server(checkpoint, "--name", "pocket") as server:
            # The tokenizer is transformers' own; what it adds to a text it does not add by itself.
            arguments = f"model=pocket,base_url={server.address}/v1/{address},tokenizer={checkpoint},num_concurrent=8,max_length=1024"
            arguments += ",add_bos_token=True" if name == "completions" else ""
            # Chats are asked one by one.
            batch = ["--batch_size", "8" if name == "completions" else "1"]
            served, served_samples, _ = evaluate("lm_eval", model, arguments, tasks, extra + batch, folder, folder / f"{name}_served")
        for task in tasks:
            comparison.figures(task, own[task], served[task])
            if name == "chat":
                # The one hears messages, the other what the template made of them.
                for sample in own_samples[task] + served_samples[task]:
                    sample["arguments"] = None
            comparison.samples(task, own_samples[task], served_samples[task])
            shown = {key: value for key, value in served[task].items() if isinstance(value, float) and "stderr" not in key}
            print(f"{name}, {task}: {shown}")
    print(f"farthest log-likelihoods: {comparison.farthest_nats:.1e} nats")
    print(f"serve_lm_eval: {comparison.passed} passed, {comparison.failed} failed")
    print(f"{time.monotonic() - began:.1f} s", file=sys.stderr)
    sys.exit(comparison.failed > 0)


main()
