//! A video whose levels are known.

use std::borrow::Cow;

use super::{ImageError, MOST_PIXELS, Pixels, Size};

/// Frames a second of a video that does not say it, as transformers has it.
const USUAL_FRAMES_PER_SECOND: f64 = 24.0;

/// Frames of one size, in order. There is at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct Video {
    frames: Vec<Pixels>,
    frames_per_second: Option<f64>,
}

impl Video {
    /// Takes frames, and how many of them are a second, if that is known.
    ///
    /// # Errors
    /// [`ImageError`] where there are none, they have different sizes, or more than [`MOST_PIXELS`] together, or the number is none above 0.
    pub fn new(frames: Vec<Pixels>, frames_per_second: Option<f64>) -> Result<Self, ImageError> {
        let refuse = |problem: String| Err(ImageError::NoVideo { problem });
        let Some(size) = frames.first().map(Pixels::size) else {
            return refuse("there are none".to_owned());
        };
        if let Some(other) = frames.iter().map(Pixels::size).find(|other| *other != size) {
            return refuse(format!(
                "the first has {size} pixels, and another has {other}; give them one size"
            ));
        }
        check_pixels(frames.len(), size)?;
        if let Some(rate) = frames_per_second.filter(|rate| !rate.is_finite() || *rate <= 0.0) {
            return refuse(format!("{rate} of them are a second; give a number above 0"));
        }
        Ok(Self { frames, frames_per_second })
    }

    /// The frames.
    pub fn frames(&self) -> &[Pixels] {
        &self.frames
    }

    /// The size of all frames.
    pub fn size(&self) -> Size {
        self.frames.first().map_or(Size { width: 0, height: 0 }, Pixels::size)
    }

    /// The same frames, of which so many are a second.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn at(self, frames_per_second: f64) -> Result<Self, ImageError> {
        Self::new(self.frames, Some(frames_per_second))
    }

    /// How many are a second, if that is known.
    pub fn frames_per_second(&self) -> Option<f64> {
        self.frames_per_second
    }

    /// The video with white in the place of transparent colours.
    pub(super) fn over_white(&self) -> Cow<'_, Self> {
        if self.frames.iter().all(|frame| frame.transparent().is_none()) {
            return Cow::Borrowed(self);
        }
        let frames = self.frames.iter().map(|frame| frame.over_white().into_owned()).collect();
        Cow::Owned(Self { frames, ..*self })
    }

    /// How many are a second, or are taken to be.
    pub(super) fn rate(&self) -> f64 {
        self.frames_per_second.unwrap_or(USUAL_FRAMES_PER_SECOND)
    }
}

/// Whether so many frames of a size may be there at once.
pub(super) fn check_pixels(frames: usize, size: Size) -> Result<(), ImageError> {
    if frames.saturating_mul(size.pixels()) > MOST_PIXELS {
        let Size { width, height } = size;
        return Err(ImageError::TooManyFrames { frames, width, height, most_pixels: MOST_PIXELS });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn even(width: usize, height: usize) -> Pixels {
        let size = Size { width, height };
        Pixels::new(size, vec![7; 3 * size.pixels()]).unwrap()
    }

    #[test]
    fn frames_have_one_size_and_a_rate_above_zero() {
        let video = Video::new(vec![even(3, 2), even(3, 2)], None).unwrap();
        assert_eq!(
            (video.frames().len(), video.size(), video.rate()),
            (2, even(3, 2).size(), 24.0)
        );
        for (frames, rate, wanted) in [
            (vec![], None, "there are none"),
            (vec![even(3, 2), even(2, 3)], None, "another has 2 × 3"),
            (vec![even(3, 2)], Some(0.0), "above 0"),
            (vec![even(3, 2)], Some(f64::NAN), "above 0"),
        ] {
            let refusal = Video::new(frames, rate).unwrap_err().to_string();
            assert!(refusal.contains(wanted), "{refusal}");
        }
        let refusal = Video::new(vec![even(10_000, 1_000); 9], None).unwrap_err();
        assert!(matches!(refusal, ImageError::TooManyFrames { frames: 9, .. }));
    }
}
