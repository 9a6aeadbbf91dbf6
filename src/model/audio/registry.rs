//! Which family's file loads what a checkpoint hears with.

use super::{LoadAudio, qwen2_audio, voxtral};

/// The families by the `model_type` of a checkpoint's `config.json`, sorted.
const FAMILIES: &[(&str, LoadAudio)] =
    &[("qwen2_audio", qwen2_audio::load), ("voxtral", voxtral::load)];

/// What loads the tower of a checkpoint of that type, if there is one.
pub(super) fn loader(model_type: &str) -> Option<LoadAudio> {
    FAMILIES.iter().find(|(name, _)| *name == model_type).map(|(_, load)| *load)
}
