"""PyTorch's products and attention in the shapes of `surprisal bench --kernels --json`, timed the same way.

    peer.py KERNELS [--threads N]

Prints as many times as the file names kernels. All is f32: whatever our weights are stored as, rows and results are f32, for
which PyTorch has the one product.
"""

import argparse
import json
import time

import torch
from torch.nn import functional

LEAST_S = 0.25


def work_of(kernel: dict):
    """What computes this kernel once."""
    if kernel["kernel"] == "product":
        rows = torch.randn(kernel["rows"], kernel["inputs"])
        matrix = torch.randn(kernel["outputs"], kernel["inputs"])
        return lambda: functional.linear(rows, matrix)
    own, shared = kernel["own_tokens"], kernel["shared_tokens"]
    heads, kv_heads, size = kernel["heads"], kernel["kv_heads"], kernel["head_size"]
    queries = torch.randn(kernel["sequences"], heads, own, size)
    keys, values = (torch.randn(kernel["sequences"], kv_heads, shared + own, size) for _ in range(2))
    # Repeated beforehand, and what is shared stands there for each sequence: neither costs time here.
    keys, values = (tensor.repeat_interleave(heads // kv_heads, 1) for tensor in (keys, values))
    if shared == 0:
        return lambda: functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    seen = torch.ones(own, shared + own, dtype=torch.bool).tril(shared)
    return lambda: functional.scaled_dot_product_attention(queries, keys, values, attn_mask=seen)


def fastest(work) -> dict:
    """The least seconds of a call, of CPU time and on the clock."""
    work()
    best = dict(cpu_seconds=float("inf"), wall_seconds=float("inf"))
    begin = time.perf_counter()
    calls = 0
    while calls < 2 or time.perf_counter() - begin < LEAST_S:
        cpu, wall = time.process_time(), time.perf_counter()
        work()
        cost = dict(cpu_seconds=time.process_time() - cpu, wall_seconds=time.perf_counter() - wall)
        best = {key: min(best[key], cost[key]) for key in best}
        calls += 1
    return best


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kernels")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    with open(arguments.kernels, encoding="utf-8") as file:
        kernels = json.load(file)["kernels"]
    known: dict[tuple, dict] = {}
    told = []
    with torch.inference_mode():
        for kernel in kernels:
            # Products that differ in our weights alone are one to PyTorch.
            shape = tuple(value for key, value in kernel.items() if key != "weights" and not key.endswith("seconds"))
            if shape not in known:
                known[shape] = fastest(work_of(kernel))
            told.append(known[shape])
    capability = torch.backends.cpu.get_cpu_capability()
    print(json.dumps(dict(torch=torch.__version__, capability=capability, kernels=told), indent=1))


if __name__ == "__main__":
    main()
