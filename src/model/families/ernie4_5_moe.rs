//! Ernie 4.5 with experts: Ernie 4.5 in which most layers have many small networks, chosen with a
//! correction, and some that every token goes through.

use super::config::Config;
use super::defaults::Defaults;
use super::{Description, ernie4_5, mixture};
use crate::model::error::ModelError;
use crate::model::names::{self, ExpertNames, LayerNames, TensorNames};
use crate::model::spec::{ExpertsSpec, FeedForwardSpec, RouteRule, SharedExpertSpec};

const DEFAULTS: Defaults = Defaults {
    hidden_size: 2560,
    feed_forward_size: 12_288,
    layers: 28,
    heads: 20,
    key_value_heads: Some(4),
    head_size: None,
    ..ernie4_5::DEFAULTS
};

const SINGLE: ExpertNames = ExpertNames {
    correction: "mlp.moe_statics.e_score_correction_bias",
    correction_is_row: true,
    ..names::SINGLE_EXPERTS
};

const NAMES: TensorNames = TensorNames {
    layer: LayerNames {
        experts: &[
            SINGLE,
            ExpertNames {
                correction: "mlp.gate.moe_statics.e_score_correction_bias",
                correction_is_row: true,
                ..names::STACKED_EXPERTS
            },
        ],
        ..names::LLAMA.layer
    },
    ..names::LLAMA
};

/// The family's names of fields, and the usual ones.
const FIELDS: &[(&str, &str)] =
    &[("moe_num_experts", "num_experts"), ("moe_k", "num_experts_per_tok")];

/// Sums of weights below this would be cut; none that is worth the name is so small.
const LARGEST_LEAST_SUM: f64 = 1e-6;

/// Reads the config of an Ernie 4.5 with experts.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = &config.renamed(FIELDS);
    let mut spec = ernie4_5::base(config, &DEFAULTS)?;
    if config.number_or("moe_norm_min", 1e-12)? > LARGEST_LEAST_SUM {
        return Err(config.unsupported("moe_norm_min"));
    }
    let bias = config.flag_or("use_bias", false)?;
    spec.head.bias = bias;
    let (count, chosen) = mixture::sizes(config, 64, 6)?;
    let size = config.count_or("moe_intermediate_size", 1536)?;
    let shared = match config.count_or_zero("moe_num_shared_experts", 2)? {
        0 => None,
        shared => Some(SharedExpertSpec { size: shared * size, weighted: false, bias }),
    };
    let route = RouteRule::of_softmax(chosen);
    let experts = ExpertsSpec { correction: true, shared, ..ExpertsSpec::new(count, route) };
    let first = config.count_or_zero("moe_layer_start_index", 1)?;
    let interval = config.count_or("moe_layer_interval", 1)?;
    let last = match config.number_or("moe_layer_end_index", -1.0)? {
        last if last < 0.0 => spec.layers.len(),
        _ => config.count_or_zero("moe_layer_end_index", 0)?,
    };
    for (number, layer) in spec.layers.iter_mut().enumerate() {
        if (first..=last).contains(&number) && (number + 1).is_multiple_of(interval) {
            let network = FeedForwardSpec { bias: false, ..layer.feed_forward.clone() };
            layer.feed_forward = FeedForwardSpec { size, experts: Some(experts), ..network };
        }
    }
    Ok(Description { spec, names: NAMES })
}
