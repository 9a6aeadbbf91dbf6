//! What a checkpoint's settings say of videos, and videos as they say.
//!
//! `video_preprocessor_config.json` names a class of transformers and its fields; since version 5 they stand in `processor_config.json`, under
//! `video_processor`, which counts first. Where neither is there, the settings of images are those of videos, too.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    PREPROCESSOR_CONFIG, PROCESSOR_CONFIG, ProcessorError, fields::Fields,
    normalization::Normalization, video_patches::VideoPatches, video_pictures::VideoPictures,
};
use crate::image::{Filter, ImageError, ProcessedImage, ProcessedVideo, Video};

/// A file of settings.
const VIDEO_PREPROCESSOR_CONFIG: &str = "video_preprocessor_config.json";

/// Fields of images that say nothing of videos, where there are no others.
const OF_IMAGES: [&str; 8] = [
    "crop_to_patches",
    "do_pad",
    "feature_extractor_type",
    "image_grid_pinpoints",
    "image_processor_type",
    "max_patches",
    "min_patches",
    "vision_aspect_ratio",
];

/// The classes that are known.
pub(super) const CLASSES: [&str; 5] = [
    "Glm4vVideoProcessor",
    "InternVLVideoProcessor",
    "LlavaOnevisionVideoProcessor",
    "Qwen2VLVideoProcessor",
    "Qwen3VLVideoProcessor",
];

/// Makes numbers for a vision tower of videos.
#[derive(Clone, Debug)]
pub struct VideoProcessor {
    arrangement: VideoArrangement,
    normalization: Normalization,
    /// Whether a transparent colour becomes white.
    converts_to_rgb: bool,
}

/// What is done before levels become numbers.
#[derive(Clone, Debug)]
pub(super) enum VideoArrangement {
    Patches(VideoPatches),
    Pictures(VideoPictures),
}

/// What a family's fields come to.
pub(super) type ReadVideo = Result<(VideoArrangement, Normalization), ProcessorError>;

impl VideoProcessor {
    /// Reads the files of a checkpoint, of which some may be missing; `class_of_model` is taken where none names a class.
    ///
    /// # Errors
    /// [`ProcessorError`] where none speaks of images or videos, or one says what is not known here.
    pub fn parse(
        video_preprocessor_config: Option<&Value>,
        preprocessor_config: Option<&Value>,
        processor_config: Option<&Value>,
        class_of_model: &str,
    ) -> Result<Self, ProcessorError> {
        let nested = processor_config.and_then(|config| config.get("video_processor"));
        let mut fields = match (nested, video_preprocessor_config, preprocessor_config) {
            (Some(nested), ..) => Fields::new(PROCESSOR_CONFIG, "video_processor.", nested)?,
            (_, Some(config), _) => Fields::new(VIDEO_PREPROCESSOR_CONFIG, "", config)?,
            (.., Some(config)) => {
                let mut fields = Fields::new(PREPROCESSOR_CONFIG, "", config)?;
                fields.pass_over(&OF_IMAGES);
                fields
            }
            (None, None, None) => return Err(ProcessorError::Missing),
        };
        fields.pass_over(&["return_metadata"]);
        // Settings of images name a class that videos have their own of, if the name fits.
        let of_images = fields.text("image_processor_type")?;
        let of_images = of_images.map(|class| class.replace("ImageProcessor", "VideoProcessor"));
        let of_images = of_images.filter(|class| CLASSES.contains(&class.as_str()));
        let class = fields.text("video_processor_type")?.or(of_images);
        let class = class.map_or(Cow::Borrowed(class_of_model), Cow::Owned);
        let read = match class.as_ref() {
            "Qwen2VLVideoProcessor" => VideoPatches::read_qwen2(&mut fields),
            "Qwen3VLVideoProcessor" => VideoPatches::read_qwen3(&mut fields),
            "Glm4vVideoProcessor" => VideoPatches::read_glm(&mut fields),
            "InternVLVideoProcessor" | "LlavaOnevisionVideoProcessor" => {
                VideoPictures::read(&mut fields)
            }
            _ => Err(fields.wrong(
                "video_processor_type",
                format!("is {class}, which is not known; known are {}", CLASSES.join(", ")),
            )),
        };
        let (arrangement, normalization) = read?;
        let converts_to_rgb = fields.flag("do_convert_rgb", true)?;
        fields.finish()?;
        Ok(Self { arrangement, normalization, converts_to_rgb })
    }

    /// The numbers of a video.
    ///
    /// # Errors
    /// [`ImageError`] where the model takes no frames of this size, or others than these.
    pub fn process(&self, video: &Video) -> Result<ProcessedVideo, ImageError> {
        let video = &if self.converts_to_rgb { video.over_white() } else { Cow::Borrowed(video) };
        match &self.arrangement {
            VideoArrangement::Patches(patches) => patches.process(video, &self.normalization),
            VideoArrangement::Pictures(pictures) => pictures.process(video, &self.normalization),
        }
    }
}

/// What frames are resized with, if they are: classes of videos have torchvision's filters, of which these two are followed to the bit.
pub(super) fn video_filter(fields: &mut Fields<'_>) -> Result<Option<Filter>, ProcessorError> {
    let filter = fields.filter(Filter::Bicubic)?;
    if !matches!(filter, Filter::Bilinear | Filter::Bicubic) {
        let problem = "must be 2 or 3, bilinear or bicubic, for videos".to_owned();
        return Err(fields.wrong("resample", problem));
    }
    Ok(fields.flag("do_resize", true)?.then_some(filter))
}

impl ProcessedVideo {
    /// What was made of these frames of a video.
    pub(super) fn new(
        video: &Video,
        taken: &[usize],
        moments: Vec<ProcessedImage>,
        frames_of_moment: usize,
    ) -> Self {
        let rate = video.rate();
        Self {
            moments,
            frames_of_moment,
            seconds: taken.iter().map(|&frame| frame as f64 / rate).collect(),
            frames_per_second: taken.len() as f64 / video.frames().len() as f64 * rate,
        }
    }
}
