//! Phi 3.5 `MoE`: Llama with layer norms, biases, and experts of which each token goes to two.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama, mixtral, mixture, rotary};
use crate::model::error::ModelError;
use crate::model::names::{self, ExpertNames, LayerNames, TensorNames};
use crate::model::spec::{
    DecoderSpec, ExpertsSpec, NormSpec, RotaryScaling, RouteRule, RouteScore,
};

/// However many a config names.
const CHOSEN: usize = 2;

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 32_064,
    feed_forward_size: 6400,
    key_value_heads: Some(8),
    theta: 1_000_000.0,
    norm_epsilon: 1e-5,
    context_tokens: 131_072,
    ..Defaults::LLAMA
};

/// Experts as transformers 5 keeps them in memory.
const STACKED: ExpertNames = ExpertNames { router: "mlp.router", ..names::STACKED_EXPERTS };

const NAMES: TensorNames = TensorNames {
    layer: LayerNames { experts: &[mixtral::SINGLE, STACKED], ..names::LLAMA.layer },
    ..names::LLAMA
};

/// Reads a Phi-3.5-MoE config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::base(config, &DEFAULTS)?;
    set_amplitude(config, &mut spec)?;
    spec.set_norms(NormSpec::layer(config.number_or("rms_norm_eps", DEFAULTS.norm_epsilon)?));
    spec.head.bias = config.flag_or("lm_head_bias", false)?;
    let (count, chosen) = mixture::sizes(config, 16, CHOSEN)?;
    if chosen != CHOSEN {
        return Err(config.unsupported("num_experts_per_tok"));
    }
    let jitter = config.number_or("router_jitter_noise", 0.01)?;
    let score = RouteScore::SparseMixer { tolerance: (2.0 * jitter) as f32 };
    let route = RouteRule { score, renormalised: None, ..RouteRule::of_softmax(CHOSEN) };
    let experts = ExpertsSpec::new(count, route);
    let bias = config.flag_or("attention_bias", false)?;
    let window_tokens = config.optional_count("sliding_window")?;
    for layer in &mut spec.layers {
        layer.attention.input_bias = bias;
        layer.attention.output_bias = bias;
        layer.attention.window_tokens = window_tokens;
        layer.feed_forward.experts = Some(experts);
    }
    Ok(Description { spec, names: NAMES })
}

/// Puts the factor on cosines and sines in its place, which other families keep elsewhere.
fn set_amplitude(config: &Config, spec: &mut DecoderSpec) -> Result<(), ModelError> {
    let Some(parameters) = rotary::parameters(config)? else { return Ok(()) };
    let kind = if parameters.get("rope_type").is_some() { "rope_type" } else { "type" };
    if parameters.text(kind)?.is_some_and(|kind| !["default", "longrope"].contains(&kind)) {
        return Err(parameters.unsupported(kind));
    }
    for rotary in spec.layers.iter_mut().filter_map(|layer| layer.attention.rotary.as_mut()) {
        if let RotaryScaling::LongRope { amplitude, original_context_tokens, .. } =
            &mut rotary.scaling
        {
            *amplitude = parameters.positive("short_mscale")?;
            // Transformers rotates longer sequences in another way than the model's authors.
            spec.context_tokens = spec.context_tokens.min(*original_context_tokens);
        }
    }
    Ok(())
}
