//! Which frames of a video are taken.
//!
//! Classes take all that they get, or about as many a second as they were trained with. Where a rule of transformers depends on more than the
//! frames and their rate, only videos of the rate that is wanted are taken, all frames of them.

use super::{ProcessorError, fields::Fields};
use crate::image::{ImageError, Video};

/// The rule of a class.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FrameSampling {
    /// All.
    All,
    /// As many a second, evenly from the first to the last, between two numbers of them: Qwen3-VL.
    Even { frames_per_second: f64, fewest: usize, most: usize },
    /// All of a video of this rate that is not longer; the last is taken twice where their number is odd: GLM-4.1V.
    OfRate { frames_per_second: f64, most_seconds: f64 },
}

impl FrameSampling {
    /// Of classes that take all unless they are told otherwise; that is refused.
    pub(super) fn read_all(fields: &mut Fields<'_>) -> Result<Self, ProcessorError> {
        fields.only("do_sample_frames", false)?;
        fields.pass_over(&["fps", "initial_shift", "max_frames", "min_frames", "num_frames"]);
        Ok(Self::All)
    }

    /// `Qwen3VLVideoProcessor`.
    pub(super) fn read_even(fields: &mut Fields<'_>) -> Result<Self, ProcessorError> {
        let is_sampled = fields.flag("do_sample_frames", true)?;
        if is_sampled && fields.optional("num_frames").is_some() {
            let problem =
                "and `fps`, which the class has, exclude each other; remove it".to_owned();
            return Err(fields.wrong("num_frames", problem));
        }
        let sampling = Self::Even {
            frames_per_second: fields.factor("fps", 2.0)?,
            fewest: fields.count("min_frames")?.unwrap_or(4),
            most: fields.count("max_frames")?.unwrap_or(768),
        };
        fields.pass_over(&["max_duration", "max_image_size", "num_frames"]);
        Ok(if is_sampled { sampling } else { Self::All })
    }

    /// `Glm4vVideoProcessor`.
    pub(super) fn read_of_rate(fields: &mut Fields<'_>) -> Result<Self, ProcessorError> {
        let is_sampled = fields.flag("do_sample_frames", true)?;
        let sampling = Self::OfRate {
            frames_per_second: fields.factor("fps", 2.0)?,
            most_seconds: fields.factor("max_duration", 300.0)?,
        };
        // The rule goes by seconds alone.
        fields.pass_over(&["max_image_size", "num_frames"]);
        Ok(if is_sampled { sampling } else { Self::All })
    }

    /// The frames that are taken, in order.
    ///
    /// # Errors
    /// [`ImageError::NoVideo`] where the rule would take others than are known here.
    pub(super) fn taken(&self, video: &Video) -> Result<Vec<usize>, ImageError> {
        let frames = video.frames().len();
        match *self {
            Self::All => Ok((0..frames).collect()),
            Self::Even { frames_per_second, fewest, most } => {
                let wanted = (frames as f64 / video.rate() * frames_per_second) as usize;
                Ok(evenly(frames, wanted.max(fewest).min(most).min(frames)))
            }
            Self::OfRate { frames_per_second, most_seconds } => {
                let refuse = |problem| Err(ImageError::NoVideo { problem });
                let Some(rate) = video.frames_per_second() else {
                    return refuse(format!(
                        "this model must know how many are a second; it takes {frames_per_second}"
                    ));
                };
                if rate.total_cmp(&frames_per_second).is_ne() {
                    return refuse(format!(
                        "{rate} of them are a second, and this model takes {frames_per_second} (`fps` of its video processor); \
                         give it as many"
                    ));
                }
                if frames as f64 / rate > most_seconds {
                    return refuse(format!(
                        "they last longer than the {most_seconds} seconds of which this model takes all (`max_duration` of its \
                         video processor); cut the video"
                    ));
                }
                let last = (frames % 2 == 1).then(|| frames.saturating_sub(1));
                Ok((0..frames).chain(last).collect())
            }
        }
    }
}

/// `wanted` of `frames`, from the first to the last: NumPy's `linspace`, rounded to the even number.
fn evenly(frames: usize, wanted: usize) -> Vec<usize> {
    let last = frames.saturating_sub(1);
    let step = last as f64 / wanted.saturating_sub(1).max(1) as f64;
    let place = |at: usize| {
        if at > 0 && at + 1 == wanted {
            last
        } else {
            (at as f64 * step).round_ties_even() as usize
        }
    };
    (0..wanted).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::{Pixels, Size};

    fn video(frames: usize, rate: Option<f64>) -> Video {
        let pixel = Pixels::new(Size { width: 1, height: 1 }, vec![0; 3]).unwrap();
        Video::new(vec![pixel; frames], rate).unwrap()
    }

    #[test]
    fn frames_that_are_taken_evenly_are_those_of_transformers() {
        let sampling = FrameSampling::Even { frames_per_second: 2.0, fewest: 4, most: 768 };
        let taken = |frames, rate| sampling.taken(&video(frames, Some(rate))).unwrap();
        assert_eq!(taken(4, 2.0), [0, 1, 2, 3]);
        assert_eq!(taken(1, 2.0), [0]);
        assert_eq!(taken(3, 30.0), [0, 1, 2]);
        assert_eq!(taken(30, 24.0), [0, 10, 19, 29]);
        assert_eq!(taken(100, 25.0), [0, 14, 28, 42, 57, 71, 85, 99]);
        assert_eq!(taken(100, 30.0), [0, 20, 40, 59, 79, 99]);
        assert_eq!(taken(9, 10.0), [0, 3, 5, 8]);
        assert_eq!(taken(31, 7.0), [0, 4, 9, 13, 17, 21, 26, 30]);
        let many = taken(2000, 1.0);
        assert_eq!((many.len(), many[5], many[767], many.iter().sum()), (768, 13, 1999, 767_616));
        let few = FrameSampling::Even { frames_per_second: 2.0, fewest: 4, most: 5 };
        assert_eq!(few.taken(&video(60, Some(12.0))).unwrap(), [0, 15, 30, 44, 59]);
    }

    #[test]
    fn a_video_of_another_rate_is_refused_where_more_than_the_rate_would_say() {
        let sampling = FrameSampling::OfRate { frames_per_second: 2.0, most_seconds: 3.0 };
        let taken = |frames, rate| sampling.taken(&video(frames, rate));
        assert_eq!(taken(4, Some(2.0)).unwrap(), [0, 1, 2, 3]);
        assert_eq!(taken(3, Some(2.0)).unwrap(), [0, 1, 2, 2]);
        for (frames, rate, wanted) in [
            (4, None, "how many are a second"),
            (4, Some(4.0), "`fps`"),
            (7, Some(2.0), "`max_duration`"),
        ] {
            let refusal = taken(frames, rate).unwrap_err().to_string();
            assert!(refusal.contains(wanted), "{refusal}");
        }
    }
}
