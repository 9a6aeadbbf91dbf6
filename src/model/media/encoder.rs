//! The towers of a checkpoint: what sees, and what hears.

use std::path::Path;

use candle_core::{DType, Device};

use super::{Digest, Medium, MediumKind};
use crate::audio::ProcessedAudio;
use crate::image::{Layout, Loss, ProcessedImage, ProcessedVideo, Size};
use crate::model::audio::{AudioModel, HearingError};
use crate::model::placeholders;
use crate::model::tokenizer::Tokenizer;
use crate::model::vision::{ImageRows, TokenGrid, VisionError, VisionModel};

/// What a checkpoint sees and hears with, in memory. A model that does neither has an error for each, which says so.
#[derive(Debug)]
pub struct MediaEncoder {
    vision: Result<VisionModel, String>,
    audio: Result<AudioModel, String>,
}

/// Something as its tower takes it.
#[derive(Debug)]
pub(super) enum Processed {
    /// An image, and its pixels before that.
    Image { image: ProcessedImage, size: Size, loss: Option<Loss> },
    /// A video.
    Video(ProcessedVideo),
    /// A sound.
    Sound(ProcessedAudio),
}

impl Processed {
    /// The pixels of an image before it was prepared.
    pub(super) fn size(&self) -> Option<Size> {
        match self {
            Self::Image { size, .. } => Some(*size),
            Self::Video(_) | Self::Sound(_) => None,
        }
    }
}

impl MediaEncoder {
    /// Loads the towers from a checkpoint's folder onto `device`, to compute in `dtype`: on the CPU always f32.
    ///
    /// # Errors
    /// A message: the checkpoint's files are incomplete.
    pub fn load(folder: &Path, device: &Device, dtype: DType) -> Result<Self, String> {
        let vision = VisionModel::load(folder, device, dtype);
        Self::of(vision, AudioModel::load(folder, device, dtype))
    }

    /// One that expands prompts and makes no row, of the headers of the weights, and the memory that its parameters take in bytes
    /// on the CPU once they are loaded.
    pub(super) fn from_headers(folder: &Path) -> Result<(Self, usize), String> {
        let (vision, audio) = (VisionModel::from_headers(folder), AudioModel::from_headers(folder));
        let of_vision = vision.as_ref().map_or(0, |(_, bytes)| *bytes);
        let bytes = of_vision + audio.as_ref().map_or(0, |(_, bytes)| *bytes);
        let own = Self::of(vision.map(|(model, _)| model), audio.map(|(model, _)| model))?;
        Ok((own, bytes))
    }

    fn of(
        vision: Result<VisionModel, VisionError>,
        audio: Result<AudioModel, HearingError>,
    ) -> Result<Self, String> {
        Ok(Self {
            vision: match vision {
                Ok(model) => Ok(model),
                Err(error @ VisionError::Blind { .. }) => Err(error.to_string()),
                Err(error) => return Err(error.to_string()),
            },
            audio: match audio {
                Ok(model) => Ok(model),
                Err(error @ HearingError::Deaf { .. }) => Err(error.to_string()),
                Err(error) => return Err(error.to_string()),
            },
        })
    }

    fn vision(&self) -> Result<&VisionModel, String> {
        self.vision.as_ref().map_err(Clone::clone)
    }

    fn audio(&self) -> Result<&AudioModel, String> {
        self.audio.as_ref().map_err(Clone::clone)
    }

    /// What stands for one of a kind in a prompt that was rendered.
    ///
    /// # Errors
    /// The model takes none of the kind.
    pub(super) fn placeholder(&self, kind: MediumKind) -> Result<&str, String> {
        match kind {
            MediumKind::Image => Ok(self.vision()?.placeholder()),
            MediumKind::Video => {
                self.vision()?.video_placeholder().map_err(|error| error.to_string())
            }
            MediumKind::Sound => Ok(self.audio()?.placeholder()),
        }
    }

    /// The id of the token in whose places rows stand.
    ///
    /// # Errors
    /// The model takes none of the kind, or the tokenizer has no such token.
    pub(super) fn token_id(&self, kind: MediumKind, tokenizer: &Tokenizer) -> Result<u32, String> {
        let id = match kind {
            MediumKind::Image => self.vision()?.image_id(tokenizer),
            MediumKind::Video => self.vision()?.video_id(tokenizer),
            MediumKind::Sound => {
                return self.audio()?.audio_id(tokenizer).map_err(|error| error.to_string());
            }
        };
        id.ok_or_else(|| format!("the tokenizer has no token for {}", kind.plural()))
    }

    /// Whether the tokenizer puts its special tokens around a prompt that was expanded, unless it begins with the first of them.
    pub(super) fn takes_special_tokens(&self) -> bool {
        self.vision.as_ref().map_or(true, VisionModel::takes_special_tokens)
    }

    /// How many tensors an image has that are added behind layers of the decoder.
    pub(super) fn added_layers(&self) -> usize {
        self.vision.as_ref().map_or(0, VisionModel::added_layers)
    }

    /// Whether the rows of one of a kind see each other both ways.
    pub(super) fn sees_both_ways(&self, kind: MediumKind) -> bool {
        kind == MediumKind::Image && self.vision.as_ref().is_ok_and(VisionModel::sees_both_ways)
    }

    /// A prompt of `texts` with what stands between them, of which there is one less.
    pub(super) fn formed(&self, texts: &[&str], expansions: &[String]) -> String {
        match &self.vision {
            Ok(model) => model.formed(texts, expansions),
            Err(_) => placeholders::joined(texts, expansions),
        }
    }

    /// What is to be seen or heard, as its tower takes it, and what decides its content.
    ///
    /// # Errors
    /// It cannot be read or decoded, or this model does not take it.
    pub(super) fn processed(
        &self,
        medium: &Medium,
        images_of_prompt: usize,
    ) -> Result<(Processed, Digest), String> {
        let failed = |error: VisionError| format!("{}: {error}", medium.shown());
        // What no tower here takes is not read either.
        self.placeholder(medium.kind)?;
        match medium.kind {
            MediumKind::Image => {
                let (pixels, digest) = medium.pixels()?;
                let image = self.vision()?.processed(&pixels, images_of_prompt).map_err(failed)?;
                let (size, loss) = (pixels.size(), pixels.loss());
                Ok((Processed::Image { image, size, loss }, digest))
            }
            MediumKind::Video => {
                let (video, digest) = medium.video()?;
                let video = self.vision()?.processed_video(&video).map_err(failed)?;
                Ok((Processed::Video(video), digest))
            }
            MediumKind::Sound => {
                let (sound, digest) = medium.sound()?;
                let sound = self.audio()?.processed(&sound);
                let sound = sound.map_err(|error| format!("{}: {error}", medium.shown()))?;
                Ok((Processed::Sound(sound), digest))
            }
        }
    }

    /// What takes the place of a placeholder: as many tokens as there are rows, among what the family puts there.
    pub(super) fn expansion(&self, processed: &Processed) -> Result<String, String> {
        match processed {
            Processed::Image { image, .. } => {
                self.vision()?.expansion(image).map_err(|error| error.to_string())
            }
            Processed::Video(video) => {
                self.vision()?.video_expansion(video).map_err(|error| error.to_string())
            }
            Processed::Sound(sound) => {
                self.audio()?.expansion(sound).map_err(|error| error.to_string())
            }
        }
    }

    /// Where the rows stand, stretch by stretch of those that stand together, if they stand where rows and columns say.
    pub(super) fn grids(&self, processed: &Processed) -> Result<Vec<Option<TokenGrid>>, String> {
        let grid = |image: &ProcessedImage, times: Vec<u32>| match &image.layout {
            Layout::Patches { rows, columns, merged } => {
                let side = (*merged).max(1);
                Some(TokenGrid { times, rows: rows / side, columns: columns / side })
            }
            _ => None,
        };
        match processed {
            Processed::Image { image, .. } => Ok(vec![grid(image, vec![0])]),
            Processed::Sound(_) => Ok(vec![None]),
            Processed::Video(video) => {
                let times = self.vision()?.video_times(video).map_err(|error| error.to_string())?;
                let of_stretch =
                    |times| video.moments.first().and_then(|moment| grid(moment, times));
                Ok(times.into_iter().map(of_stretch).collect())
            }
        }
    }

    /// The rows, stretch by stretch.
    pub(super) fn rows(&self, processed: &Processed) -> Result<Vec<ImageRows>, String> {
        match processed {
            Processed::Image { image, .. } => {
                self.vision()?.rows(image).map(|rows| vec![rows]).map_err(|error| error.to_string())
            }
            Processed::Video(video) => {
                self.vision()?.video_rows(video).map_err(|error| error.to_string())
            }
            Processed::Sound(sound) => {
                let rows = self.audio()?.rows(sound).map_err(|error| error.to_string())?;
                Ok(vec![ImageRows { rows, added: Vec::new(), grid: None }])
            }
        }
    }

    /// What is to be told of it, if there is anything.
    pub(super) fn remark(&self, processed: &Processed) -> Option<String> {
        match (processed, &self.audio) {
            (Processed::Sound(sound), Ok(model)) => model.remark(sound),
            (Processed::Image { loss: Some(Loss::Transparency), .. }, _) => Some(
                "it has transparent parts, and the colours that are stored behind them are shown, often black, as transformers shows them; lay it over a \
                 background to show what a viewer shows"
                    .to_owned(),
            ),
            (Processed::Image { loss: Some(Loss::Levels), .. }, _) => {
                Some("its gray has 16 bits, of which Pillow makes white all above 255; store it in 8 bits to show the rest".to_owned())
            }
            _ => None,
        }
    }
}
