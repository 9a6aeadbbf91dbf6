//! Videos whose frames are pictures of one size: `InternVL`, LLaVA-OneVision.

use super::{
    fields::Fields,
    frame_sampling::FrameSampling,
    normalization::{CLIP_MEAN, CLIP_STD, Normalization},
    size_field::{SizeField, square},
    video_processor::{ReadVideo, VideoArrangement, video_filter},
};
use crate::image::{Filter, ImageError, Layout, ProcessedVideo, Size, Video, video::check_pixels};

/// How frames are resized.
#[derive(Clone, Debug)]
pub(super) struct VideoPictures {
    /// What they are resized with, if they are.
    filter: Option<Filter>,
    size: Size,
    sampling: FrameSampling,
}

impl VideoPictures {
    /// `InternVLVideoProcessor`, `LlavaOnevisionVideoProcessor`.
    pub(super) fn read(fields: &mut Fields<'_>) -> ReadVideo {
        let numbers = Normalization::read(fields, CLIP_MEAN, CLIP_STD)?;
        fields.only("do_center_crop", false)?;
        fields.pass_over(&["crop_size"]);
        let pictures = Self {
            sampling: FrameSampling::read_all(fields)?,
            size: SizeField::read_exact(fields, "size", square(384))?,
            filter: video_filter(fields)?,
        };
        Ok((VideoArrangement::Pictures(pictures), numbers))
    }

    pub(super) fn process(
        &self,
        video: &Video,
        numbers: &Normalization,
    ) -> Result<ProcessedVideo, ImageError> {
        let taken = self.sampling.taken(video)?;
        check_pixels(taken.len(), self.filter.map_or(video.size(), |_| self.size))?;
        let pictures = taken.iter().filter_map(|&frame| video.frames().get(frame)).map(|frame| {
            let picture = match self.filter {
                Some(filter) => frame.resized_as_torch(self.size, filter)?,
                None => frame.clone(),
            };
            Ok(numbers.pictures(&[picture], Layout::Tiles { rows: 1, columns: 1 }))
        });
        let moments = pictures.collect::<Result<_, _>>()?;
        Ok(ProcessedVideo::new(video, &taken, moments, 1))
    }
}
