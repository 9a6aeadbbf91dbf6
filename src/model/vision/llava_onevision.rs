//! LLaVA-OneVision: LLaVA-NeXT with more tiles, whose patches are shrunk where they would be too many tokens. Of videos it sees each frame as
//! a picture, shrunk to half its sides.

use candle_core::Result;
use serde_json::{Value, json};

use super::llava_next::{TiledLlava, load_tiled};
use super::projected_tower::TowerDefaults;
use super::video::SeesVideos;
use super::{ImageRows, VisionFamily, VisionSettings};
use crate::image::{ProcessedImage, ProcessedVideo};
use crate::model::error::ModelError;
use crate::model::weights::ParameterSource;

const DEFAULTS: TowerDefaults =
    TowerDefaults { tower: "siglip_vision_model", layer: -1, strategy: "full" };

/// Tiles that `vision_aspect_ratio` may allow.
const MOST_TILES: usize = 4096;

/// What sees images, and videos.
#[derive(Debug)]
struct LlavaOnevision {
    images: TiledLlava,
    video_token: String,
}

pub(super) fn load(
    source: &dyn ParameterSource,
    settings: VisionSettings<'_>,
) -> std::result::Result<Box<dyn VisionFamily>, ModelError> {
    const RATIO: &str = "vision_aspect_ratio";
    const DEFAULT_RATIO: &str = "anyres_max_9";
    let config = settings.config;
    let ratio = config.text(RATIO)?.unwrap_or(DEFAULT_RATIO);
    let most_tiles = ratio.strip_prefix("anyres_max_").and_then(|count| count.parse().ok());
    let Some(most_tiles) = most_tiles.filter(|count| (1..=MOST_TILES).contains(count)) else {
        return Err(config.expected(RATIO, "`anyres_max_` and a number of tiles"));
    };
    // Tokens are counted with the processor's, and rows with the config's.
    let processors = settings.of_processor(RATIO).and_then(Value::as_str);
    if processors.unwrap_or(DEFAULT_RATIO) != ratio {
        return Err(config.expected(RATIO, "that of the processor_config.json"));
    }
    let sides = [384, 768, 1152, 1536, 1920, 2304];
    let pinpoints: Vec<Value> = sides
        .iter()
        .flat_map(|height| sides.iter().map(move |width| json!([height, width])))
        .collect();
    let images =
        load_tiled(source, settings, DEFAULTS, &Value::Array(pinpoints), Some(most_tiles))?;
    Ok(Box::new(LlavaOnevision { images, video_token: settings.token("video_token", "<video>") }))
}

impl VisionFamily for LlavaOnevision {
    fn placeholder(&self) -> &str {
        self.images.placeholder()
    }

    fn expansion(&self, image: &ProcessedImage) -> Result<String> {
        self.images.expansion(image)
    }

    fn rows(&self, image: &ProcessedImage) -> Result<ImageRows> {
        self.images.rows(image)
    }

    fn videos(&self) -> Option<&dyn SeesVideos> {
        Some(self)
    }
}

impl SeesVideos for LlavaOnevision {
    fn processor(&self) -> &'static str {
        "LlavaOnevisionVideoProcessor"
    }

    fn placeholder(&self) -> &str {
        &self.video_token
    }

    fn expansion(&self, video: &ProcessedVideo) -> Result<String> {
        Ok(self.video_token.repeat(self.images.mosaic.tokens_of_frames(video.moments.len())))
    }

    fn times(&self, video: &ProcessedVideo) -> Vec<Vec<u32>> {
        vec![vec![0; video.moments.len()]]
    }

    fn rows(&self, video: &ProcessedVideo) -> Result<Vec<ImageRows>> {
        let frames = video.moments.iter().map(|frame| self.images.tower.forward(frame));
        let frames = frames.collect::<Result<Vec<_>>>()?;
        Ok(vec![ImageRows::of(self.images.mosaic.rows_of_frames(&frames)?)])
    }
}
