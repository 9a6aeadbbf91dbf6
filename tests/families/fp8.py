"""Makes tiny FP8 checkpoints of those in another folder: `fp8.py MODELS FOLDER`, such as both `tests/fixtures/models`.

Every linear map of a layer is rounded to E4M3 with scales, in each of the layouts that real checkpoints have: blocks as in
DeepSeek's and Qwen's, with edges that are no whole block and with scales as f32, bf16 or exponents; a scale for each output as
FBGEMM's; a scale for each matrix as compressed-tensors' and static ones, with scales of inputs beside them. expected.json holds
what transformers says in f32 of the numbers that codes and scales stand for, which this script widens itself.
"""

import argparse
import json
import pathlib
import re
import shutil
import tempfile

import torch
from make import auto_class, expected
from safetensors.torch import load_file, save_file

LINEAR = re.compile(r"layers\.\d+\..*proj(_with_mqa)?\.weight$|experts\.\d+\.w[123]\.weight$")
LARGEST = torch.finfo(torch.float8_e4m3fn).max
FINE = dict(quant_method="fp8", fmt="e4m3", activation_scheme="dynamic")


def compressed(strategy, **more):
    weights = dict(num_bits=8, type="float", symmetric=True, strategy=strategy, dynamic=False, group_size=None, **more)
    group = dict(targets=["Linear"], weights=weights, input_activations=dict(num_bits=8, type="float", dynamic=True), output_activations=None)
    return dict(quant_method="compressed-tensors", format="float-quantized", quantization_status="compressed", kv_cache_scheme=None,
        sparsity_config={}, transform_config={}, ignore=["lm_head"], config_groups=dict(group_0=group))


# The checkpoint it is made of; the config's own words; outputs and inputs of a block (None: all); the type of scales.
CASES = {
    "qwen3-fp8-blocks": ("qwen3", FINE | dict(weight_block_size=[24, 20]), [24, 20], torch.float32),
    "qwen3_moe-fp8-blocks": ("qwen3_moe", FINE | dict(weight_block_size=[16, 16]), [16, 16], torch.bfloat16),
    "deepseek_v3-fp8-exponents": ("deepseek_v3", FINE | dict(weight_block_size=[16, 8], scale_fmt="ue8m0"), [16, 8], torch.float8_e8m0fnu),
    "mistral-fp8-static": ("mistral", FINE | dict(activation_scheme="static", weight_block_size=None), [None, None], torch.bfloat16),
    "llama-fp8-outputs": ("llama", dict(quant_method="fbgemm_fp8", activation_scale_ub=1200.0), [1, None], torch.float32),
    "phi3-fp8-compressed": ("phi3", compressed("tensor"), [None, None], torch.float32),
    "qwen2-fp8-compressed-outputs": ("qwen2", compressed("channel"), [1, None], torch.bfloat16),
    "llama-fp8-compressed-blocks": ("llama", compressed("block", block_structure=[32, 16]), [32, 16], torch.float32),
}


def rounded(weight, block, kind):
    """Codes, their scales by block, and the numbers that both stand for."""
    rows, columns = weight.shape
    height, width = block[0] or rows, block[1] or columns
    down, across = -(-rows // height), -(-columns // width)
    padded = torch.zeros(down * height, across * width)
    padded[:rows, :columns] = weight.float()
    blocks = padded.view(down, height, across, width)
    scales = (blocks.abs().amax((1, 3)) / LARGEST).clamp(min=1e-12)
    if kind == torch.float8_e8m0fnu:
        scales = scales.log2().ceil().exp2()
    scales = scales.to(kind)
    wide = scales.float()[:, None, :, None]
    codes = (blocks / wide).clamp(-LARGEST, LARGEST).to(torch.float8_e4m3fn)
    flat = lambda numbers: numbers.reshape(padded.shape)[:rows, :columns].contiguous()
    return flat(codes), scales, flat(codes.float() * wide)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for name, (source, packing, block, kind) in CASES.items():
        tensors = load_file(arguments.models / source / "model.safetensors")
        config = json.loads((arguments.models / source / "config.json").read_text())
        suffix = "_scale_inv" if packing["quant_method"] == "fp8" else "_scale"
        stored, widened = {}, {}
        for tensor, numbers in tensors.items():
            widened[tensor] = numbers.float()
            if not LINEAR.search(tensor):
                stored[tensor] = numbers
                continue
            codes, scales, widened[tensor] = rounded(numbers, block, kind)
            stored[tensor] = codes
            stored[tensor + suffix] = scales.reshape(()) if block == [None, None] and suffix == "_scale_inv" else scales
            if block == [None, None] and suffix == "_scale":
                stored[tensor + suffix] = scales.reshape(1)
            if packing.get("activation_scheme") == "static":
                stored[tensor.removesuffix("weight") + "activation_scale"] = torch.tensor(0.02, dtype=kind)
        assert any(numbers.dtype == torch.float8_e4m3fn for numbers in stored.values()), name
        folder = arguments.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shutil.copy(arguments.models / source / "tokenizer.json", folder)
        save_file(stored, folder / "model.safetensors", {"format": "pt"})
        (folder / "config.json").write_text(json.dumps(config | dict(quantization_config=packing), indent=1) + "\n")
        with tempfile.TemporaryDirectory() as plain:
            plain = pathlib.Path(plain)
            shutil.copy(arguments.models / source / "tokenizer.json", plain)
            save_file(widened, plain / "model.safetensors", {"format": "pt"})
            (plain / "config.json").write_text(json.dumps(config | dict(dtype="float32")))
            found = expected(plain, config["model_type"], auto_class(config))
        (folder / "expected.json").write_text(json.dumps(found, ensure_ascii=False))
        print(f"{name}: {sum(numbers.dtype == torch.float8_e4m3fn for numbers in stored.values())} maps in E4M3", flush=True)


main()
