//! What a model makes of images and videos: rows of embeddings that stand in front of its decoder in the place of tokens.
//!
//! A family of towers is a file: from a checkpoint's configs to what stands for an image in a prompt (`VisionFamily::expansion`) and to
//! its rows (`VisionFamily::rows`). Layers are `TwoWayBlock`s. Pixels come from [`crate::image`]; where
//! rows stand in a sequence, and what shares them, is the engine's.

mod aya_vision;
mod clip;
mod clip_spec;
mod connector;
mod convolution;
mod feature_layer;
mod film;
mod fractional_siglip;
mod gemma3;
mod glm4v;
mod idefics3;
mod image_ids;
mod internvl;
mod kimi_k25;
mod llava;
mod llava_next;
mod llava_onevision;
mod mistral3;
mod mosaic;
mod paligemma;
mod patch_embedding;
mod patch_grid;
mod patch_merger;
mod patch_rotation;
mod patch_sizes;
mod patch_tower;
mod phi4_multimodal;
mod pixel_shuffle;
mod pixtral;
mod pixtral_tower;
mod position_table;
mod projected_tower;
mod qwen2_5_vl;
mod qwen2_vl;
mod qwen3_vl;
mod registry;
mod steady_ids;
mod taken_layers;
mod text_size;
mod token_grid;
mod tower_sizes;
mod video;
mod video_files;
mod vision_model;
mod window_order;

use std::fmt;

use candle_core::{Result, Tensor};
use serde_json::Value;

pub use self::{
    image_ids::{FIRST_IMAGE_ID, ImageIds, Run, RunKind, is_image_id},
    steady_ids::SteadyIds,
    token_grid::TokenGrid,
    video_files::read_video,
    vision_model::{VisionError, VisionModel},
};
pub(super) use self::{video::SeesVideos, video_files::addressed_video};
use super::error::ModelError;
use super::families::Config;
use super::placeholders;
use super::weights::ParameterSource;
use crate::image::ProcessedImage;

/// What an image becomes.
#[derive(Clone, Debug)]
pub struct ImageRows {
    /// In the place of the image tokens' embeddings, `(tokens, hidden size)`; nothing scales them any more.
    pub rows: Tensor,
    /// What is added to the stream behind the first layers of the decoder at the same places, a tensor of that shape for each; most
    /// families have none.
    pub added: Vec<Tensor>,
    /// Times, rows and columns of tokens, where the decoder's positions have three axes.
    pub grid: Option<TokenGrid>,
}

impl ImageRows {
    /// Rows alone.
    pub(super) fn of(rows: Tensor) -> Self {
        Self { rows, added: Vec::new(), grid: None }
    }
}

/// How the models of a family see.
pub(super) trait VisionFamily: fmt::Debug + Send + Sync {
    /// What stands for an image in a prompt that was rendered.
    fn placeholder(&self) -> &str;

    /// The token whose embedding is replaced, as text.
    fn image_token(&self) -> &str {
        self.placeholder()
    }

    /// What a placeholder becomes before the prompt is tokenized: as many image tokens as the image has rows, among the texts that the
    /// family puts there.
    ///
    /// # Errors
    /// The image was prepared for another family.
    fn expansion(&self, image: &ProcessedImage) -> Result<String>;

    /// A prompt that was rendered, with its placeholders expanded in order.
    ///
    /// # Errors
    /// It has not as many placeholders as there are images.
    fn expanded(&self, rendered: &str, images: &[ProcessedImage]) -> Result<String> {
        let count = (images.len(), "images");
        placeholders::filled(rendered, self.placeholder(), count, |place| {
            self.expansion(&images[place])
        })
    }

    /// A prompt of `texts` and what stands between them, of which there is one less.
    fn formed(&self, texts: &[&str], expansions: &[String]) -> String {
        placeholders::joined(texts, expansions)
    }

    /// The rows of an image, of which each is one image token of its expansion.
    ///
    /// What an image gives does not depend on others.
    fn rows(&self, image: &ProcessedImage) -> Result<ImageRows>;

    /// How many tensors an image has that are added behind layers of the decoder.
    fn added_layers(&self) -> usize {
        0
    }

    /// How it sees videos, if it does.
    fn videos(&self) -> Option<&dyn SeesVideos> {
        None
    }

    /// Whether the rows of an image see each other both ways in the decoder.
    fn sees_both_ways(&self) -> bool {
        false
    }

    /// Whether the tokenizer puts its special tokens around a prompt that was expanded, unless it begins with the first of them.
    fn takes_special_tokens(&self) -> bool {
        true
    }
}

/// The files beside the weights that say how a model sees.
#[derive(Clone, Copy, Debug)]
pub(super) struct VisionSettings<'a> {
    /// The whole `config.json`.
    pub(super) config: &'a Config,
    /// `preprocessor_config.json`.
    pub(super) preprocessor: Option<&'a Value>,
    /// `processor_config.json`.
    pub(super) processor: Option<&'a Value>,
}

impl VisionSettings<'_> {
    /// A field of a processor as old files have it, at the top of `processor_config.json`.
    pub(super) fn of_processor(&self, field: &str) -> Option<&Value> {
        self.processor?.get(field).filter(|value| !value.is_null())
    }

    /// A field of the image processor, wherever it stands.
    pub(super) fn of_image_processor(&self, field: &str) -> Option<&Value> {
        let nested = self.of_processor("image_processor");
        nested.or(self.preprocessor)?.get(field).filter(|value| !value.is_null())
    }

    /// A token that such a field names, or else `default`.
    pub(super) fn token(&self, field: &str, default: &str) -> String {
        let named = self.of_processor(field);
        let named = named.and_then(|it| it.get("content").unwrap_or(it).as_str());
        named.filter(|token| !token.is_empty()).unwrap_or(default).to_owned()
    }
}

/// Loads what sees of a checkpoint; a family's file has one.
pub(super) type LoadVision = fn(
    &dyn ParameterSource,
    VisionSettings<'_>,
) -> std::result::Result<Box<dyn VisionFamily>, ModelError>;

/// The first of `prefixes` below which there is the parameter `name`; the last where there is none.
///
/// Releases of transformers named the same tensors differently.
pub(super) fn prefix<'p>(
    source: &dyn ParameterSource,
    prefixes: &[&'p str],
    name: &str,
) -> &'p str {
    let found = prefixes.iter().find(|prefix| source.contains(&format!("{prefix}{name}")));
    found.or(prefixes.last()).copied().unwrap_or_default()
}
