//! Which family's file loads what a checkpoint sees with.

use super::LoadVision;

/// The families by the `model_type` of a checkpoint's `config.json`, sorted.
const FAMILIES: &[(&str, LoadVision)] = &[("internvl", super::internvl::load)];

/// What loads the tower of a checkpoint of that type, if there is one.
pub(super) fn loader(model_type: &str) -> Option<LoadVision> {
    FAMILIES.iter().find(|(name, _)| *name == model_type).map(|(_, load)| *load)
}
