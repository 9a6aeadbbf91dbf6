//! Small squares of videos, each over several frames: Qwen2-VL, Qwen2.5-VL, Qwen3-VL, GLM-4.1V.

use super::{
    ProcessorError,
    fields::Fields,
    frame_sampling::FrameSampling,
    normalization::{CLIP_MEAN, CLIP_STD, HALF, Normalization},
    squares::{Counted, SquareDefaults, Squares},
    video_processor::{ReadVideo, VideoArrangement, video_filter},
};
use crate::image::{Filter, ImageError, Pixels, ProcessedVideo, Video, video::check_pixels};

/// How frames become squares.
#[derive(Clone, Debug)]
pub(super) struct VideoPatches {
    /// What frames are resized with, if they are.
    filter: Option<Filter>,
    squares: Squares,
    sampling: FrameSampling,
}

impl VideoPatches {
    /// `Qwen2VLVideoProcessor`.
    pub(super) fn read_qwen2(fields: &mut Fields<'_>) -> ReadVideo {
        let numbers = Normalization::read(fields, CLIP_MEAN, CLIP_STD)?;
        let (least_pixels, most_pixels) = (128 * 28 * 28, 28 * 28 * 768);
        let counted = Counted::OneFrame;
        let defaults = SquareDefaults { least_pixels, most_pixels, side: 14, counted };
        let sampling = FrameSampling::read_all(fields)?;
        Self::read(fields, defaults, sampling).map(|patches| (patches, numbers))
    }

    /// `Qwen3VLVideoProcessor`.
    pub(super) fn read_qwen3(fields: &mut Fields<'_>) -> ReadVideo {
        let numbers = Normalization::read(fields, HALF, HALF)?;
        let (least_pixels, most_pixels) = (128 * 32 * 32, 32 * 32 * 768);
        let counted = Counted::AllFrames;
        let defaults = SquareDefaults { least_pixels, most_pixels, side: 16, counted };
        let sampling = FrameSampling::read_even(fields)?;
        Self::read(fields, defaults, sampling).map(|patches| (patches, numbers))
    }

    /// `Glm4vVideoProcessor`.
    pub(super) fn read_glm(fields: &mut Fields<'_>) -> ReadVideo {
        let numbers = Normalization::read(fields, CLIP_MEAN, CLIP_STD)?;
        let (least_pixels, most_pixels) = (112 * 112, 28 * 28 * 2 * 30_000);
        let counted = Counted::AllFrames;
        let defaults = SquareDefaults { least_pixels, most_pixels, side: 14, counted };
        let sampling = FrameSampling::read_of_rate(fields)?;
        Self::read(fields, defaults, sampling).map(|patches| (patches, numbers))
    }

    fn read(
        fields: &mut Fields<'_>,
        defaults: SquareDefaults,
        sampling: FrameSampling,
    ) -> Result<VideoArrangement, ProcessorError> {
        // Without the cap, which they have by default no more than here, tokens are not counted.
        fields.only("cap_pixels_per_frame", false)?;
        fields.pass_over(&["max_video_tokens"]);
        let squares = Squares::read(fields, defaults)?;
        let filter = video_filter(fields)?;
        Ok(VideoArrangement::Patches(Self { filter, squares, sampling }))
    }

    pub(super) fn process(
        &self,
        video: &Video,
        numbers: &Normalization,
    ) -> Result<ProcessedVideo, ImageError> {
        let taken = self.sampling.taken(video)?;
        let (size, frames_of_moment) = (video.size(), self.squares.frames);
        let target = match self.filter {
            Some(_) => self.squares.target(size, taken.len())?,
            None => size,
        };
        check_pixels(taken.len(), target)?;
        let resized = taken.iter().filter_map(|&frame| video.frames().get(frame)).map(|frame| {
            match self.filter {
                Some(filter) => frame.resized_as_torch(target, filter),
                None => Ok(frame.clone()),
            }
        });
        let frames = resized.collect::<Result<Vec<Pixels>, _>>()?;
        let moment = |shown: &[Pixels]| {
            let last = shown.last().into_iter().cycle();
            let filled: Vec<&Pixels> = shown.iter().chain(last).take(frames_of_moment).collect();
            self.squares.cut(&filled, numbers)
        };
        let moments = frames.chunks(frames_of_moment).map(moment);
        let moments = moments.collect::<Result<_, _>>()?;
        Ok(ProcessedVideo::new(video, &taken, moments, frames_of_moment))
    }
}
