//! Random images, videos and sounds, and the rows that a checkpoint's towers make of them on the CPU and on the device under test.

use std::path::Path;

use candle_core::{DType, Device};

use super::inputs::TestInputs;
use crate::audio::Sound;
use crate::image::{Pixels, Size, Video};
use crate::model::audio::{AudioModel, HearingError};
use crate::model::vision::{ImageRows, VisionError, VisionModel};

/// Sizes of the images of each prompt: broad and high, so that images are cut into tiles in more than one way, and one beside another.
const IMAGES: [&[[usize; 2]]; 2] = [&[[96, 64]], &[[44, 120], [70, 70]]];
/// Frames of a video, and their size.
const FRAMES: (usize, [usize; 2]) = (4, [64, 48]);
/// How many of them are a second.
const FRAMES_PER_SECOND: f64 = 2.0;
/// Samples of the sounds of each prompt, of each second so many: less than a chunk, and two sounds.
const SECONDS: [&[f64]; 2] = [&[0.7], &[1.9, 0.25]];

/// The same on both.
pub(super) struct ShownRows {
    /// The CPU's, in f32.
    pub(super) host: ImageRows,
    /// The device's, in the type under test.
    pub(super) tested: ImageRows,
}

/// What is shown to a checkpoint in prompts of one kind.
pub(super) struct Shown {
    /// Its name, in the plural.
    pub(super) kind: &'static str,
    /// Whether rows of one stretch see each other both ways.
    pub(super) both_ways: bool,
    /// Stretches of rows of each prompt; those of an image or a sound are one.
    pub(super) prompts: Vec<Vec<ShownRows>>,
}

/// What a checkpoint is shown, or why a tower made nothing of it.
pub(super) type Outcome = Result<Shown, String>;

/// A tower on both.
struct Towers<T> {
    host: T,
    tested: T,
}

/// Images, and videos if the model sees them; nothing where it is blind.
pub(super) fn seen(
    place: &Path,
    (device, dtype): (&Device, DType),
    inputs: &mut TestInputs<'_>,
) -> Vec<(&'static str, Outcome)> {
    let load = |device, dtype| VisionModel::load(place, device, dtype);
    let towers = load(&Device::Cpu, DType::F32)
        .and_then(|host| Ok(Towers { host, tested: load(device, dtype)? }));
    match towers {
        Err(VisionError::Blind { .. }) => Vec::new(),
        Err(error) => vec![("images", Err(error.to_string()))],
        Ok(towers) => {
            let images = towers.images(inputs).map_err(|error| error.to_string());
            let mut seen = vec![("images", images)];
            match towers.video(inputs) {
                Err(VisionError::NoVideos { .. }) => {}
                video => seen.push(("videos", video.map_err(|error| error.to_string()))),
            }
            seen
        }
    }
}

/// Sounds; nothing where the model is deaf.
pub(super) fn heard(
    place: &Path,
    (device, dtype): (&Device, DType),
    inputs: &mut TestInputs<'_>,
) -> Vec<(&'static str, Outcome)> {
    let load = |device, dtype| AudioModel::load(place, device, dtype);
    let towers = load(&Device::Cpu, DType::F32)
        .and_then(|host| Ok(Towers { host, tested: load(device, dtype)? }));
    match towers {
        Err(HearingError::Deaf { .. }) => Vec::new(),
        Err(error) => vec![("sounds", Err(error.to_string()))],
        Ok(towers) => {
            vec![("sounds", towers.sounds(inputs).map_err(|error| error.to_string()))]
        }
    }
}

impl Towers<VisionModel> {
    fn images(&self, inputs: &mut TestInputs<'_>) -> Result<Shown, VisionError> {
        let mut prompts = Vec::new();
        for sizes in IMAGES {
            let mut prompt = Vec::new();
            for &size in sizes {
                let image = self.host.processed(&picture(inputs, size)?, sizes.len())?;
                let (host, tested) = (self.host.rows(&image)?, self.tested.rows(&image)?);
                prompt.push(ShownRows { host, tested });
            }
            prompts.push(prompt);
        }
        Ok(Shown { kind: "images", both_ways: self.host.sees_both_ways(), prompts })
    }

    fn video(&self, inputs: &mut TestInputs<'_>) -> Result<Shown, VisionError> {
        let (count, size) = FRAMES;
        let frames = (0..count).map(|_| picture(inputs, size)).collect::<Result<_, _>>()?;
        let video = self.host.processed_video(&Video::new(frames, Some(FRAMES_PER_SECOND))?)?;
        let (host, tested) = (self.host.video_rows(&video)?, self.tested.video_rows(&video)?);
        let rows = |(host, tested)| ShownRows { host, tested };
        let prompts = vec![host.into_iter().zip(tested).map(rows).collect()];
        Ok(Shown { kind: "videos", both_ways: self.host.sees_both_ways(), prompts })
    }
}

impl Towers<AudioModel> {
    fn sounds(&self, inputs: &mut TestInputs<'_>) -> Result<Shown, HearingError> {
        let rate_hz = self.host.rate_hz();
        let mut prompts = Vec::new();
        for seconds in SECONDS {
            let mut prompt = Vec::new();
            for seconds in seconds {
                let count = (seconds * f64::from(rate_hz)) as usize;
                let samples = inputs.tensor(count, 0.5)?.host.to_vec1()?;
                let sound = self.host.processed(&Sound::new(samples, 1, rate_hz)?)?;
                let rows = |tower: &AudioModel| {
                    let rows = tower.rows(&sound)?;
                    Ok::<_, HearingError>(ImageRows { rows, added: Vec::new(), grid: None })
                };
                prompt.push(ShownRows { host: rows(&self.host)?, tested: rows(&self.tested)? });
            }
            prompts.push(prompt);
        }
        Ok(Shown { kind: "sounds", both_ways: false, prompts })
    }
}

/// Random levels in squares of a few pixels: what is resized is not grey after that.
fn picture(
    inputs: &mut TestInputs<'_>,
    [width, height]: [usize; 2],
) -> Result<Pixels, VisionError> {
    const SQUARE: usize = 5;
    let squares = width.div_ceil(SQUARE);
    let colours: Vec<[u8; 3]> = (0..squares * height.div_ceil(SQUARE))
        .map(|_| std::array::from_fn(|_| inputs.index(256) as u8))
        .collect();
    let places = (0..height).flat_map(|row| (0..width).map(move |column| (row, column)));
    let levels = places
        .flat_map(|(row, column)| colours[row / SQUARE * squares + column / SQUARE])
        .collect();
    let pixels = Pixels::new(Size { width, height }, levels);
    pixels.ok_or_else(|| VisionError::Tensor("a picture without pixels".to_owned()))
}
