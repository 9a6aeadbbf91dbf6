//! gpt-oss: experts with a clamped gate, attention sinks, every other layer with a window, biases
//! everywhere.

use serde_json::json;

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama, mixture, rotary, windows};
use crate::model::error::ModelError;
use crate::model::names::{self, ExpertNames, ExpertStorage, LayerNames, TensorNames};
use crate::model::spec::{Activation, DecoderSpec, ExpertsSpec, RotaryScaling, RouteRule};

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 201_088,
    hidden_size: 2880,
    feed_forward_size: 2880,
    layers: 36,
    heads: 64,
    key_value_heads: Some(8),
    head_size: Some(64),
    theta: 150_000.0,
    norm_epsilon: 1e-5,
    context_tokens: 131_072,
    ..Defaults::LLAMA
};

const NAMES: TensorNames = TensorNames {
    layer: LayerNames {
        experts: &[ExpertNames {
            router: "mlp.router",
            storage: ExpertStorage::StackedInTurn(names::STACKED),
            ..names::STACKED_EXPERTS
        }],
        ..names::LLAMA.layer
    },
    ..names::LLAMA
};

/// Reads a gpt-oss config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    config.only_text("hidden_act", "silu")?;
    let mut spec = llama::base(config, &DEFAULTS)?;
    apply_windows(config, &mut spec)?;
    let bias = config.flag_or("attention_bias", true)?;
    let unsaid_scaling = rotary::parameters(config)?.is_none().then(default_scaling);
    let (count, chosen) = mixture::sizes(config, 128, 4)?;
    let experts =
        ExpertsSpec { router_bias: true, ..ExpertsSpec::new(count, RouteRule::of_softmax(chosen)) };
    let activation = Activation::ClampedSwish {
        slope: config.number_or("swiglu_alpha", 1.702)? as f32,
        limit: config.number_or("swiglu_limit", 7.0)? as f32,
    };
    for layer in &mut spec.layers {
        layer.attention.input_bias = bias;
        layer.attention.output_bias = bias;
        layer.attention.sinks = true;
        if let (Some(rotary), Some(scaling)) = (&mut layer.attention.rotary, &unsaid_scaling) {
            rotary.scaling = scaling.clone();
        }
        layer.feed_forward.bias = true;
        layer.feed_forward.activation = activation;
        layer.feed_forward.experts = Some(experts);
    }
    Ok(Description { spec, names: NAMES })
}

/// Where windows are not listed, every other layer has one, the first included.
fn apply_windows(config: &Config, spec: &mut DecoderSpec) -> Result<(), ModelError> {
    let config = &config.filled([("sliding_window", json!(128))]);
    if windows::apply_layer_types(config, spec)? {
        return Ok(());
    }
    let window = config.count("sliding_window")?;
    for layer in spec.layers.iter_mut().step_by(2) {
        layer.attention.window_tokens = Some(window);
    }
    Ok(())
}

/// What a config means that says nothing of how positions were stretched.
fn default_scaling() -> RotaryScaling {
    let factor = 32.0;
    RotaryScaling::Yarn {
        factor,
        fast_turns: 32.0,
        slow_turns: 1.0,
        original_context_tokens: 4096.0,
        whole_pairs: false,
        amplitude: rotary::yarn_scale(factor, 1.0),
    }
}
