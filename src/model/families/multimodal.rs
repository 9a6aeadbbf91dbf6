//! Checkpoints of models that can also see or hear: their language models.
//!
//! Text alone is computed by the language model alone: towers and projectors have no say. What they make of images is in
//! [`crate::model::vision`].

use serde_json::json;

use super::config::Config;
use super::{Description, FAMILIES};
use crate::model::error::ModelError;
use crate::model::names::TensorNames;
use crate::model::spec::DecoderSpec;

/// Parts of the names of what sees and hears.
const TOWERS: &[&str] = &[
    "vision_tower.",
    "vision_model.",
    "multi_modal_projector.",
    "mm_projector.",
    "connector.",
    "image_newline",
    "visual.",
    "audio_tower.",
    "embed_tokens_extend.",
];

/// The config of the language model. Whether its head is its embedding is said beside it, or else is
/// `tied`.
pub(super) fn text_config(config: &Config, tied: bool) -> Result<Config, ModelError> {
    let text = text_object(config)?;
    Ok(text.with("tie_word_embeddings", json!(config.flag_or("tie_word_embeddings", tied)?)))
}

fn text_object(config: &Config) -> Result<Config, ModelError> {
    match config.object("text_config")? {
        Some(text) => Ok(text),
        None => Err(config.expected("text_config", "the config of the language model")),
    }
}

/// Reads a model that can also see or hear and whose language model is of any family. Its head is its embedding if either config
/// says so.
pub(super) fn describe(config: &Config) -> Result<Description, ModelError> {
    let text = text_object(config)?;
    let tied = config.flag_or("tie_word_embeddings", false)?;
    let text = if tied { text.with("tie_word_embeddings", json!(true)) } else { text };
    describe_within(&text)
}

/// The same where the head is the embedding unless the outer config says otherwise.
pub(super) fn describe_tied(config: &Config) -> Result<Description, ModelError> {
    describe_within(&text_config(config, true)?)
}

/// Reads a `PaliGemma`, which sees its prompt both ways.
pub(super) fn describe_paligemma(config: &Config) -> Result<Description, ModelError> {
    // That it does is what the field says.
    let text = text_config(config, true)?.without(&["use_bidirectional_attention"]);
    let mut description = describe_within(&text)?;
    description.spec.sees_prompt_both_ways = true;
    Ok(description)
}

/// Reads an Aya Vision, whose logits transformers does not scale as it does those of its language model alone.
pub(super) fn describe_aya(config: &Config) -> Result<Description, ModelError> {
    let mut description = describe_tied(config)?;
    description.spec.head.scale = None;
    Ok(description)
}

fn describe_within(text: &Config) -> Result<Description, ModelError> {
    let Some(model_type) = text.text("model_type")? else {
        return Err(text.expected("model_type", "the name of a model family"));
    };
    let found = FAMILIES.find(model_type).filter(|family| {
        // A language model that can see has no other one within.
        family.name == model_type && text.get("text_config").is_none()
    });
    let Some(family) = found else { return Err(text.unsupported("model_type")) };
    Ok(beside_towers((family.value)(text)?))
}

/// Gives every layer the axes by which its pairs are turned: a stretch of pairs for each of time, height and width, as `mrope_section` counts
/// them, or every third pair from the front.
///
/// # Errors
/// The sections of the config do not add up to the pairs of a head.
pub(super) fn apply_axes(
    config: &Config,
    spec: &mut DecoderSpec,
    default: [usize; 3],
    is_interleaved: bool,
) -> Result<(), ModelError> {
    let mut sections = None;
    for object in ["rope_parameters", "rope_scaling"] {
        if let (None, Some(parameters)) = (&sections, config.object(object)?)
            && let Some(found) = parameters.places("mrope_section")?
        {
            let Ok(found) = <[usize; 3]>::try_from(found) else {
                return Err(parameters.expected("mrope_section", "three numbers of pairs"));
            };
            sections = Some((parameters, found));
        }
    }
    for layer in &mut spec.layers {
        let Some(rotary) = &mut layer.attention.rotary else { continue };
        let pairs = rotary.rotated_size / 2;
        let adds_up = |sections: [usize; 3]| {
            sections.into_iter().try_fold(0usize, usize::checked_add) == Some(pairs)
        };
        let [time, height, width] = match &sections {
            Some((_, sections)) if adds_up(*sections) => *sections,
            Some((parameters, _)) => {
                let what = format!("numbers that add up to the {pairs} rotated pairs of a head");
                return Err(parameters.expected("mrope_section", &what));
            }
            None if adds_up(default) => default,
            // Of text they have no say; an image is refused.
            None => return Ok(()),
        };
        rotary.pair_axes = if is_interleaved {
            let axis = |pair: usize| match pair % 3 {
                1 if pair < 3 * height => 1,
                2 if pair < 3 * width => 2,
                _ => 0,
            };
            (0..pairs).map(axis).collect()
        } else {
            [vec![0; time], vec![1; height], vec![2; width]].concat()
        };
    }
    Ok(())
}

/// The same language model in a checkpoint that can also see.
pub(super) fn beside_towers(text: Description) -> Description {
    Description { names: TensorNames { ignored: TOWERS, ..text.names }, ..text }
}
