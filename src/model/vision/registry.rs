//! Which family's file loads what a checkpoint sees with.

use super::{
    LoadVision, aya_vision, gemma3, glm4v, idefics3, internvl, kimi_k25, llava, llava_next,
    llava_onevision, mistral3, paligemma, phi4_multimodal, qwen2_5_vl, qwen2_vl, qwen3_vl,
};

/// The families by the `model_type` of a checkpoint's `config.json`, sorted.
const FAMILIES: &[(&str, LoadVision)] = &[
    ("aya_vision", aya_vision::load),
    ("gemma3", gemma3::load),
    ("glm4v", glm4v::load),
    ("idefics3", idefics3::load),
    ("internvl", internvl::load),
    ("kimi_k25", kimi_k25::load),
    ("llava", llava::load),
    ("llava_next", llava_next::load),
    ("llava_onevision", llava_onevision::load),
    ("mistral3", mistral3::load),
    ("paligemma", paligemma::load),
    ("phi4_multimodal", phi4_multimodal::load),
    ("qwen2_5_vl", qwen2_5_vl::load),
    ("qwen2_vl", qwen2_vl::load),
    ("qwen3_vl", qwen3_vl::load),
    ("smolvlm", idefics3::load),
];

/// What loads the tower of a checkpoint of that type, if there is one.
pub(super) fn loader(model_type: &str) -> Option<LoadVision> {
    FAMILIES.iter().find(|(name, _)| *name == model_type).map(|(_, load)| *load)
}
