"""Writes tiny random checkpoints of many variants of every family, with transformers' own scores.

    python make.py FOLDER [FAMILY…]         # torch, transformers 5, safetensors
    SURPRISAL_MODEL_FIXTURES=FOLDER cargo test --release --test all model_fixtures

Every checkpoint is written, its config.json respelled as older or shorter files are, and only then read
back by transformers, so that the expected numbers belong to exactly those files. What transformers
cannot read is left out and said. Weights are drawn so that every bias, norm and factor is felt.
"""

import argparse
import copy
import json
import os
import shutil
import sys
import zlib
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM, AutoModelForImageTextToText, logging
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from table import FAMILIES
from variants import variants

TOKENIZER = Path(__file__).parent.parent / "fixtures/models/llama/tokenizer.json"
TEXTS = [
    "a",
    "Question: Which is true?\nA. yes\nB. no\nC. maybe\nAnswer: B",
    "Question: Which is true?\nA. yes\nB. no\nC. maybe\nAnswer: C, for reasons that take a while: 17+4=21, 大",
    "The quick brown fox jumps over the lazy dog. " * 5 + "Then it rests.",
]
GREEDY_TOKENS = 12


# As eager code transformers adds Falcon's linear biases twice.
ATTENTION = {"falcon": "sdpa"}


def auto_class(config):
    """What reads a model of that config: the fields of one that also sees hold a text_config."""
    return AutoModelForImageTextToText if "text_config" in config else AutoModelForCausalLM


def seed_of(text):
    return zlib.crc32(text.encode())


def randomise(model, seed):
    """Draws every parameter and trained buffer anew, near what keeps activations of order one."""
    torch.manual_seed(seed)
    trained = list(model.named_parameters())
    trained += [(name, buffer) for name, buffer in model.named_buffers() if "correction" in name]
    with torch.no_grad():
        for name, tensor in trained:
            noise = torch.randn_like(tensor, dtype=torch.float32)
            if tensor.dim() < 2 or "bias" in name:
                centre = 1.0 if tensor.numel() and tensor.flatten()[0] == 1 else 0.0
                noise = centre + 0.3 * noise
            elif "norm" in name or "layernorm" in name:
                noise = 1.0 + 0.3 * noise
            elif "embed" in name or "wte" in name or "wpe" in name:
                noise = 0.6 * noise
            else:
                noise *= 1.3 / tensor.shape[-1] ** 0.5
            tensor.copy_(noise)
    return model


def older(config, type_field):
    """The config as transformers 4 wrote it."""
    config["transformers_version"] = "4.44.0"
    config["torch_dtype"] = config.pop("dtype", "float32")
    rope = config.pop("rope_parameters", None)
    if not rope:
        return config
    if "full_attention" in rope:
        full, sliding = rope["full_attention"], rope["sliding_attention"]
        config["rope_local_base_freq"] = sliding["rope_theta"]
        if sliding["rope_theta"] == full["rope_theta"]:
            del config["rope_local_base_freq"]
        rope = full
    config["rope_theta"] = rope.pop("rope_theta", 10000.0)
    if config["model_type"] == "gpt_neox":
        config["rotary_emb_base"] = config.pop("rope_theta")
        config["rotary_pct"] = rope.pop("partial_rotary_factor")
    elif "partial_rotary_factor" in rope:
        config["partial_rotary_factor"] = rope.pop("partial_rotary_factor")
    kind = rope.pop("rope_type", "default")
    if kind != "default" or rope:
        config["rope_scaling"] = {type_field: kind, **rope}
    return config


def shorter(config, defaults):
    """The config without what its class would fill in."""
    kept = {"model_type", "architectures", "transformers_version"}
    return {k: v for k, v in config.items() if k in kept or k not in defaults or defaults[k] != v}


def respell(folder, spelling):
    path = folder / "config.json"
    config = json.loads(path.read_text())
    text = config.get("text_config")
    if text is None:
        config = respelled(config, spelling)
    elif "flat" in spelling:
        text = respelled(text, [step for step in spelling if step != "flat"])
        del config["text_config"]
        config = {**text, **config}
    else:
        inner = [step for step in spelling if isinstance(step, str)]
        config["text_config"] = respelled(text, inner)
        config = respelled(config, [step for step in spelling if step not in inner])
    path.write_text(json.dumps(config, indent=1))


def respelled(config, spelling):
    for step in spelling:
        if step == "old":
            config = older(config, "rope_type")
        elif step == "oldest":
            config = older(config, "type")
        elif step == "short":
            config = shorter(config, CONFIG_MAPPING[config["model_type"]]().to_dict())
        elif isinstance(step, dict):
            for key, value in step.items():
                if value is KeyError:
                    config.pop(key, None)
                else:
                    config[key] = value
    return config


def rename(folder, prefix):
    """Takes the prefix from every tensor's name, as a checkpoint saved without its head."""
    path = folder / "model.safetensors"
    tensors = load_file(path)
    save_file(
        {name.removeprefix(prefix): tensor.clone() for name, tensor in tensors.items()},
        path,
        {"format": "pt"},
    )


def expected(folder, model_type, auto):
    """What transformers says of the checkpoint as it lies there."""
    kwargs = dict(dtype=torch.float32, output_loading_info=True)
    kwargs["attn_implementation"] = ATTENTION.get(model_type, "eager")
    try:
        model, info = auto.from_pretrained(folder, experts_implementation="eager", **kwargs)
    except TypeError:
        model, info = auto.from_pretrained(folder, **kwargs)
    problems = {
        k: v
        for k, v in info.items()
        if k in ("missing_keys", "mismatched_keys", "error_msgs", "unexpected_keys") and v
    }
    if problems:
        raise ValueError(f"not read whole: {problems}")
    model.eval()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    longest = getattr(model.config.get_text_config(), "max_position_embeddings", 256)

    def logits(ids):
        return model(torch.tensor([ids]), use_cache=False).logits[0].float()

    cases = []
    with torch.no_grad():
        for text in TEXTS:
            ids = tokenizer.encode(text).ids
            assert len(ids) + GREEDY_TOKENS <= longest, f"{len(ids)} tokens"
            scores = logits(ids)
            nll = -scores[:-1].log_softmax(-1).gather(1, torch.tensor(ids[1:]).unsqueeze(1)).squeeze(1)
            top = scores[-1].topk(5)
            greedy, margin = [], float("inf")
            for _ in range(GREEDY_TOKENS):
                best = logits(ids + greedy)[-1].topk(2)
                margin = min(margin, (best.values[0] - best.values[1]).item())
                greedy.append(best.indices[0].item())
            cases.append(
                {
                    "text": text,
                    "ids": ids,
                    "nll": [round(x, 6) for x in nll.tolist()],
                    "last_top5": [
                        [i, round(v, 5)] for i, v in zip(top.indices.tolist(), top.values.tolist())
                    ],
                    "greedy": greedy,
                    "greedy_margin": round(margin, 5),
                }
            )
    return {"architecture": [type(model).__name__], "cases": cases}


def make(folder, model_type, fields, how):
    fields = copy.deepcopy(fields)
    config = CONFIG_MAPPING[model_type](**fields)
    auto = auto_class(fields)
    model = auto.from_config(config)
    randomise(model, seed_of(folder.name)).to(getattr(torch, how.get("dtype", "float32")))
    model.config.dtype = getattr(torch, how.get("dtype", "float32"))
    shutil.rmtree(folder, ignore_errors=True)
    size = how.get("shard", "1GB")
    model.save_pretrained(folder, max_shard_size=size, save_original_format=how.get("original", True))
    (folder / "generation_config.json").unlink(missing_ok=True)
    shutil.copy(TOKENIZER, folder / "tokenizer.json")
    respell(folder, how.get("spell", []))
    if "strip" in how:
        rename(folder, how["strip"])
    (folder / "expected.json").write_text(json.dumps(expected(folder, model_type, auto), ensure_ascii=False))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("families", nargs="*")
    parser.add_argument("--keep", action="store_true", help="leave those that are there")
    arguments = parser.parse_args()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    torch.set_num_threads(1)
    for family in arguments.families or FAMILIES:
        made = 0
        for name, model_type, fields, how in variants(family, FAMILIES[family]):
            folder = arguments.folder / f"{family}-{name}"
            if arguments.keep and (folder / "expected.json").is_file():
                made += 1
                continue
            try:
                make(folder, model_type, fields, how)
                made += 1
            except Exception as error:  # whatever transformers says no to
                shutil.rmtree(folder, ignore_errors=True)
                print(f"left out {folder.name}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
        print(f"{family}: {made} variants", flush=True)


if __name__ == "__main__":
    os.environ["HF_HUB_OFFLINE"] = "1"
    main()
