//! EXAONE with experts: EXAONE 4's attention under norms before each branch, and `DeepSeek` 3's experts.

use super::config::Config;
use super::mixture::GroupDefaults;
use super::{Description, exaone4, mixture};
use crate::model::error::ModelError;
use crate::model::names::{self, ExpertNames, LayerNames, TensorNames};
use crate::model::spec::LayerNorms;

const NAMES: TensorNames = TensorNames {
    layer: LayerNames {
        experts: &[
            ExpertNames { correction: "mlp.e_score_correction_bias", ..names::SINGLE_EXPERTS },
            names::STACKED_EXPERTS,
        ],
        ..names::LLAMA.layer
    },
    // A layer that only guesses tokens further ahead.
    ignored: &["mtp."],
    ..names::LLAMA
};

const EXPERTS: GroupDefaults = GroupDefaults {
    count: 64,
    chosen: 8,
    groups: 1,
    chosen_groups: 1,
    renormalised: true,
    scale: 2.5,
    size: 1024,
    shared: 1,
    dense_layers: 1,
};

/// Reads the config of an EXAONE with experts.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let config = &config.renamed(&[("num_shared_experts", "n_shared_experts")]);
    let mut spec = exaone4::describe(config)?.spec;
    let norm = spec.final_norm;
    for layer in &mut spec.layers {
        layer.norms = LayerNorms::before(norm);
    }
    mixture::apply_grouped(config, &mut spec, &EXPERTS)?;
    Ok(Description { spec, names: NAMES })
}
