//! Small squares, row by row, of an image that is never enlarged: Kimi K2.5.

use super::{
    Arrangement, Read,
    fields::Fields,
    normalization::{HALF, Normalization},
    size_field::SizeField,
};
use crate::image::{Filter, ImageError, Layout, Pixels, ProcessedImage, Size};

/// How large squares are, and how many there may be.
#[derive(Clone, Debug)]
pub(super) struct UnscaledPatches {
    filter: Filter,
    patch_side: usize,
    merged: usize,
    most_patches: usize,
    /// Most patches along a side.
    most_along: usize,
}

/// Most pixels along a side of a patch, and most patches along a side of a token.
const MOST_SIDE: usize = 256;

/// Most patches that settings may allow along a side.
const MOST_ALONG: usize = 4096;

impl UnscaledPatches {
    /// `Kimi_K25ImageProcessor`.
    pub(super) fn read(fields: &mut Fields<'_>) -> Read {
        let numbers = Normalization::read(fields, HALF, HALF)?;
        fields.only("do_resize", true)?;
        fields.only("do_center_crop", false)?;
        let default = SizeField::AtMost(super::size_field::square(512));
        let most_along = match SizeField::read(fields, "size", default)? {
            SizeField::AtMost(size) if size.width == size.height && size.width <= MOST_ALONG => {
                size.width
            }
            _ => {
                let problem = format!(
                    "must have the same `max_height` and `max_width`, counts of patches up to {MOST_ALONG}"
                );
                return Err(fields.wrong("size", problem));
            }
        };
        let patches = Self {
            filter: fields.filter(Filter::Bicubic)?,
            patch_side: fields.count("patch_size")?.unwrap_or(14),
            merged: fields.count("merge_size")?.unwrap_or(2),
            most_patches: fields.count("max_patches")?.unwrap_or(16_384),
            most_along,
        };
        for (name, count) in [("patch_size", patches.patch_side), ("merge_size", patches.merged)] {
            if count > MOST_SIDE {
                return Err(
                    fields.wrong(name, format!("is {count}; at most {MOST_SIDE} is sensible"))
                );
            }
        }
        Ok((Arrangement::UnscaledPatches(patches), numbers))
    }

    pub(super) fn process(
        &self,
        image: &Pixels,
        numbers: &Normalization,
    ) -> Result<ProcessedImage, ImageError> {
        let resized = image.resized_as_torch(self.target(image.size()), self.filter)?;
        let token_side = self.patch_side * self.merged;
        let whole = |side: usize| side.next_multiple_of(token_side);
        let Size { width, height } = resized.size();
        let canvas = Size { width: whole(width), height: whole(height) };
        let canvas = resized.window(0, 0, canvas, [0; 3])?;
        let side = super::size_field::square(self.patch_side);
        let patches: Vec<Pixels> = canvas.tiles(side).collect();
        let rows = canvas.size().height / self.patch_side;
        let columns = canvas.size().width / self.patch_side;
        // The order is of rows, although several become one token.
        Ok(numbers.pictures(&patches, Layout::Patches { rows, columns, merged: 1 }))
    }

    /// The image's size, shrunk until patches are few enough in all and along each side: `navit_resize`.
    fn target(&self, image: Size) -> Size {
        let patches = |side: usize| (side / self.patch_side).max(1) as f64;
        let by_all =
            (self.most_patches as f64 / (patches(image.height) * patches(image.width))).sqrt();
        let longest = self.most_along * self.patch_side;
        let by_side = |side: usize| longest as f64 / side as f64;
        let scale = by_all.min(by_side(image.height)).min(by_side(image.width)).min(1.0);
        let side = |side: usize| ((side as f64 * scale) as usize).max(1).min(longest);
        Size { width: side(image.width), height: side(image.height) }
    }
}
