//! What a checkpoint sees with: its image processor and its tower.

use std::path::Path;

use candle_core::{DType, Device};
use serde_json::Value;
use thiserror::Error;

use super::{ImageRows, VisionFamily, VisionSettings, registry};
use crate::image::{ImageError, ImageProcessor, Pixels, ProcessedImage, ProcessorError};
use crate::model::checkpoint::{CONFIG_FILE, read_config};
use crate::model::error::ModelError;
use crate::model::families::Config;
use crate::model::json;
use crate::model::tokenizer::Tokenizer;
use crate::model::weights::{Loader, WeightFiles};
use crate::ops::linear::Activations;

/// Why a checkpoint does not see, or not this image.
#[derive(Debug, Error)]
pub enum VisionError {
    /// The checkpoint's files.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The settings of its image processor.
    #[error(transparent)]
    Processor(#[from] ProcessorError),
    /// The image.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// Prompt and images do not fit each other, or a tensor operation failed.
    #[error("{0}")]
    Tensor(String),
    /// The model has no tower that is known.
    #[error(
        "a model of the type `{model_type}` sees no images; leave them out, or choose a model that does"
    )]
    Blind {
        /// The `model_type` of its config.
        model_type: String,
    },
}

impl From<candle_core::Error> for VisionError {
    fn from(error: candle_core::Error) -> Self {
        // With RUST_BACKTRACE set, candle's messages go on for pages.
        Self::Tensor(error.to_string().lines().next().unwrap_or_default().to_owned())
    }
}

/// What a checkpoint sees with, in memory.
#[derive(Debug)]
pub struct VisionModel {
    processor: ImageProcessor,
    family: Box<dyn VisionFamily>,
}

impl VisionModel {
    /// Loads it from a checkpoint's folder onto `device`, to compute in `dtype`: on the CPU always f32.
    ///
    /// # Errors
    /// The model is [`VisionError::Blind`], or its files are incomplete.
    pub fn load(folder: &Path, device: &Device, dtype: DType) -> Result<Self, VisionError> {
        let config = Config::new(&folder.join(CONFIG_FILE), read_config(folder)?)?;
        let model_type = config.text("model_type")?.unwrap_or_default();
        let Some(load) = registry::loader(model_type) else {
            return Err(VisionError::Blind { model_type: model_type.to_owned() });
        };
        let settings = |name: &str| -> Result<Option<Value>, ModelError> {
            let path = folder.join(name);
            if path.exists() { json::read(&path).map(Some) } else { Ok(None) }
        };
        let preprocessor = settings("preprocessor_config.json")?;
        let processor = settings("processor_config.json")?;
        let files = WeightFiles::open(folder)?;
        let dtype = if device.is_cpu() { DType::F32 } else { dtype };
        let loader = Loader { files: &files, device, dtype, activations: Activations::Exact };
        let settings = VisionSettings {
            config: &config,
            preprocessor: preprocessor.as_ref(),
            processor: processor.as_ref(),
        };
        Ok(Self {
            processor: ImageProcessor::parse(preprocessor.as_ref(), processor.as_ref())?,
            family: load(&loader, settings)?,
        })
    }

    /// An image as the tower takes it; `images_of_prompt` is how many its prompt has.
    pub fn processed(
        &self,
        pixels: &Pixels,
        images_of_prompt: usize,
    ) -> Result<ProcessedImage, VisionError> {
        Ok(self.processor.process(pixels, images_of_prompt)?)
    }

    /// A prompt that was rendered, with as many image tokens for every image as it has rows.
    pub fn expanded(
        &self,
        rendered: &str,
        images: &[ProcessedImage],
    ) -> Result<String, VisionError> {
        Ok(self.family.expanded(rendered, images)?)
    }

    /// The id of the token in whose places rows stand.
    pub fn image_id(&self, tokenizer: &Tokenizer) -> Option<u32> {
        tokenizer.token_id(self.family.image_token())
    }

    /// The rows of an image, one for each of its tokens.
    pub fn rows(&self, image: &ProcessedImage) -> Result<ImageRows, VisionError> {
        Ok(self.family.rows(image)?)
    }

    /// Whether the rows of an image see each other both ways.
    pub fn sees_both_ways(&self) -> bool {
        self.family.sees_both_ways()
    }

    /// Whether the tokenizer puts its special tokens around a prompt that was expanded, unless it begins with the first of them.
    pub fn takes_special_tokens(&self) -> bool {
        self.family.takes_special_tokens()
    }
}
