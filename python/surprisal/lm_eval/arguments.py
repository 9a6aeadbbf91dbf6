"""`--model_args` as options of the program. What is not known is refused by its name."""

from __future__ import annotations

from typing import Any

#: Arguments of lm-eval's `hf` model that are asked for most, and why they are not followed.
REASONS = {
    "max_length": "the model's own window is taken",
    "max_gen_toks": "write it as --gen_kwargs max_gen_toks=N",
    "tokenizer": "the checkpoint's own tokenizer is taken",
    "add_bos_token": "what the checkpoint's tokenizer adds is added",
    "prefix_token_id": "the token that begins a text, or else the one that ends it, stands before an empty context",
    "think_end_token": "what a model thinks is not parted from its answers here",
    "parallelize": "name devices with + between them, such as device=cuda:0+cuda:1",
    "peft": "merge the adapter into the checkpoint first",
}

#: What programs of torch call devices, types and what the program calls them.
DEVICES = {"mps": "metal", "mps:0": "metal", "gpu": "cuda"}
TYPES = {"bfloat16": "bf16", "float16": "f16", "half": "f16", "float32": "f32", "float": "f32"}


def refuse_unknown(others: dict[str, Any]) -> None:
    """Raises ValueError for arguments that are not known, unless they say nothing."""
    unknown = [name for name, value in others.items() if value is not None]
    if unknown:
        reasons = "; ".join(f"{name}: {REASONS.get(name, 'not known')}" for name in unknown)
        raise ValueError(
            f"model_args of surprisal that cannot be followed: {reasons}. Known are pretrained, revision, device, dtype, threads, "
            "batch_tokens, kv_bytes, work_dir, binary, enable_thinking=False, chat_template_args."
        )


#: What lm-eval's command asks for where nobody said anything. Its `hf` model takes the CPU then where there is no GPU.
DEFAULT_DEVICE = "cuda:0"


def device_name(device: str | int | None) -> str | None:
    """The program's name of a device; nothing where it is to choose. Several stand with + between them, because commas part
    model_args."""
    if device is None or device == DEFAULT_DEVICE:
        return None
    named = [f"cuda:{one}" if one.isdigit() else DEVICES.get(one, one) for one in str(device).split("+")]
    return ",".join(named)


def program_options(
    device: str | None,
    dtype: str | None,
    threads: int | None,
    batch_tokens: int | None,
    kv_bytes: int | str | None,
    work_dir: str,
) -> list[str]:
    """Options of a command that asks a model."""
    given = {
        "--device": device,
        "--dtype": None if dtype in (None, "auto") else TYPES.get(str(dtype), dtype),
        "--threads": threads,
        "--batch-tokens": batch_tokens,
        "--kv-bytes": kv_bytes,
        "--work-dir": work_dir,
    }
    return [part for name, value in given.items() if value is not None for part in (name, str(value))]
