//! Which tensors of the base an adapter's tensors belong to.
//!
//! PEFT names a tensor by the module it adapts: `base_model.model.<module>.lora_A.weight`. What is
//! adapted follows from these names alone; every one of them must be understood.

use std::collections::BTreeMap;

use super::settings::LoraSettings;
use crate::model::error::ModelError;
use crate::model::names::TensorNames;
use crate::model::weights::{LowRank, WeightFile, WeightFiles};

/// What PEFT wraps around a model.
const WRAPPER: &str = "base_model.model.";
/// What stands in a name between a module that is wrapped and its own parameters.
const WRAPPED: &str = ".base_layer.";

/// What an adapter does to the base's tensors, by the names these are stored under.
#[derive(Debug, Default)]
pub(super) struct Targets {
    /// Tensors that take the place of the base's: their names in the adapter.
    pub(super) whole: BTreeMap<String, String>,
    /// Changes of low rank.
    pub(super) low_rank: BTreeMap<String, LowRank>,
}

impl Targets {
    /// Whether anything happens to a tensor.
    pub(super) fn changes(&self, name: &str) -> bool {
        self.replaces(name) || self.low_rank.contains_key(name)
    }

    /// Whether a tensor is replaced as a whole.
    pub(super) fn replaces(&self, name: &str) -> bool {
        self.whole.contains_key(name)
    }
}

/// The tensors that adapt one module.
#[derive(Debug, Default)]
struct Parts<'a> {
    down: Option<&'a str>,
    up: Option<&'a str>,
    magnitude: Option<&'a str>,
    embedding: bool,
}

/// Sorts the tensors of `file` by what they do to `base`.
pub(super) fn read(
    file: &WeightFile,
    settings: &LoraSettings,
    base: &WeightFiles,
    names: &TensorNames,
) -> Result<Targets, ModelError> {
    let refuse = |tensor: &str, why: &str| ModelError::Weights {
        path: file.path().to_owned(),
        problem: format!("tensor `{tensor}` {why}"),
    };
    let mut targets = Targets::default();
    let mut modules: BTreeMap<&str, Parts<'_>> = BTreeMap::new();
    for tensor in file.names() {
        let name = tensor.strip_prefix(WRAPPER).unwrap_or(tensor);
        let Some((module, part)) = name.split_once(".lora_") else {
            let plain = name.replace(WRAPPED, ".");
            // A head that was trained as a whole need not be stored in the base.
            let head = format!("{}.weight", names.head);
            let stored = match base.stored_name(&plain) {
                Some(stored) => stored.to_owned(),
                None if plain == head => head,
                None => return Err(refuse(tensor, "has no counterpart in the base checkpoint")),
            };
            targets.whole.insert(stored, tensor.to_owned());
            continue;
        };
        let parts = modules.entry(module).or_default();
        let place = match part {
            "A.weight" => &mut parts.down,
            "B.weight" => &mut parts.up,
            "embedding_A" | "embedding_B" => {
                parts.embedding = true;
                if part.ends_with('A') { &mut parts.down } else { &mut parts.up }
            }
            "magnitude_vector" | "magnitude_vector.weight" if settings.has_magnitudes => {
                &mut parts.magnitude
            }
            _ => return Err(refuse(tensor, "is of a kind that is not known; it is refused")),
        };
        *place = Some(tensor);
    }
    for (module, parts) in modules {
        let any = parts.down.or(parts.up).or(parts.magnitude).unwrap_or(module);
        let (Some(down), Some(up)) = (parts.down, parts.up) else {
            return Err(refuse(any, "has no partner: a change is a pair of lora_A and lora_B"));
        };
        if parts.magnitude.is_some() != settings.has_magnitudes
            || parts.embedding && settings.has_magnitudes
        {
            return Err(refuse(
                any,
                "does not go with `use_dora`: linear maps need a lora_magnitude_vector then, and \
                 embeddings are not supported",
            ));
        }
        let Some(stored) = base.stored_name(&format!("{module}.weight")) else {
            return Err(refuse(any, "adapts a module that the base checkpoint does not store"));
        };
        let change = LowRank {
            down: down.to_owned(),
            up: up.to_owned(),
            magnitude: parts.magnitude.map(str::to_owned),
            rank: settings.rank(module)?,
            scale: settings.scale(module)?,
            // The rows of an embedding are its inputs.
            inputs_first: parts.embedding || names.layer.transposed && is_in_layer(stored, names),
        };
        change.check(file, stored, base.shape(stored))?;
        targets.low_rank.insert(stored.to_owned(), change);
    }
    Ok(targets)
}

/// Whether a stored tensor belongs to a layer.
fn is_in_layer(stored: &str, names: &TensorNames) -> bool {
    let layers = format!("{}.", names.layers);
    let bare = layers.split_once('.').map_or(layers.as_str(), |(_, rest)| rest);
    stored.starts_with(&layers) || stored.starts_with(bare)
}
