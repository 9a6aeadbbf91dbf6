//! Granite 3 with experts: Granite in which every layer has a mixture of them, and perhaps a network
//! that every token goes through.

use super::config::Config;
use super::{Description, granite, mixture};
use crate::model::error::ModelError;
use crate::model::names::{self, ExpertNames, ExpertStorage, LayerNames, TensorNames};
use crate::model::spec::{ExpertsSpec, RouteRule, SharedExpertSpec};

/// As transformers 5 keeps them in memory.
const STACKED: ExpertNames = ExpertNames {
    router: "block_sparse_moe.router",
    experts: "block_sparse_moe.experts",
    shared_gate_up: Some("shared_mlp.input_linear"),
    shared: ["", "", "shared_mlp.output_linear"],
    ..names::STACKED_EXPERTS
};

const NAMES: TensorNames = TensorNames {
    layer: LayerNames {
        experts: &[
            ExpertNames {
                router: "block_sparse_moe.router.layer",
                experts: "block_sparse_moe",
                storage: ExpertStorage::Stacked(["input_linear.weight", "output_linear.weight"]),
                ..STACKED
            },
            STACKED,
        ],
        ..names::LLAMA.layer
    },
    ..names::LLAMA
};

/// Reads the config of a model without a shared network.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = config.without(&["shared_intermediate_size"]);
    describe_with_shared(&config)
}

/// Reads the config of a model that may have a shared network.
pub(super) fn describe_with_shared(config: &Config) -> Result<Description, ModelError> {
    let Description { mut spec, .. } = granite::describe(&config.without(&["mlp_bias"]))?;
    let (count, chosen) = mixture::sizes(config, 8, 2)?;
    let shared = match config.count_or_zero("shared_intermediate_size", 0)? {
        0 => None,
        size => Some(SharedExpertSpec { size, weighted: false, bias: false }),
    };
    // The softmax of the chosen alone.
    let route = RouteRule::of_softmax(chosen);
    let experts = ExpertsSpec { shared, ..ExpertsSpec::new(count, route) };
    for layer in &mut spec.layers {
        layer.feed_forward.experts = Some(experts);
    }
    Ok(Description { spec, names: NAMES })
}
