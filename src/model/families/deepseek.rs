//! `DeepSeek` 2 and 3: keys and values expanded from short rows, many small experts and some that
//! every token goes through.
//!
//! The third generation scores experts by sigmoids, corrects them for balance and looks only at the
//! best groups of experts.

use super::config::Config;
use super::defaults::Defaults;
use super::mixture::GroupDefaults;
use super::{Description, llama, mixture, rotary};
use crate::model::error::ModelError;
use crate::model::names;
use crate::model::spec::{
    DecoderSpec, ExpertsSpec, GroupScore, LatentSpec, NormSpec, RotaryPairing, RouteGroups,
    RouteRule, RouteScore,
};

/// ε of the norms of compressed rows, which no config names.
const LATENT_NORM_EPSILON: f64 = 1e-6;

const DEFAULTS_3: Defaults = Defaults {
    vocabulary_size: 129_280,
    hidden_size: 7168,
    feed_forward_size: 18_432,
    layers: 61,
    heads: 128,
    key_value_heads: Some(128),
    context_tokens: 4096,
    ..Defaults::LLAMA
};

const EXPERTS_3: GroupDefaults = GroupDefaults {
    count: 256,
    chosen: 8,
    groups: 8,
    chosen_groups: 4,
    renormalised: true,
    scale: 2.5,
    size: 2048,
    shared: 1,
    dense_layers: 3,
};

/// Reads a config of the second generation.
pub(super) fn describe_2(config: &Config) -> Result<Description, ModelError> {
    config.only_text("scoring_func", "softmax")?;
    let mut spec = base(config, &Defaults::LLAMA, RotaryPairing::Neighbours)?;
    let bias = config.flag_or("mlp_bias", false)?;
    for layer in &mut spec.layers {
        layer.feed_forward.bias = bias;
    }
    if config.get("num_experts_per_tok").is_none() {
        return Err(config.expected("num_experts_per_tok", "a positive whole number"));
    }
    let (count, chosen) = mixture::sizes(config, 64, 1)?;
    let groups = match config.text("topk_method")? {
        None | Some("greedy") => None,
        Some("group_limited_greedy") => Some(RouteGroups {
            count: config.count("n_group")?,
            chosen: config.count("topk_group")?,
            score: GroupScore::Best,
        }),
        Some(_) => return Err(config.unsupported("topk_method")),
    };
    // `norm_topk_prob` has no effect in this generation's implementation in transformers.
    let route = RouteRule {
        chosen,
        score: RouteScore::Softmax,
        groups,
        renormalised: None,
        scale: config.number_or("routed_scaling_factor", 1.0)? as f32,
    };
    let experts = ExpertsSpec::new(count, route);
    let size = config.count_or("moe_intermediate_size", 1407)?;
    mixture::apply_after_dense(config, &mut spec, experts, size, (2, 0))?;
    Ok(Description { spec, names: names::LLAMA })
}

/// Reads a config of the third generation.
pub(super) fn describe_3(config: &Config) -> Result<Description, ModelError> {
    config.only_text("scoring_func", "sigmoid")?;
    config.only_text("topk_method", "noaux_tc")?;
    let mut spec = base_3(config, &DEFAULTS_3)?;
    mixture::apply_grouped(config, &mut spec, &EXPERTS_3)?;
    Ok(Description { spec, names: names::LLAMA })
}

/// The third generation without its experts.
pub(super) fn base_3(config: &Config, defaults: &Defaults) -> Result<DecoderSpec, ModelError> {
    let pairing = if config.flag_or("rope_interleave", true)? {
        RotaryPairing::Neighbours
    } else {
        RotaryPairing::Halves
    };
    base(config, defaults, pairing)
}

/// What both generations share: everything but the experts.
fn base(
    config: &Config,
    defaults: &Defaults,
    pairing: RotaryPairing,
) -> Result<DecoderSpec, ModelError> {
    let rotated_size = config.count_or("qk_rope_head_dim", 64)?;
    let unrotated_size = config.count_or("qk_nope_head_dim", 128)?;
    let head_size = unrotated_size + rotated_size;
    let defaults = Defaults { head_size: Some(rotated_size), ..*defaults };
    let mut spec = llama::base(config, &defaults)?;
    let mut rotary = rotary::read(config, rotated_size, &defaults)?;
    if rotary.rotated_size != rotated_size {
        return Err(config.unsupported("partial_rotary_factor"));
    }
    rotary.pairing = pairing;
    let latent = LatentSpec {
        query_rank: if config.is_null("q_lora_rank") {
            None
        } else {
            Some(config.count_or("q_lora_rank", 1536)?)
        },
        key_value_rank: config.count_or("kv_lora_rank", 512)?,
        unrotated_size,
        value_size: config.count_or("v_head_dim", 128)?,
        norm: NormSpec::rms(LATENT_NORM_EPSILON),
    };
    let bias = config.flag_or("attention_bias", false)?;
    let scale = (head_size as f64).sqrt().recip() * score_factor(config)?;
    for layer in &mut spec.layers {
        let attention = &mut layer.attention;
        if attention.key_value_heads != attention.heads {
            return Err(config.unsupported("num_key_value_heads"));
        }
        attention.head_size = head_size;
        attention.scale = scale;
        attention.input_bias = bias;
        attention.output_bias = bias;
        attention.rotary = Some(rotary.clone());
        attention.latent = Some(latent);
    }
    Ok(spec)
}

/// Factor on attention scores for a context that was stretched.
fn score_factor(config: &Config) -> Result<f64, ModelError> {
    let Some(parameters) = rotary::parameters(config)? else { return Ok(1.0) };
    let mscale = parameters.number_or("mscale_all_dim", 0.0)?;
    let field = if parameters.get("rope_type").is_some() { "rope_type" } else { "type" };
    if mscale == 0.0 || matches!(parameters.text(field)?, None | Some("default")) {
        return Ok(1.0);
    }
    Ok(rotary::yarn_scale(parameters.positive("factor")?, mscale).powi(2))
}
