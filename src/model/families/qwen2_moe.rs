//! Qwen 1.5 and 2 with experts: Qwen 2 in which most layers have many small networks, and one that
//! every token goes through.

use serde_json::json;

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama, mixture, windows};
use crate::model::error::ModelError;
use crate::model::names::{self, ExpertNames, LayerNames, TensorNames};
use crate::model::spec::{
    DecoderSpec, ExpertsSpec, FeedForwardSpec, RouteRule, RouteScore, SharedExpertSpec,
};

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 151_936,
    hidden_size: 2048,
    feed_forward_size: 5632,
    layers: 24,
    heads: 16,
    key_value_heads: Some(16),
    context_tokens: 32_768,
    ..Defaults::LLAMA
};

const SHARED: [&str; 3] =
    ["mlp.shared_expert.gate_proj", "mlp.shared_expert.up_proj", "mlp.shared_expert.down_proj"];

const NAMES: TensorNames = TensorNames {
    layer: LayerNames {
        experts: &[
            ExpertNames { shared: SHARED, ..names::SINGLE_EXPERTS },
            ExpertNames { shared: SHARED, ..names::STACKED_EXPERTS },
        ],
        ..names::LLAMA.layer
    },
    ..names::LLAMA
};

/// Reads a Qwen2-MoE config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::base(config, &DEFAULTS)?;
    apply_windows(config, &mut spec)?;
    let input_bias = config.flag_or("qkv_bias", true)?;
    for layer in &mut spec.layers {
        layer.attention.input_bias = input_bias;
    }
    let (count, chosen) = mixture::sizes(config, 60, 4)?;
    let shared = SharedExpertSpec {
        size: config.count_or("shared_expert_intermediate_size", 5632)?,
        weighted: true,
        bias: false,
    };
    let experts = ExpertsSpec {
        count,
        route: route(config, chosen)?,
        router_bias: false,
        correction: false,
        shared: Some(shared),
    };
    apply_experts(config, &mut spec, config.count_or("moe_intermediate_size", 1408)?, experts)?;
    Ok(Description { spec, names: NAMES })
}

/// The softmax of all experts, whose weights add up to one only if the config says so.
pub(super) fn route(config: &Config, chosen: usize) -> Result<RouteRule, ModelError> {
    let renormalised = config.flag_or("norm_topk_prob", false)?.then_some(0.0);
    Ok(RouteRule { chosen, score: RouteScore::Softmax, groups: None, renormalised, scale: 1.0 })
}

/// Gives experts of width `size` to every `decoder_sparse_step`th layer that is not in
/// `mlp_only_layers`.
pub(super) fn apply_experts(
    config: &Config,
    spec: &mut DecoderSpec,
    size: usize,
    experts: ExpertsSpec,
) -> Result<(), ModelError> {
    let step = config.count_or("decoder_sparse_step", 1)?;
    let dense = config.places("mlp_only_layers")?.unwrap_or_default();
    for (number, layer) in spec.layers.iter_mut().enumerate() {
        if (number + 1).is_multiple_of(step) && !dense.contains(&number) {
            let network = layer.feed_forward.clone();
            layer.feed_forward = FeedForwardSpec { size, experts: Some(experts), ..network };
        }
    }
    Ok(())
}

/// Where windows are on and not listed, every other layer of the first `max_window_layers` has one.
fn apply_windows(config: &Config, spec: &mut DecoderSpec) -> Result<(), ModelError> {
    let Some(window) = windows::switched_on(config)? else { return Ok(()) };
    let config = &config.with("sliding_window", json!(window));
    if windows::apply_layer_types(config, spec)? {
        return Ok(());
    }
    let last = config.count_or_zero("max_window_layers", 28)?;
    for layer in spec.layers.iter_mut().take(last).step_by(2) {
        layer.attention.window_tokens = Some(window);
    }
    Ok(())
}
