"""A checkpoint of random weights in the shape of Llama 3 8B, with the tokenizer of the small model that ships: `checkpoint.py FOLDER`.

What a whole run costs depends on sizes alone: how much is read, sent and multiplied. Text is cut into more tokens than by
Llama's own tokenizer, so it is as long as it takes for as many tokens. Takes torch and safetensors, and a GPU to draw on if there is one.
"""

import json
import pathlib
import shutil
import sys

import torch
from safetensors.torch import save_file

VOCABULARY, WIDTH, INNER, LAYERS, KEYS = 128256, 4096, 14336, 32, 1024
LAYERS_OF_A_FILE = 4
TOKENIZER = pathlib.Path(__file__).parents[2] / "models/pocket"
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def drawn(*shape):
    return torch.empty(*shape, device=DEVICE, dtype=torch.bfloat16).normal_(0, 0.02).cpu()


def layer(number):
    prefix = f"model.layers.{number}."
    maps = {
        "self_attn.q_proj": (WIDTH, WIDTH), "self_attn.k_proj": (KEYS, WIDTH), "self_attn.v_proj": (KEYS, WIDTH),
        "self_attn.o_proj": (WIDTH, WIDTH), "mlp.gate_proj": (INNER, WIDTH), "mlp.up_proj": (INNER, WIDTH),
        "mlp.down_proj": (WIDTH, INNER),
    }
    weights = {f"{prefix}{name}.weight": drawn(*shape) for name, shape in maps.items()}
    norms = ("input_layernorm", "post_attention_layernorm")
    return weights | {f"{prefix}{name}.weight": torch.ones(WIDTH, dtype=torch.bfloat16) for name in norms}


def files():
    yield {
        "model.embed_tokens.weight": drawn(VOCABULARY, WIDTH), "lm_head.weight": drawn(VOCABULARY, WIDTH),
        "model.norm.weight": torch.ones(WIDTH, dtype=torch.bfloat16),
    }
    for first in range(0, LAYERS, LAYERS_OF_A_FILE):
        yield {name: weight for number in range(first, first + LAYERS_OF_A_FILE) for name, weight in layer(number).items()}


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: checkpoint.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "generation_config.json"):
        shutil.copy(TOKENIZER / name, folder / name)
    config = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": VOCABULARY, "hidden_size": WIDTH,
        "intermediate_size": INNER, "num_hidden_layers": LAYERS, "num_attention_heads": 32, "num_key_value_heads": 8,
        "hidden_act": "silu", "max_position_embeddings": 8192, "rms_norm_eps": 1e-5, "rope_theta": 500000.0,
        "tie_word_embeddings": False, "bos_token_id": 0, "eos_token_id": 1, "torch_dtype": "bfloat16",
    }
    (folder / "config.json").write_text(json.dumps(config))
    torch.manual_seed(1)
    places, count = {}, 1 + LAYERS // LAYERS_OF_A_FILE
    for number, weights in enumerate(files(), 1):
        name = f"model-{number:05}-of-{count:05}.safetensors"
        save_file(weights, folder / name, metadata={"format": "pt"})
        places |= dict.fromkeys(weights, name)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": places}))


main()
