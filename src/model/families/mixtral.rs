//! Mixtral: Mistral with eight networks a layer, of which each token goes to two.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, llama, mixture};
use crate::model::error::ModelError;
use crate::model::names::{self, ExpertNames, ExpertStorage, LayerNames, TensorNames};
use crate::model::spec::{ExpertsSpec, RouteRule};

const DEFAULTS: Defaults = Defaults {
    feed_forward_size: 14_336,
    key_value_heads: Some(8),
    theta: 1_000_000.0,
    norm_epsilon: 1e-5,
    context_tokens: 131_072,
    ..Defaults::LLAMA
};

/// Experts in published files.
pub(super) const SINGLE: ExpertNames = ExpertNames {
    router: "block_sparse_moe.gate",
    experts: "block_sparse_moe.experts",
    storage: ExpertStorage::Single(["w1", "w3", "w2"]),
    ..names::STACKED_EXPERTS
};

pub(super) const NAMES: TensorNames = TensorNames {
    layer: LayerNames { experts: &[SINGLE, names::STACKED_EXPERTS], ..names::LLAMA.layer },
    ..names::LLAMA
};

/// Reads a Mixtral config.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let mut spec = llama::base(config, &DEFAULTS)?;
    let window_tokens = config.optional_count("sliding_window")?;
    let (count, chosen) = mixture::sizes(config, 8, 2)?;
    let experts = ExpertsSpec::new(count, RouteRule::of_softmax(chosen));
    for layer in &mut spec.layers {
        layer.attention.window_tokens = window_tokens;
        layer.feed_forward.experts = Some(experts);
    }
    Ok(Description { spec, names: NAMES })
}
