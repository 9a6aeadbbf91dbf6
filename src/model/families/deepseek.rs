//! `DeepSeek` 2 and 3: keys and values expanded from short rows, many small experts and some that
//! every token goes through.
//!
//! The third generation scores experts by sigmoids, corrects them for balance and looks only at the
//! best groups of experts.

use super::config::Config;
use super::llama::Defaults;
use super::{Description, llama, mixture, rotary};
use crate::model::error::ModelError;
use crate::model::names;
use crate::model::spec::{
    DecoderSpec, ExpertsSpec, FeedForwardSpec, GroupScore, LatentSpec, NormSpec, RotaryPairing,
    RouteGroups, RouteRule, RouteScore, SharedExpertSpec,
};

/// ε of the norms of compressed rows, which no config names.
const LATENT_NORM_EPSILON: f64 = 1e-6;
/// Guards the division by the sum of weights.
const LEAST_WEIGHT_SUM: f32 = 1e-20;

const DEFAULTS_3: Defaults = Defaults { context_tokens: 4096, ..Defaults::LLAMA };

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
    let sizes = (config.count_or("moe_intermediate_size", 1407)?, 2, 0);
    apply_experts(config, &mut spec, (count, route, false), sizes)?;
    Ok(Description { spec, names: names::LLAMA })
}

/// Reads a config of the third generation.
pub(super) fn describe_3(config: &Config) -> Result<Description, ModelError> {
    config.only_text("scoring_func", "sigmoid")?;
    config.only_text("topk_method", "noaux_tc")?;
    let pairing = if config.flag_or("rope_interleave", true)? {
        RotaryPairing::Neighbours
    } else {
        RotaryPairing::Halves
    };
    let mut spec = base(config, &DEFAULTS_3, pairing)?;
    let (count, chosen) = mixture::sizes(config, 256, 8)?;
    let groups = RouteGroups {
        count: config.count_or("n_group", 8)?,
        chosen: config.count_or("topk_group", 4)?,
        score: GroupScore::BestTwo,
    };
    let route = RouteRule {
        chosen,
        score: RouteScore::Sigmoid,
        groups: Some(groups),
        renormalised: config.flag_or("norm_topk_prob", true)?.then_some(LEAST_WEIGHT_SUM),
        scale: config.number_or("routed_scaling_factor", 2.5)? as f32,
    };
    let sizes = (config.count_or("moe_intermediate_size", 2048)?, 1, 3);
    apply_experts(config, &mut spec, (count, route, true), sizes)?;
    Ok(Description { spec, names: names::LLAMA })
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
        norm: NormSpec::Rms { epsilon: LATENT_NORM_EPSILON, weight_offset: 0.0 },
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

/// Gives experts to all layers but the first few.
///
/// `sizes` are the width of an expert, and the defaults for how many experts are shared and how many
/// layers have none.
fn apply_experts(
    config: &Config,
    spec: &mut DecoderSpec,
    (count, route, correction): (usize, RouteRule, bool),
    (size, shared, dense_layers): (usize, usize, usize),
) -> Result<(), ModelError> {
    if config.count_or("moe_layer_freq", 1)? != 1 {
        return Err(config.unsupported("moe_layer_freq"));
    }
    if let Some(groups) = route.groups {
        check_groups(config, count, route.chosen, groups)?;
    }
    let shared = SharedExpertSpec {
        size: size * config.count_or("n_shared_experts", shared)?,
        weighted: false,
        bias: spec.layers.iter().any(|layer| layer.feed_forward.bias),
    };
    let experts =
        ExpertsSpec { count, route, router_bias: false, correction, shared: Some(shared) };
    let dense_layers = config.count_or_zero("first_k_dense_replace", dense_layers)?;
    for layer in spec.layers.iter_mut().skip(dense_layers) {
        // Only networks that every token goes through have biases.
        let network = FeedForwardSpec { bias: false, ..layer.feed_forward.clone() };
        layer.feed_forward = FeedForwardSpec { size, experts: Some(experts), ..network };
    }
    Ok(())
}

fn check_groups(
    config: &Config,
    count: usize,
    chosen: usize,
    groups: RouteGroups,
) -> Result<(), ModelError> {
    let least_size = match groups.score {
        GroupScore::Best => 1,
        GroupScore::BestTwo => 2,
    };
    if !count.is_multiple_of(groups.count) || count / groups.count < least_size {
        return Err(config.expected("n_group", "such that it divides the experts evenly"));
    }
    if groups.chosen > groups.count {
        return Err(config.expected("topk_group", "at most `n_group`"));
    }
    if chosen > groups.chosen * (count / groups.count) {
        return Err(config.expected("num_experts_per_tok", "at most the experts of `topk_group`"));
    }
    Ok(())
}
