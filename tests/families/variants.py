"""What is tried of every family: variations that many configs know, and how they are written.

`family` says which of them a family's config knows; `variants` lists them as (name, model_type, fields, how).
Where `family` was given the fields `around` a text_config, those of the variants go inside it.
`how` may hold `dtype`, `shard` (largest file), `strip` (a prefix that the tensors' names lack),
`original=False` (tensors named as in memory) and `spell`, steps that respell config.json: "old", "oldest",
"short", "flat" (the fields of text_config beside it), or fields to set; `KeyError` takes a field out.
"""

SMALL = dict(
    vocab_size=320,
    hidden_size=32,
    intermediate_size=64,
    num_hidden_layers=3,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=512,
    pad_token_id=0,
    bos_token_id=0,
    eos_token_id=0,
)


def rope(kind, pairs=4, **more):
    """Parameters of one kind of rotary positions."""
    kinds = {
        "theta": dict(rope_type="default", rope_theta=500.0),
        "linear": dict(rope_type="linear", factor=2.5),
        "dynamic": dict(rope_type="dynamic", factor=2.0),
        "yarn": dict(
            rope_type="yarn", factor=4.0, original_max_position_embeddings=64, beta_fast=16, beta_slow=2
        ),
        "yarn-mscale": dict(
            rope_type="yarn", factor=8.0, original_max_position_embeddings=32, mscale=0.7, mscale_all_dim=1.3
        ),
        "yarn-factor": dict(
            rope_type="yarn",
            factor=4.0,
            original_max_position_embeddings=96,
            attention_factor=1.25,
            truncate=False,
        ),
        "llama3": dict(
            rope_type="llama3",
            factor=8.0,
            low_freq_factor=1.0,
            high_freq_factor=4.0,
            original_max_position_embeddings=64,
        ),
        "longrope": dict(
            rope_type="longrope",
            factor=4.0,
            original_max_position_embeddings=64,
            short_factor=[1.0 + 0.1 * i for i in range(pairs)],
            long_factor=[1.5 + 1.2 * i for i in range(pairs)],
        ),
    }
    return {"rope_parameters": {"rope_theta": 10000.0, **kinds[kind], **more}}


def family(
    base=None,
    kv=True,
    head_dim=True,
    ropes=True,
    acts="hidden_act",
    eps="rms_norm_eps",
    bias=("attention_bias",),
    window=False,
    tie=True,
    prefix="model.",
    partial=None,
    pairs=4,
    gated=("silu", "gelu_pytorch_tanh", "gelu", "relu"),
    drop=(),
    around=None,
    **own,
):
    fields = {k: v for k, v in {**SMALL, **(base or {})}.items() if k not in drop}
    return dict(
        fields=fields,
        kv=kv,
        head_dim=head_dim,
        ropes=ropes,
        acts=acts,
        eps=eps,
        bias=bias,
        window=window,
        tie=tie,
        prefix=prefix,
        partial=partial,
        pairs=pairs,
        gated=gated,
        around=around,
        own=own,
    )


def variants(name, known):
    """(variant, model_type, fields, how) of what `family` gave for a model type."""
    around = known["around"]
    for variant, model_type, fields, how in inner_variants(name, known):
        yield variant, model_type, fields if around is None else surrounded(fields, around), how


def surrounded(text, around):
    """The config of a model that also sees, whose language model has the fields `text`."""
    outside = {field: text[field] for field in ("tie_word_embeddings",) if field in text}
    inside = {field: value for field, value in text.items() if field not in outside}
    return {**around, "text_config": {**around.get("text_config", {}), **inside}, **outside}


def inner_variants(name, known):
    base = known["fields"]
    yield "plain", name, base, {}
    yield "bf16", name, base, {"dtype": "bfloat16"}
    yield "f16-old", name, base, {"dtype": "float16", "spell": ["old"]}
    yield "short", name, base, {"spell": ["short"]}
    yield "short-old", name, base, {"spell": ["short", "oldest"]}
    yield "shards", name, base, {"shard": "20KB"}
    if known["prefix"]:
        yield "stripped", name, {**base, "tie_word_embeddings": True}, {"strip": known["prefix"]}
    if known["tie"]:
        for tied in (True, False):
            yield f"tied-{tied}".lower(), name, {**base, "tie_word_embeddings": tied}, {}
    if known["kv"]:
        yield "kv1", name, {**base, "num_key_value_heads": 1, "num_hidden_layers": 1}, {}
        yield "kvall", name, {**base, "num_key_value_heads": 4, "num_hidden_layers": 5}, {}
        yield "kvnull", name, base | {"num_key_value_heads": 4}, {"spell": [{"num_key_value_heads": None}]}
    if known["head_dim"]:
        yield "head-dim", name, {**base, "head_dim": 24}, {}
    if known["eps"]:
        yield "eps", name, {**base, known["eps"]: 0.05}, {}
    if known["acts"]:
        for act in known["gated"]:
            yield f"act-{act}", name, {**base, known["acts"]: act}, {}
    for field in known["bias"]:
        for flag in (True, False):
            yield f"{field}-{flag}".lower(), name, {**base, field: flag}, {}
    if known["window"]:
        yield "window", name, {**base, "sliding_window": 16}, {}
        yield "window-odd", name, {**base, "sliding_window": 7}, {"spell": ["old"]}
        yield "window-null", name, {**base, "sliding_window": None}, {}
    if known["ropes"]:
        partial = {} if known["partial"] is None else {"partial_rotary_factor": known["partial"]}
        for kind in (
            "theta",
            "linear",
            "dynamic",
            "yarn",
            "yarn-mscale",
            "yarn-factor",
            "llama3",
            "longrope",
        ):
            fields = {**base, **rope(kind, known["pairs"], **partial)}
            yield f"rope-{kind}", name, fields, {}
            yield f"rope-{kind}-old", name, fields, {
                "spell": ["oldest" if kind in ("linear", "yarn") else "old"]
            }
    if known["partial"]:
        share = {"rope_parameters": dict(rope_type="default", rope_theta=10000.0, partial_rotary_factor=0.75)}
        yield "partial", name, {**base, **share}, {}
        yield "partial-old", name, {**base, **share}, {"spell": ["old"]}
    for variant, (fields, how) in known["own"].items():
        yield variant.replace("_", "-"), how.get("type", name), {**base, **fields}, how


def layers(*kinds):
    """`layer_types` by their first letters."""
    return [{"s": "sliding_attention", "f": "full_attention"}[kind] for kind in "".join(kinds)]


def layered(kind, full=1000.0, sliding=10000.0):
    """Rotary positions of each layer type."""
    parameters = rope(kind)["rope_parameters"] if kind != "default" else {"rope_type": "default"}
    return {
        "rope_parameters": {
            "full_attention": {**parameters, "rope_theta": full},
            "sliding_attention": {"rope_type": "default", "rope_theta": sliding},
        }
    }
