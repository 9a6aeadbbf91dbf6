//! One picture of one size: CLIP and `LLaVA` 1.5, `SigLIP` and `PaliGemma`, Gemma 3.

use super::{
    Arrangement, Read,
    fields::Fields,
    normalization::{CLIP_MEAN, CLIP_STD, HALF, Normalization},
    size_field::{SizeField, square},
};
use crate::image::{Filter, ImageError, Layout, Pixels, ProcessedImage, Size};

/// An image is resized and perhaps cut to its middle.
#[derive(Clone, Debug)]
pub(super) struct Plain {
    resizing: Option<(Target, Filter)>,
    crop: Option<Size>,
}

/// What an image is resized to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Both sides.
    Exact(Size),
    /// The shorter side; the other one follows.
    Shortest(usize),
}

impl Target {
    /// Reads `size`.
    pub(super) fn read(
        fields: &mut Fields<'_>,
        default: SizeField,
    ) -> Result<Self, super::ProcessorError> {
        match SizeField::read(fields, "size", default)? {
            SizeField::Exact(size) => Ok(Self::Exact(size)),
            SizeField::Shortest(side) => Ok(Self::Shortest(side)),
            _ => {
                let problem = "must have `height` and `width`, or `shortest_edge`".to_owned();
                Err(fields.wrong("size", problem))
            }
        }
    }

    /// The size of an image that had this one.
    pub(super) fn of(self, from: Size) -> Size {
        let shortest = match self {
            Self::Exact(size) => return size,
            Self::Shortest(shortest) => shortest,
        };
        // As in Python: a whole product, divided in f64.
        let longer =
            |short: usize, long: usize| ((shortest as f64 * long as f64) / short as f64) as usize;
        if from.width <= from.height {
            Size { width: shortest, height: longer(from.width, from.height) }
        } else {
            Size { width: longer(from.height, from.width), height: shortest }
        }
    }
}

impl Plain {
    /// `CLIPImageProcessor`.
    pub(super) fn read_clip(fields: &mut Fields<'_>) -> Read {
        let numbers = Normalization::read(fields, CLIP_MEAN, CLIP_STD)?;
        fields.only("do_pad", false)?;
        fields.only("use_square_size", false)?;
        Self::read(fields, SizeField::Shortest(224), Some(square(224)), Filter::Bicubic, numbers)
    }

    /// `SiglipImageProcessor`.
    pub(super) fn read_siglip(fields: &mut Fields<'_>) -> Read {
        let numbers = Normalization::read(fields, HALF, HALF)?;
        fields.only("do_pad", false)?;
        Self::read(fields, SizeField::Exact(square(224)), None, Filter::Bicubic, numbers)
    }

    /// `Gemma3ImageProcessor`, without cutting long images into several.
    pub(super) fn read_gemma3(fields: &mut Fields<'_>) -> Read {
        let numbers = Normalization::read(fields, HALF, HALF)?;
        fields.only("do_pan_and_scan", false)?;
        fields.pass_over(&[
            "pan_and_scan_max_num_crops",
            "pan_and_scan_min_crop_size",
            "pan_and_scan_min_ratio_to_activate",
        ]);
        fields.only("do_center_crop", false)?;
        Self::read(fields, SizeField::Exact(square(224)), None, Filter::Bilinear, numbers)
    }

    fn read(
        fields: &mut Fields<'_>,
        size: SizeField,
        crop: Option<Size>,
        filter: Filter,
        numbers: Normalization,
    ) -> Read {
        let target = Target::read(fields, size)?;
        let filter = fields.filter(filter)?;
        let is_resized = fields.flag("do_resize", true)?;
        let is_cropped = fields.flag("do_center_crop", crop.is_some())?;
        let crop = match (is_cropped, crop) {
            (false, _) => {
                fields.pass_over(&["crop_size"]);
                None
            }
            (true, None) if fields.optional("crop_size").is_none() => {
                let problem = "is missing, and do_center_crop is true".to_owned();
                return Err(fields.wrong("crop_size", problem));
            }
            (true, default) => Some(SizeField::read_crop(fields, default.unwrap_or(square(1)))?),
        };
        let resizing = is_resized.then_some((target, filter));
        Ok((Arrangement::Plain(Self { resizing, crop }), numbers))
    }

    pub(super) fn process(
        &self,
        image: &Pixels,
        numbers: &Normalization,
    ) -> Result<ProcessedImage, ImageError> {
        let mut picture = image.clone();
        if let Some((target, filter)) = self.resizing {
            picture = image.resized(target.of(image.size()), filter)?;
        }
        if let Some(crop) = self.crop {
            picture = middle(&picture, crop)?;
        }
        Ok(numbers.pictures(&[picture], Layout::Tiles { rows: 1, columns: 1 }))
    }
}

/// The middle of an image, with black where the image is smaller.
pub(super) fn middle(image: &Pixels, size: Size) -> Result<Pixels, ImageError> {
    // What is cut is halved downwards; what is added stands above and left with the larger half.
    let offset = |there: usize, wanted: usize| {
        let more = wanted.cast_signed() - there.cast_signed();
        if more > 0 { -(more + 1).div_euclid(2) } else { -more / 2 }
    };
    let (left, top) =
        (offset(image.size().width, size.width), offset(image.size().height, size.height));
    image.window(left, top, size, [0; 3])
}
