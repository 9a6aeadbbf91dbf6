"""What PyTorch's matrix products reach on the shapes of an 8B model: `products.py [--device cuda] [--rows 8192]`."""

import argparse
import time

import torch

SHAPES = [(4096, 6144), (4096, 4096), (4096, 14336), (14336, 4096)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--rows", type=int, default=8192)
    parser.add_argument("--seconds", type=float, default=2.0)
    arguments = parser.parse_args()
    wait = torch.cuda.synchronize if arguments.device.startswith("cuda") else lambda: None
    for inputs, outputs in SHAPES:
        rows = torch.randn(arguments.rows, inputs, device=arguments.device, dtype=torch.bfloat16)
        weights = torch.randn(outputs, inputs, device=arguments.device, dtype=torch.bfloat16)
        rows @ weights.t()
        wait()
        begin, count = time.perf_counter(), 0
        while count == 0 or time.perf_counter() - begin < arguments.seconds:
            for _ in range(10):
                rows @ weights.t()
            wait()
            count += 10
        seconds = (time.perf_counter() - begin) / count
        flops = 2 * arguments.rows * inputs * outputs / seconds
        print(f"{arguments.rows} x {inputs} x {outputs}: {flops / 1e12:.3g} TFLOP/s", flush=True)


main()
