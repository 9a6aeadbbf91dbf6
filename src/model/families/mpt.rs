//! MPT: scores that fall with distance, layer norms without bias, no bias anywhere.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names::{self, FusedInput, FusedOrder, LayerNames, TensorNames};
use crate::model::spec::{Activation, AlibiSlopes, AlibiSpec, NormSpec, SlopeRounding};

/// The family's names of fields, and the usual ones.
const FIELDS: &[(&str, &str)] = &[
    ("d_model", "hidden_size"),
    ("n_heads", "num_attention_heads"),
    ("n_layers", "num_hidden_layers"),
    ("max_seq_len", "max_position_embeddings"),
];

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 50_368,
    hidden_size: 2048,
    layers: 24,
    heads: 16,
    plain_heads: true,
    rotated_share: 0.0,
    widening: Some(4),
    tied: true,
    ..Defaults::LLAMA
};

const NAMES: TensorNames = TensorNames {
    embedding: "transformer.wte",
    layers: "transformer.blocks",
    final_norm: "transformer.norm_f",
    layer: LayerNames {
        fused_input: Some(FusedInput { name: "attn.Wqkv", order: FusedOrder::Parts }),
        output: "attn.out_proj",
        up: "ffn.up_proj",
        down: "ffn.down_proj",
        before_attention: "norm_1",
        before_feed_forward: "norm_2",
        ..names::LLAMA.layer
    },
    ..names::LLAMA
};

const ALIBI: AlibiSpec =
    AlibiSpec { slopes: AlibiSlopes::HigherPower, rounding: SlopeRounding::Exact };

/// Reads an MPT config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    refuse_other_kinds(config)?;
    let mut spec = llama::base(&config.renamed(FIELDS), &DEFAULTS)?;
    spec.set_norms(NormSpec::layer_without_bias(config.number_or("layer_norm_epsilon", 1e-5)?));
    let (mut scale, mut input_limit) = (None, None);
    if let Some(attention) = config.object("attn_config")? {
        scale = attention.optional_number("softmax_scale")?;
        // Zero means no limit.
        input_limit = attention.optional_number("clip_qkv")?.filter(|limit| *limit != 0.0);
        if input_limit.is_some_and(|limit| limit < 0.0) {
            return Err(attention.expected("clip_qkv", "a number above zero"));
        }
    }
    for layer in &mut spec.layers {
        layer.attention.scale = scale.unwrap_or(layer.attention.scale);
        layer.attention.input_limit = input_limit;
        layer.attention.alibi = Some(ALIBI);
        layer.feed_forward.gated = false;
        layer.feed_forward.activation = Activation::Gelu;
    }
    Ok(Description { spec, names: NAMES })
}

/// Refuses what the first code of the family could do and transformers cannot.
fn refuse_other_kinds(config: &Config) -> Result<(), ModelError> {
    if config.get("logit_scale").is_some() {
        return Err(config.unsupported("logit_scale"));
    }
    if config.count_or("expansion_ratio", 4)? != 4 {
        return Err(config.unsupported("expansion_ratio"));
    }
    let Some(attention) = config.object("attn_config")? else { return Ok(()) };
    for (field, usual) in [("alibi", true), ("qk_ln", false), ("prefix_lm", false)] {
        if attention.flag_or(field, usual)? != usual {
            return Err(attention.unsupported(field));
        }
    }
    if attention.count_or("alibi_bias_max", 8)? != 8 {
        return Err(attention.unsupported("alibi_bias_max"));
    }
    match attention.text("attn_type")? {
        None | Some("multihead_attention") => Ok(()),
        Some(_) => Err(attention.unsupported("attn_type")),
    }
}
