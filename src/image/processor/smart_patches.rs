//! Small squares of an image of about its own size: Qwen2-VL, Qwen2.5-VL, Qwen3-VL, GLM-4.1V.

use super::{
    Arrangement, Read,
    fields::Fields,
    normalization::{CLIP_MEAN, CLIP_STD, Normalization},
    squares::{Counted, SquareDefaults, Squares},
};
use crate::image::{Filter, ImageError, Pixels, ProcessedImage};

/// How an image becomes squares.
#[derive(Clone, Debug)]
pub(super) struct SmartPatches {
    filter: Filter,
    is_resized: bool,
    squares: Squares,
}

impl SmartPatches {
    /// `Qwen2VLImageProcessor`.
    pub(super) fn read_qwen(fields: &mut Fields<'_>) -> Read {
        let (least_pixels, most_pixels) = (56 * 56, 28 * 28 * 1280);
        let counted = Counted::OneFrame;
        Self::read(fields, SquareDefaults { least_pixels, most_pixels, side: 14, counted })
    }

    /// `Glm4vImageProcessor`.
    pub(super) fn read_glm(fields: &mut Fields<'_>) -> Read {
        let (least_pixels, most_pixels) = (112 * 112, 28 * 28 * 15_000);
        let counted = Counted::AllFrames;
        Self::read(fields, SquareDefaults { least_pixels, most_pixels, side: 14, counted })
    }

    fn read(fields: &mut Fields<'_>, defaults: SquareDefaults) -> Read {
        let numbers = Normalization::read(fields, CLIP_MEAN, CLIP_STD)?;
        let patches = Self {
            squares: Squares::read(fields, defaults)?,
            filter: fields.filter(Filter::Bicubic)?,
            is_resized: fields.flag("do_resize", true)?,
        };
        Ok((Arrangement::SmartPatches(patches), numbers))
    }

    pub(super) fn process(
        &self,
        image: &Pixels,
        numbers: &Normalization,
    ) -> Result<ProcessedImage, ImageError> {
        let frames = self.squares.frames;
        let resized = if self.is_resized {
            &image.resized(self.squares.target(image.size(), frames)?, self.filter)?
        } else {
            image
        };
        self.squares.cut(&vec![resized; frames], numbers)
    }
}
