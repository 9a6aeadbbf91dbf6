//! Levels → numbers.

use super::{ProcessorError, fields::Fields};
use crate::image::{Layout, Pixels, ProcessedImage, Size};

/// Means of CLIP's images.
pub(super) const CLIP_MEAN: [f64; 3] = [0.481_454_66, 0.457_827_5, 0.408_210_73];

/// Standard deviations of CLIP's images.
pub(super) const CLIP_STD: [f64; 3] = [0.268_629_54, 0.261_302_58, 0.275_777_11];

/// What makes −1 to 1 of all levels, as mean and as standard deviation.
pub(super) const HALF: [f64; 3] = [0.5; 3];

/// The number of each level of each channel: (level × factor − mean) / standard deviation.
///
/// As in NumPy the product is made in f64, and all else in f32.
#[derive(Clone)]
pub(super) struct Normalization {
    numbers: Box<[[f32; 256]; 3]>,
    /// The means, as shares of 255, which is what some classes fill with.
    mean: [f64; 3],
}

impl Normalization {
    /// Reads the fields that all classes have.
    pub(super) fn read(
        fields: &mut Fields<'_>,
        mean: [f64; 3],
        std: [f64; 3],
    ) -> Result<Self, ProcessorError> {
        Self::made(fields, mean, std, false)
    }

    /// The same as classes on torchvision have it: (level − mean ÷ factor) / (standard deviation ÷ factor), all in f32.
    pub(super) fn read_fused(
        fields: &mut Fields<'_>,
        mean: [f64; 3],
        std: [f64; 3],
    ) -> Result<Self, ProcessorError> {
        Self::made(fields, mean, std, true)
    }

    fn made(
        fields: &mut Fields<'_>,
        mean: [f64; 3],
        std: [f64; 3],
        is_fused: bool,
    ) -> Result<Self, ProcessorError> {
        let is_rescaled = fields.flag("do_rescale", true)?;
        let factor = fields.factor("rescale_factor", 1.0 / 255.0)?;
        let is_normalized = fields.flag("do_normalize", true)?;
        let mean = fields.channels("image_mean", mean)?;
        let std = fields.channels("image_std", std)?;
        if std.iter().any(|std| *std as f32 == 0.0) {
            return Err(
                fields.wrong("image_std", "has a 0, by which nothing is divided".to_owned())
            );
        }
        let mut numbers = Box::new([[0.0; 256]; 3]);
        let factor = if is_rescaled { factor } else { 1.0 };
        let levels_of_one = (1.0 / factor) as f32;
        for (channel, numbers) in numbers.iter_mut().enumerate() {
            let (mean, std) = (mean[channel] as f32, std[channel] as f32);
            for (level, number) in numbers.iter_mut().enumerate() {
                let share = (level as f64 * factor) as f32;
                *number = match (is_normalized, is_fused) {
                    (false, _) => share,
                    (true, false) => (share - mean) / std,
                    (true, true) => (level as f32 - mean * levels_of_one) / (std * levels_of_one),
                };
            }
        }
        Ok(Self { numbers, mean })
    }

    /// The colour that is the mean, its levels rounded down.
    pub(super) fn mean_colour(&self) -> [u8; 3] {
        self.mean.map(|mean| (mean * 255.0) as u8)
    }

    /// The number of a channel's level.
    pub(super) fn number(&self, channel: usize, level: u8) -> f32 {
        self.numbers[channel][usize::from(level)]
    }

    /// Adds the numbers of an image, `(3, height, width)`.
    pub(super) fn append(&self, image: &Pixels, values: &mut Vec<f32>) {
        let (pixels, _) = image.levels().as_chunks::<3>();
        for channel in 0..3 {
            values.extend(pixels.iter().map(|pixel| self.number(channel, pixel[channel])));
        }
    }

    /// Pictures of one size, one after the other: `(pictures, 3, height, width)`.
    pub(super) fn pictures(&self, pictures: &[Pixels], layout: Layout) -> ProcessedImage {
        let size = pictures.first().map_or(Size { width: 0, height: 0 }, Pixels::size);
        let mut values = Vec::with_capacity(pictures.len() * 3 * size.pixels());
        for picture in pictures {
            self.append(picture, &mut values);
        }
        ProcessedImage { values, shape: vec![pictures.len(), 3, size.height, size.width], layout }
    }
}

impl std::fmt::Debug for Normalization {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ends = self.numbers.iter().map(|numbers| (numbers[0], numbers[255]));
        formatter.debug_list().entries(ends).finish()
    }
}
