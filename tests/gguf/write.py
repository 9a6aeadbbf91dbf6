"""Writes GGUF files from checkpoints in Hugging Face layout, with the `gguf` package of llama.cpp.

    pip install gguf numpy
    python tests/gguf/write.py OUT_FOLDER [--type q8_0] CHECKPOINT_FOLDER...

One file per checkpoint, named like its folder. It follows llama.cpp's own converter: tensors are renamed
by the package's table, the rows of Llama's queries and keys are put in pairs, and what Gemma adds to the
weights of its norms is stored with them. Two things that converter leaves out are written, because
the small checkpoints of the tests need them: `attention.scale` where queries are scaled by neither of
the usual ways, and the window of a Llama.

`cargo test --release --test all gguf::` compares such files with the checkpoints: see `mod.rs`.
"""

import argparse
import json
import math
import struct
from pathlib import Path

import gguf
import numpy as np

ARCHITECTURES = {
    "llama": gguf.MODEL_ARCH.LLAMA,
    "mistral": gguf.MODEL_ARCH.LLAMA,
    "mixtral": gguf.MODEL_ARCH.LLAMA,
    "qwen2": gguf.MODEL_ARCH.QWEN2,
    "qwen3": gguf.MODEL_ARCH.QWEN3,
    "qwen3_moe": gguf.MODEL_ARCH.QWEN3MOE,
    "gemma": gguf.MODEL_ARCH.GEMMA,
    "gemma2": gguf.MODEL_ARCH.GEMMA2,
    "gemma3_text": gguf.MODEL_ARCH.GEMMA3,
    "phi3": gguf.MODEL_ARCH.PHI3,
}
EXPERT_PARTS = {"w1": "gate_proj", "w3": "up_proj", "w2": "down_proj"}


def read_tensors(path):
    """Every tensor of a safetensors file as f32."""
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        data = file.read()
    for name, info in header.items():
        if name == "__metadata__":
            continue
        start, end = info["data_offsets"]
        raw = data[start:end]
        if info["dtype"] == "BF16":
            numbers = (np.frombuffer(raw, np.uint16).astype(np.uint32) << 16).view(np.float32)
        else:
            numbers = np.frombuffer(raw, {"F32": np.float32, "F16": np.float16}[info["dtype"]])
        yield name, numbers.astype(np.float32).reshape(info["shape"])


def paired(matrix, heads):
    """Rows of rotated heads, of which row i and row i + half form a pair, with pairs side by side."""
    halves = matrix.reshape(heads, 2, matrix.shape[0] // heads // 2, *matrix.shape[1:])
    return halves.swapaxes(1, 2).reshape(matrix.shape)


def llama3_factors(rope, head_size):
    """What divides each frequency, as `rope_freqs.weight` holds it."""
    base = 1 / rope["rope_theta"] ** (np.arange(0, head_size, 2, dtype=np.float32) / head_size)
    low = rope["original_max_position_embeddings"] / rope["low_freq_factor"]
    high = rope["original_max_position_embeddings"] / rope["high_freq_factor"]
    factors = []
    for frequency in base:
        length = 2 * math.pi / frequency
        if length < high:
            factors.append(1.0)
        elif length > low:
            factors.append(rope["factor"])
        else:
            kept = (rope["original_max_position_embeddings"] / length - rope["low_freq_factor"]) / (
                rope["high_freq_factor"] - rope["low_freq_factor"]
            )
            factors.append(1 / ((1 - kept) / rope["factor"] + kept))
    return np.array(factors, dtype=np.float32)


def write_rope(writer, config, rope, head_size):
    writer.add_rope_dimension_count(int(rope.get("partial_rotary_factor", 1) * head_size))
    writer.add_rope_freq_base(rope.get("rope_theta", 10000.0))
    kind = rope.get("rope_type", rope.get("type", "default"))
    if kind == "llama3":
        writer.add_tensor("rope_freqs.weight", llama3_factors(rope, head_size))
    elif kind == "linear":
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(rope["factor"])
    elif kind == "longrope":
        original = config["original_max_position_embeddings"]
        scale = config["max_position_embeddings"] / original
        factor = math.sqrt(1 + math.log(scale) / math.log(original)) if scale > 1 else 1.0
        writer.add_rope_scaling_attn_factors(factor)
        for part in ("long", "short"):
            writer.add_tensor(
                f"rope_factors_{part}.weight", np.array(rope[f"{part}_factor"], dtype=np.float32)
            )
    elif kind != "default":
        raise SystemExit(f"rope of type {kind} is not written")


def write_parameters(writer, config):
    kind = config["model_type"]
    heads = config["num_attention_heads"]
    head_size = config.get("head_dim") or config["hidden_size"] // heads
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(config.get("num_key_value_heads", heads))
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_key_length(head_size)
    writer.add_value_length(head_size)
    writer.add_vocab_size(config["vocab_size"])
    if experts := config.get("num_local_experts") or config.get("num_experts"):
        writer.add_expert_count(experts)
        writer.add_expert_used_count(config["num_experts_per_tok"])
    if size := config.get("moe_intermediate_size"):
        writer.add_expert_feed_forward_length(size)
    if kind == "phi3":
        writer.add_sliding_window(config["sliding_window"] or 0)
        writer.add_rope_scaling_orig_ctx_len(config["original_max_position_embeddings"])
    elif not kind.startswith("qwen") and config.get("sliding_window"):
        writer.add_sliding_window(config["sliding_window"])
    if cap := config.get("attn_logit_softcapping"):
        writer.add_attn_logit_softcapping(cap)
    if cap := config.get("final_logit_softcapping"):
        writer.add_final_logit_softcapping(cap)
    if (scalar := config.get("query_pre_attn_scalar", head_size)) != head_size:
        writer.add_attention_scale(scalar**-0.5)
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    rope = rope.get("full_attention", rope)
    write_rope(writer, config, {"rope_theta": config.get("rope_theta"), **rope}, head_size)


def write_tokenizer(writer, folder):
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    added = {token["id"]: token["content"] for token in tokenizer["added_tokens"]}
    tokens = {**{id: token for token, id in tokenizer["model"]["vocab"].items()}, **added}
    merges = tokenizer["model"]["merges"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([tokens[id] for id in range(len(tokens))])
    control, normal = gguf.TokenType.CONTROL, gguf.TokenType.NORMAL
    writer.add_token_types([control if id in added else normal for id in range(len(tokens))])
    writer.add_token_merges(
        [merge if isinstance(merge, str) else " ".join(merge) for merge in merges]
    )
    writer.add_add_bos_token(False)


def write(folder, out, kind):
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if config["model_type"] not in ARCHITECTURES:
        return
    architecture = ARCHITECTURES[config["model_type"]]
    writer = gguf.GGUFWriter(out / f"{folder.name}.gguf", gguf.MODEL_ARCH_NAMES[architecture])
    names = gguf.get_tensor_name_map(architecture, config["num_hidden_layers"])
    write_parameters(writer, config)
    write_tokenizer(writer, folder)

    def add(name, tensor):
        stem, suffix = name.rsplit(".", 1)
        name = f"{names.get_name(stem)}.{suffix}"
        if tensor.ndim == 1:
            writer.add_tensor(name, np.ascontiguousarray(tensor))
        else:
            writer.add_tensor(name, gguf.quants.quantize(tensor, kind), raw_dtype=kind)

    experts = {}
    for name, tensor in read_tensors(folder / "model.safetensors"):
        if config.get("tie_word_embeddings") and name == "lm_head.weight":
            continue
        if architecture == gguf.MODEL_ARCH.LLAMA and ".q_proj." in name:
            tensor = paired(tensor, config["num_attention_heads"])
        if architecture == gguf.MODEL_ARCH.LLAMA and ".k_proj." in name:
            tensor = paired(tensor, config["num_key_value_heads"])
        if config["model_type"].startswith("gemma") and name.endswith("norm.weight"):
            tensor = tensor + 1
        before, is_expert, after = name.partition(".experts.")
        if is_expert:
            number, part, suffix = after.split(".")
            stack = f"{before.replace('block_sparse_moe', 'mlp')}.experts.{EXPERT_PARTS.get(part, part)}.{suffix}"
            experts.setdefault(stack, {})[int(number)] = tensor
        else:
            add(name, tensor)
    for name, stack in experts.items():
        add(name, np.stack([stack[number] for number in range(len(stack))]))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    print(out / f"{folder.name}.gguf")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--type", default="f32", help="of matrices: f32, f16, bf16, q4_0, …, q8_0")
    parser.add_argument("checkpoint", type=Path, nargs="+")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for checkpoint in arguments.checkpoint:
        write(checkpoint, arguments.out, gguf.GGMLQuantizationType[arguments.type.upper()])
