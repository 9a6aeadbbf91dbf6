"""lm-eval's `local-completions` on candidates of a workload, asking a server.

    lm_eval_client.py ADDRESS CHECKPOINT ROWS OUT [--limit N] [--batch N] [--at-once N]

Writes the log-likelihoods of `choices` behind `prefix` and `question`, in nats and in the order of the rows, and how long it took.
"""

import argparse
import json
import time

from lm_eval.api.instance import Instance
from lm_eval.models.openai_completions import LocalCompletionsAPI


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("checkpoint")
    parser.add_argument("rows")
    parser.add_argument("out")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--at-once", type=int, default=8)
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in open(arguments.rows)][: arguments.limit]
    model = LocalCompletionsAPI(
        model="workload",
        base_url=f"{arguments.address}/v1/completions",
        tokenizer=arguments.checkpoint,
        num_concurrent=arguments.at_once,
        batch_size=arguments.batch,
        max_length=4096,
        # As the checkpoint's tokenizer does, and the reference with it.
        add_bos_token=True,
    )
    requests = [
        Instance("loglikelihood", {}, (row["prefix"] + row["question"], choice), place)
        for place, row in enumerate(rows)
        for choice in row["choices"]
    ]
    began = time.perf_counter()
    answers = model.loglikelihood(requests, disable_tqdm=True)
    seconds = time.perf_counter() - began
    with open(arguments.out, "w") as file:
        json.dump(dict(seconds=seconds, log_likelihoods=[nats for nats, _ in answers]), file)


main()
