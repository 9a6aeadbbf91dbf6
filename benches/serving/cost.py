"""What scoring through `surprisal serve` costs beside `surprisal run`: the candidates of a workload, sent by lm-eval's client.

    cost.py CHECKPOINT FOLDER [--limit N] [--at-once N] [--most RATIO]

Both ways run one after the other on the same cores; the reference is transformers' own log-likelihoods. Exit code 1: a log-likelihood differs by more than 1e-4 nats, or the server
computed or used more than RATIO times what the run did. SURPRISAL names the program, SURPRISAL_LIKELIHOOD the folder of the workload.
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from serve_process import Server

HERE = Path(__file__).parent
#: Nats by which a log-likelihood may differ.
NATS = 1e-4


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint")
    parser.add_argument("folder")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--most", type=float, default=1.3)
    arguments = parser.parse_args()
    folder, rows = Path(arguments.folder), Path(os.environ["SURPRISAL_LIKELIHOOD"]) / "mmlu_like.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    limit = [] if arguments.limit is None else ["--limit", str(arguments.limit)]
    run = of_run(arguments.checkpoint, folder, limit)
    with Server(arguments.checkpoint, "--name", "workload") as server:
        out = folder / "served.json"
        command = [sys.executable, str(HERE / "lm_eval_client.py"), server.address, arguments.checkpoint, str(rows), str(out)]
        subprocess.run([*command, *limit, "--at-once", str(arguments.at_once)], check=True)
        computed = metric(server.address, "surprisal_computed_tokens_total")
        served = dict(cpu_s=server.cpu_seconds(), computed_tokens=computed, **json.loads(out.read_text()))
    reference = json.loads((rows.parent / "results" / "mmlu_like.shared.json").read_text())["rows"][: arguments.limit]
    expected = [score["ll"] for row in reference for score in row["scores"]]
    farthest = max(abs(own - other) for own, other in zip(served["log_likelihoods"], expected, strict=True))
    ratios = {name: served[name] / run[name] for name in ("cpu_s", "computed_tokens")}
    print(f"{'':>8} {'CPU s':>8} {'wall s':>8} {'tokens computed':>16}")
    for name, own in (("run", run), ("serve", served)):
        print(f"{name:>8} {own['cpu_s']:8.1f} {own['seconds']:8.1f} {own['computed_tokens']:16,.0f}")
    print(f"{'ratio':>8} {ratios['cpu_s']:8.2f} {served['seconds'] / run['seconds']:8.2f} {ratios['computed_tokens']:16.2f}")
    print(f"{len(expected)} candidates; farthest from the reference: {farthest:.1e} nats")
    sys.exit(farthest > NATS or max(ratios.values()) > arguments.most)


def of_run(checkpoint, folder, limit):
    """What `surprisal run` needs for the same candidates, from nothing."""
    outputs = folder / "outputs"
    shutil.rmtree(outputs, ignore_errors=True)
    program, config = os.environ["SURPRISAL"], str(HERE.parent / "likelihood" / "mmlu_like.py")
    asked = [config, "--model", checkpoint, "--json", *limit]
    [checked] = json.loads(subprocess.run([program, "check", *asked], check=True, stdout=subprocess.PIPE).stdout)
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [program, "run", *asked, "--work-dir", str(outputs), "--device", "cpu"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - began
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return dict(cpu_s=cpu_s, seconds=seconds, computed_tokens=checked["computed_tokens"])


def metric(address, name):
    said = urllib.request.urlopen(f"{address}/metrics").read().decode()
    return float(re.search(rf"^{name} (\S+)$", said, re.MULTILINE).group(1))


main()
