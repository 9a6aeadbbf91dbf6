//! Which family's file loads what a checkpoint sees with.

use super::LoadVision;

/// The families by the `model_type` of a checkpoint's `config.json`, sorted.
const FAMILIES: &[(&str, LoadVision)] = &[
    ("idefics3", super::idefics3::load),
    ("internvl", super::internvl::load),
    ("llava", super::pixtral::load),
    ("mistral3", super::mistral3::load),
    ("phi4_multimodal", super::phi4_multimodal::load),
    ("pixtral", super::pixtral::load),
    ("smolvlm", super::idefics3::load),
];

/// What loads the tower of a checkpoint of that type, if there is one.
pub(super) fn loader(model_type: &str) -> Option<LoadVision> {
    FAMILIES.iter().find(|(name, _)| *name == model_type).map(|(_, load)| *load)
}
