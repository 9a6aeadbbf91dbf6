//! GPT-Neo: learned positions, scores without a factor, every other layer with a window.

use serde_json::Value;

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, gpt2, llama};
use crate::model::error::ModelError;
use crate::model::names::{LayerNames, TensorNames};
use crate::model::spec::{Activation, LearnedPositions, NormSpec};

/// The family's names of fields, and the usual ones.
const FIELDS: &[(&str, &str)] = &[
    ("num_layers", "num_hidden_layers"),
    ("num_heads", "num_attention_heads"),
    ("activation_function", "hidden_act"),
];

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 50_257,
    hidden_size: 2048,
    widening: Some(4),
    layers: 24,
    heads: 16,
    plain_heads: true,
    rotated_share: 0.0,
    tied: true,
    activation: Activation::GeluTanh,
    ..Defaults::LLAMA
};

const NAMES: TensorNames = TensorNames {
    layer: LayerNames {
        fused_input: None,
        query: "attn.attention.q_proj",
        key: "attn.attention.k_proj",
        value: "attn.attention.v_proj",
        output: "attn.attention.out_proj",
        transposed: false,
        ..gpt2::NAMES.layer
    },
    // Causal masks of old releases.
    ignored: &[".attn.attention.bias", ".attn.attention.masked_bias"],
    ..gpt2::NAMES
};

/// Reads a GPT-Neo config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = &config.renamed(FIELDS);
    let mut spec = llama::base(config, &DEFAULTS)?;
    spec.learned_positions = Some(LearnedPositions { count: spec.context_tokens, offset: 0 });
    spec.set_norms(NormSpec::layer(config.number_or("layer_norm_epsilon", 1e-5)?));
    let window = config.count_or("window_size", 256)?;
    let local = local_layers(config, spec.layers.len())?;
    for (layer, local) in spec.layers.iter_mut().zip(local) {
        layer.attention.scale = 1.0;
        layer.attention.window_tokens = local.then_some(window);
        layer.attention.output_bias = true;
        layer.feed_forward.bias = true;
        layer.feed_forward.gated = false;
    }
    Ok(Description { spec, names: NAMES })
}

/// Which layers have a window: `attention_types` lists pairs of some kinds and how often they repeat.
fn local_layers(config: &Config, count: usize) -> Result<Vec<bool>, ModelError> {
    let wrong = || config.expected("attention_types", "kinds and repetitions for every layer");
    let Some(types) = config.get("attention_types") else {
        return Ok((0..count).map(|number| number % 2 == 1).collect());
    };
    let mut local = Vec::new();
    for item in types.as_array().ok_or_else(wrong)? {
        let (Some(kinds), Some(repetitions)) =
            (item.get(0).and_then(Value::as_array), item.get(1).and_then(Value::as_u64))
        else {
            return Err(wrong());
        };
        if kinds.is_empty() {
            return Err(wrong());
        }
        for _ in 0..repetitions {
            if local.len() > count {
                return Err(wrong());
            }
            for kind in kinds {
                match kind.as_str() {
                    Some("global") => local.push(false),
                    Some("local") => local.push(true),
                    _ => return Err(config.unsupported("attention_types")),
                }
            }
        }
    }
    if local.len() == count { Ok(local) } else { Err(wrong()) }
}
