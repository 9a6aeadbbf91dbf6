//! GPT-NeoX and Pythia: layer norms, partly rotated heads, a plain feed-forward, usually parallel
//! branches with a norm each.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama};
use crate::model::error::ModelError;
use crate::model::names::{self, FusedInput, FusedOrder, LayerNames, TensorNames};
use crate::model::spec::{Activation, NormSpec};

/// The family's names of fields, and the usual ones.
const FIELDS: &[(&str, &str)] =
    &[("rotary_pct", "partial_rotary_factor"), ("rotary_emb_base", "rope_theta")];

const DEFAULTS: Defaults = Defaults {
    vocabulary_size: 50_432,
    hidden_size: 6144,
    feed_forward_size: 24_576,
    layers: 44,
    heads: 64,
    plain_heads: true,
    rotated_share: 0.25,
    activation: Activation::Gelu,
    ..Defaults::LLAMA
};

const NAMES: TensorNames = TensorNames {
    embedding: "gpt_neox.embed_in",
    layers: "gpt_neox.layers",
    final_norm: "gpt_neox.final_layer_norm",
    head: "embed_out",
    layer: LayerNames {
        fused_input: Some(FusedInput {
            name: "attention.query_key_value",
            order: FusedOrder::Groups,
        }),
        output: "attention.dense",
        up: "mlp.dense_h_to_4h",
        down: "mlp.dense_4h_to_h",
        ..names::LLAMA.layer
    },
    // Causal masks of old releases.
    ignored: &[".attention.bias", ".attention.masked_bias"],
    ..names::LLAMA
};

/// Reads a GPT-NeoX config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = &config.renamed(FIELDS);
    let mut spec = llama::base(config, &DEFAULTS)?;
    spec.set_norms(NormSpec::layer(config.number_or("layer_norm_eps", 1e-5)?));
    let bias = config.flag_or("attention_bias", true)?;
    let parallel = config.flag_or("use_parallel_residual", true)?;
    for layer in &mut spec.layers {
        layer.parallel = parallel;
        layer.attention.input_bias = bias;
        layer.attention.output_bias = bias;
        layer.feed_forward.bias = true;
        layer.feed_forward.gated = false;
    }
    Ok(Description { spec, names: NAMES })
}
