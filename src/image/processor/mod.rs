//! What a checkpoint's settings say of images, and images as they say.
//!
//! `preprocessor_config.json` names a class of transformers and its fields; since version 5 they stand in `processor_config.json`, under `image_processor`,
//! which counts first where both are there. Each family of classes has a file here. A field that is left out has the class's default, and one that is null has no
//! value, as in transformers: as a flag it is false.
//! A field that a family does not know, or cannot do, is refused by its name.

mod error;
mod fields;
mod frame_sampling;
mod high_definition;
mod native_size;
mod normalization;
mod pinpoints;
mod plain;
mod size_field;
mod smart_patches;
mod split;
mod squares;
#[cfg(test)]
mod tests;
mod tiled;
mod unscaled_patches;
mod video_patches;
mod video_pictures;
mod video_processor;

use std::borrow::Cow;

use serde_json::Value;

pub use self::{error::ProcessorError, video_processor::VideoProcessor};
use self::{
    fields::Fields, high_definition::HighDefinition, native_size::NativeSize,
    normalization::Normalization, pinpoints::Pinpoints, plain::Plain, smart_patches::SmartPatches,
    split::Split, tiled::Tiled, unscaled_patches::UnscaledPatches,
};
use super::{ImageError, Pixels, ProcessedImage};

/// A file of settings.
const PREPROCESSOR_CONFIG: &str = "preprocessor_config.json";

/// The other one.
const PROCESSOR_CONFIG: &str = "processor_config.json";

/// Makes numbers for a vision tower of images.
#[derive(Clone, Debug)]
pub struct ImageProcessor {
    arrangement: Arrangement,
    normalization: Normalization,
    /// Whether a transparent colour becomes white.
    converts_to_rgb: bool,
}

/// What is done before levels become numbers.
#[derive(Clone, Debug)]
enum Arrangement {
    Plain(Plain),
    Pinpoints(Pinpoints),
    SmartPatches(SmartPatches),
    Tiled(Tiled),
    NativeSize(NativeSize),
    Split(Split),
    UnscaledPatches(UnscaledPatches),
    HighDefinition(HighDefinition),
}

/// Endings of class names that change nothing: the backends of transformers.
const BACKENDS: [&str; 2] = ["Fast", "Pil"];

/// The classes that are known.
const CLASSES: [&str; 13] = [
    "CLIPImageProcessor",
    "Gemma3ImageProcessor",
    "Glm4vImageProcessor",
    "GotOcr2ImageProcessor",
    "Idefics3ImageProcessor",
    "Kimi_K25ImageProcessor",
    "LlavaNextImageProcessor",
    "LlavaOnevisionImageProcessor",
    "Phi4MultimodalImageProcessor",
    "PixtralImageProcessor",
    "Qwen2VLImageProcessor",
    "SiglipImageProcessor",
    "SmolVLMImageProcessor",
];

impl ImageProcessor {
    /// Reads the two files of a checkpoint, of which one may be missing.
    ///
    /// # Errors
    /// [`ProcessorError`] where neither speaks of images, or says what is not known here.
    pub fn parse(
        preprocessor_config: Option<&Value>,
        processor_config: Option<&Value>,
    ) -> Result<Self, ProcessorError> {
        let nested = processor_config.and_then(|config| config.get("image_processor"));
        let mut fields = match (nested, preprocessor_config) {
            (Some(nested), _) => Fields::new(PROCESSOR_CONFIG, "image_processor.", nested)?,
            (None, Some(config)) => Fields::new(PREPROCESSOR_CONFIG, "", config)?,
            (None, None) => return Err(ProcessorError::Missing),
        };
        let class = class(&mut fields)?;
        let read = match class.as_str() {
            "CLIPImageProcessor" => Plain::read_clip(&mut fields),
            "SiglipImageProcessor" => Plain::read_siglip(&mut fields),
            "Gemma3ImageProcessor" => Plain::read_gemma3(&mut fields),
            "LlavaNextImageProcessor" => Pinpoints::read_next(&mut fields),
            "LlavaOnevisionImageProcessor" => Pinpoints::read_onevision(&mut fields),
            "Qwen2VLImageProcessor" | "Qwen2_5_VLImageProcessor" => {
                SmartPatches::read_qwen(&mut fields)
            }
            "Glm4vImageProcessor" => SmartPatches::read_glm(&mut fields),
            "GotOcr2ImageProcessor" => Tiled::read(&mut fields),
            "PixtralImageProcessor" => {
                NativeSize::read(&mut fields, processor_config.unwrap_or(&Value::Null))
            }
            "Idefics3ImageProcessor" | "SmolVLMImageProcessor" => Split::read(&mut fields),
            "Kimi_K25ImageProcessor" => UnscaledPatches::read(&mut fields),
            "Phi4MultimodalImageProcessor" => HighDefinition::read(&mut fields),
            _ => Err(fields.wrong(
                "image_processor_type",
                format!("is {class}, which is not known; known are {}", CLASSES.join(", ")),
            )),
        };
        let (arrangement, normalization) = read?;
        let converts_to_rgb = fields.flag("do_convert_rgb", true)?;
        fields.finish()?;
        Ok(Self { arrangement, normalization, converts_to_rgb })
    }

    /// The numbers of an image.
    ///
    /// `images_of_prompt` counts the images of the prompt, this one included: where there are several, LLaVA-OneVision shows each without tiles. Nothing else
    /// depends on the images beside it. A colour that the image's file calls transparent becomes white, unless `do_convert_rgb` is false or null: so it is in
    /// transformers, where nothing else of transparency is left in an image that is named by its path.
    ///
    /// # Errors
    /// [`ImageError`] where the model takes no image of this size.
    pub fn process(
        &self,
        image: &Pixels,
        images_of_prompt: usize,
    ) -> Result<ProcessedImage, ImageError> {
        let image = &if self.converts_to_rgb { image.over_white() } else { Cow::Borrowed(image) };
        let numbers = &self.normalization;
        match &self.arrangement {
            Arrangement::Plain(plain) => plain.process(image, numbers),
            Arrangement::Pinpoints(pinpoints) => {
                pinpoints.process(image, images_of_prompt, numbers)
            }
            Arrangement::SmartPatches(patches) => patches.process(image, numbers),
            Arrangement::Tiled(tiled) => tiled.process(image, numbers),
            Arrangement::NativeSize(native) => native.process(image, numbers),
            Arrangement::Split(split) => split.process(image, numbers),
            Arrangement::UnscaledPatches(patches) => patches.process(image, numbers),
            Arrangement::HighDefinition(definition) => definition.process(image, numbers),
        }
    }
}

/// The name of the class, without its backend.
fn class(fields: &mut Fields<'_>) -> Result<String, ProcessorError> {
    let now = fields.text("image_processor_type")?;
    // What it was called before image processors were.
    let before = fields.text("feature_extractor_type")?;
    let before = before.map(|class| class.replace("FeatureExtractor", "ImageProcessor"));
    let Some(mut class) = now.or(before) else {
        return Err(fields.wrong("image_processor_type", "is missing; it names the class".into()));
    };
    for backend in BACKENDS {
        if let Some(rest) = class.strip_suffix(backend) {
            class.truncate(rest.len());
        }
    }
    Ok(class)
}

/// What a family's fields come to.
type Read = Result<(Arrangement, Normalization), ProcessorError>;
