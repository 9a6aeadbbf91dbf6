//! What a checkpoint sees with: its image processor and its tower.

use std::path::Path;

use candle_core::{DType, Device};
use serde_json::Value;
use thiserror::Error;

use super::{ImageRows, SeesVideos, VisionFamily, VisionSettings, registry};
use crate::image::{
    ImageError, ImageProcessor, Pixels, ProcessedImage, ProcessedVideo, ProcessorError, Video,
    VideoProcessor,
};
use crate::model::checkpoint::{CONFIG_FILE, read_config};
use crate::model::error::ModelError;
use crate::model::families::Config;
use crate::model::json;
use crate::model::placeholders;
use crate::model::tokenizer::Tokenizer;
use crate::model::weights::{HeaderCheck, Loader, ParameterSource, WeightFiles};
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
    /// The model sees images alone.
    #[error(
        "a model of the type `{model_type}` sees images and no videos; give it frames as images, or choose a model that does"
    )]
    NoVideos {
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
    model_type: String,
    processor: ImageProcessor,
    /// Why there is none is told where a video is to be seen.
    video_processor: Result<VideoProcessor, ProcessorError>,
    family: Box<dyn VisionFamily>,
}

impl VisionModel {
    /// Loads it from a checkpoint's folder onto `device`, to compute in `dtype`: on the CPU always f32.
    ///
    /// # Errors
    /// The model is [`VisionError::Blind`], or its files are incomplete.
    pub fn load(folder: &Path, device: &Device, dtype: DType) -> Result<Self, VisionError> {
        let files = WeightFiles::open(folder)?;
        let dtype = if device.is_cpu() { DType::F32 } else { dtype };
        let loader = Loader { files: &files, device, dtype, activations: Activations::Exact };
        Self::load_from(folder, &loader)
    }

    /// One that expands prompts and makes no row, of the headers of the weights, and the memory that its parameters take in bytes
    /// on the CPU once they are loaded.
    pub(in crate::model) fn from_headers(folder: &Path) -> Result<(Self, usize), VisionError> {
        let files = WeightFiles::open(folder)?;
        let headers = HeaderCheck::new(&files);
        Ok((Self::load_from(folder, &headers)?, headers.model_bytes().sum()))
    }

    fn load_from(folder: &Path, source: &dyn ParameterSource) -> Result<Self, VisionError> {
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
        let video_preprocessor = settings("video_preprocessor_config.json")?;
        let settings = VisionSettings {
            config: &config,
            preprocessor: preprocessor.as_ref(),
            processor: processor.as_ref(),
        };
        let family = load(source, settings)?;
        Ok(Self {
            model_type: model_type.to_owned(),
            processor: ImageProcessor::parse(preprocessor.as_ref(), processor.as_ref())?,
            video_processor: VideoProcessor::parse(
                video_preprocessor.as_ref(),
                preprocessor.as_ref(),
                processor.as_ref(),
                family.videos().map_or("", SeesVideos::processor),
            ),
            family,
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

    /// What stands for an image in a prompt that was rendered.
    pub fn placeholder(&self) -> &str {
        self.family.placeholder()
    }

    /// What takes its place: as many image tokens as the image has rows, among what the family puts there.
    pub fn expansion(&self, image: &ProcessedImage) -> Result<String, VisionError> {
        Ok(self.family.expansion(image)?)
    }

    /// A prompt of `texts` and what stands between them, of which there is one less.
    pub(in crate::model) fn formed(&self, texts: &[&str], expansions: &[String]) -> String {
        self.family.formed(texts, expansions)
    }

    /// A prompt that was rendered, with as many image tokens for every image as it has rows.
    pub fn expanded(
        &self,
        rendered: &str,
        images: &[ProcessedImage],
    ) -> Result<String, VisionError> {
        Ok(self.family.expanded(rendered, images)?)
    }

    /// A video as the tower takes it.
    pub fn processed_video(&self, video: &Video) -> Result<ProcessedVideo, VisionError> {
        self.videos()?;
        let processor = self.video_processor.as_ref().map_err(ProcessorError::clone)?;
        Ok(processor.process(video)?)
    }

    /// The same of a prompt with videos, which have placeholders of their own.
    pub fn expanded_with_videos(
        &self,
        rendered: &str,
        images: &[ProcessedImage],
        videos: &[ProcessedVideo],
    ) -> Result<String, VisionError> {
        let expanded = self.expanded(rendered, images)?;
        if videos.is_empty() {
            return Ok(expanded);
        }
        let family = self.videos()?;
        let count = (videos.len(), "videos");
        let expansion = |place: usize| family.expansion(&videos[place]);
        Ok(placeholders::filled(&expanded, family.placeholder(), count, expansion)?)
    }

    /// The id of the token in whose places rows of videos stand, if the model sees them; it may be that of images.
    pub fn video_id(&self, tokenizer: &Tokenizer) -> Option<u32> {
        tokenizer.token_id(self.family.videos()?.token())
    }

    /// The rows of a video, one for each of its tokens: stretches of them in order, between which there may be text.
    pub fn video_rows(&self, video: &ProcessedVideo) -> Result<Vec<ImageRows>, VisionError> {
        Ok(self.videos()?.rows(video)?)
    }

    /// What stands for a video in a prompt that was rendered.
    pub(in crate::model) fn video_placeholder(&self) -> Result<&str, VisionError> {
        Ok(self.videos()?.placeholder())
    }

    /// What takes its place.
    pub(in crate::model) fn video_expansion(
        &self,
        video: &ProcessedVideo,
    ) -> Result<String, VisionError> {
        Ok(self.videos()?.expansion(video)?)
    }

    /// Stretches of a video's moments whose rows stand together: how far each moment is from the first of its stretch in the decoder.
    pub(in crate::model) fn video_times(
        &self,
        video: &ProcessedVideo,
    ) -> Result<Vec<Vec<u32>>, VisionError> {
        Ok(self.videos()?.times(video))
    }

    fn videos(&self) -> Result<&dyn SeesVideos, VisionError> {
        let model_type = || self.model_type.clone();
        self.family.videos().ok_or_else(|| VisionError::NoVideos { model_type: model_type() })
    }

    /// The id of the token in whose places rows stand.
    pub fn image_id(&self, tokenizer: &Tokenizer) -> Option<u32> {
        tokenizer.token_id(self.family.image_token())
    }

    /// The rows of an image, one for each of its tokens.
    pub fn rows(&self, image: &ProcessedImage) -> Result<ImageRows, VisionError> {
        Ok(self.family.rows(image)?)
    }

    /// How many tensors an image has that are added behind layers of the decoder.
    pub(in crate::model) fn added_layers(&self) -> usize {
        self.family.added_layers()
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
