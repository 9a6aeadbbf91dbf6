//! Small squares of an image of about its own size: Qwen2-VL, Qwen2.5-VL, Qwen3-VL, GLM-4.1V.

use super::{
    Arrangement, Read,
    fields::Fields,
    normalization::{CLIP_MEAN, CLIP_STD, Normalization},
    size_field::SizeField,
};
use crate::image::{Filter, ImageError, Layout, MOST_PIXELS, Pixels, ProcessedImage, Size};

/// How large squares are, and how many there may be.
#[derive(Clone, Debug)]
pub(super) struct SmartPatches {
    filter: Filter,
    is_resized: bool,
    least_pixels: usize,
    most_pixels: usize,
    patch_side: usize,
    /// Frames of a patch; an image is the same in all.
    frames: usize,
    /// Patches along a side of what becomes one token.
    merged: usize,
    variant: Variant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    /// Pixels are counted in one frame.
    Qwen,
    /// Pixels are counted in all frames, and a side below that of a token is first made as long.
    Glm,
}

/// A side may be so many times the other.
const MOST_RATIO: usize = 200;

/// Most pixels along a side of a patch, most patches along a side of a token, most frames of a patch.
const MOST_SIDE: usize = 256;

impl SmartPatches {
    /// `Qwen2VLImageProcessor`.
    pub(super) fn read_qwen(fields: &mut Fields<'_>) -> Read {
        Self::read(fields, Variant::Qwen, 56 * 56, 28 * 28 * 1280)
    }

    /// `Glm4vImageProcessor`.
    pub(super) fn read_glm(fields: &mut Fields<'_>) -> Read {
        Self::read(fields, Variant::Glm, 112 * 112, 28 * 28 * 15_000)
    }

    fn read(fields: &mut Fields<'_>, variant: Variant, least: usize, most: usize) -> Read {
        let numbers = Normalization::read(fields, CLIP_MEAN, CLIP_STD)?;
        let size = SizeField::read(fields, "size", SizeField::Between(least, most))?;
        let SizeField::Between(mut least, mut most) = size else {
            let problem =
                "must have `shortest_edge` and `longest_edge`, which count pixels".to_owned();
            return Err(fields.wrong("size", problem));
        };
        if variant == Variant::Qwen {
            // As they were spelled first; where both are there, these count.
            if fields.optional("min_pixels").is_some() {
                least = fields.count("min_pixels")?.unwrap_or(least);
            }
            if fields.optional("max_pixels").is_some() {
                most = fields.count("max_pixels")?.unwrap_or(most);
            }
        }
        if least > most || most > MOST_PIXELS {
            let problem =
                format!("goes from {least} to {most} pixels; images have up to {MOST_PIXELS}");
            return Err(fields.wrong("size", problem));
        }
        let patches = Self {
            filter: fields.filter(Filter::Bicubic)?,
            is_resized: fields.flag("do_resize", true)?,
            least_pixels: least,
            most_pixels: most,
            patch_side: fields.count("patch_size")?.unwrap_or(14),
            frames: fields.count("temporal_patch_size")?.unwrap_or(2),
            merged: fields.count("merge_size")?.unwrap_or(2),
            variant,
        };
        for (name, count) in [
            ("patch_size", patches.patch_side),
            ("temporal_patch_size", patches.frames),
            ("merge_size", patches.merged),
        ] {
            if count > MOST_SIDE {
                return Err(
                    fields.wrong(name, format!("is {count}; at most {MOST_SIDE} is sensible"))
                );
            }
        }
        Ok((Arrangement::SmartPatches(patches), numbers))
    }

    pub(super) fn process(
        &self,
        image: &Pixels,
        numbers: &Normalization,
    ) -> Result<ProcessedImage, ImageError> {
        let token_side = self.patch_side * self.merged;
        let size = image.size();
        let resized = if self.is_resized {
            &image.resized(self.target(size, token_side)?, self.filter)?
        } else {
            image
        };
        let Size { width, height } = resized.size();
        if !width.is_multiple_of(token_side) || !height.is_multiple_of(token_side) {
            let problem = format!("without do_resize, sides must be multiples of {token_side}");
            return Err(ImageError::Unfit { size, problem });
        }
        let (rows, columns) = (height / self.patch_side, width / self.patch_side);
        let patch_values = 3 * self.frames * self.patch_side * self.patch_side;
        let mut values = Vec::with_capacity(rows * columns * patch_values);
        for (row, column) in merged_order(rows, columns, self.merged) {
            for channel in 0..3 {
                let start = values.len();
                for y in 0..self.patch_side {
                    let first = (row * self.patch_side + y) * width + column * self.patch_side;
                    let pixels = &resized.levels()[first * 3..][..self.patch_side * 3];
                    let levels = pixels.iter().skip(channel).step_by(3);
                    values.extend(levels.map(|level| numbers.number(channel, *level)));
                }
                let frame = start..values.len();
                for _ in 1..self.frames {
                    values.extend_from_within(frame.clone());
                }
            }
        }
        let layout = Layout::Patches { rows, columns, merged: self.merged };
        Ok(ProcessedImage { values, shape: vec![rows * columns, patch_values], layout })
    }

    /// Sides that are multiples of a token's, the image's pixels or as many as there may be, and about its shape: `smart_resize`.
    fn target(&self, image: Size, token_side: usize) -> Result<Size, ImageError> {
        let factor = token_side as f64;
        let frames = if self.variant == Variant::Glm { self.frames as f64 } else { 1.0 };
        let [mut height, mut width] = [image.height as f64, image.width as f64];
        if self.variant == Variant::Glm && (height < factor || width < factor) {
            let scale = (factor / height).max(factor / width);
            [height, width] = [(height * scale).trunc(), (width * scale).trunc()];
        }
        // A side that was made longer than all images may be counts, too.
        if height.max(width) / height.min(width) > MOST_RATIO as f64 {
            return Err(ImageError::UnlikeSides { size: image, most_ratio: MOST_RATIO });
        }
        // Python rounds halves to the even number.
        let mut sides = [height, width].map(|side| (side / factor).round_ties_even() * factor);
        let pixels = frames * sides[0] * sides[1];
        if pixels > self.most_pixels as f64 {
            let shrinking = (frames * height * width / self.most_pixels as f64).sqrt();
            let shrunk = |side: f64| ((side / shrinking / factor).floor() * factor).max(factor);
            sides = [height, width].map(shrunk);
        } else if pixels < self.least_pixels as f64 {
            let growth = (self.least_pixels as f64 / (frames * height * width)).sqrt();
            sides = [height, width].map(|side| (side * growth / factor).ceil() * factor);
        }
        let [height, width] = sides.map(|side| side as usize);
        Ok(Size { width, height })
    }
}

/// Rows and columns of patches: the `merged²` that become one token follow one another.
fn merged_order(
    rows: usize,
    columns: usize,
    merged: usize,
) -> impl Iterator<Item = (usize, usize)> {
    let blocks = (0..rows)
        .step_by(merged)
        .flat_map(move |row| (0..columns).step_by(merged).map(move |column| (row, column)));
    blocks.flat_map(move |(row, column)| {
        (0..merged * merged).map(move |at| (row + at / merged, column + at % merged))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_of_a_token_follow_one_another() {
        let order: Vec<_> = merged_order(2, 4, 2).collect();
        assert_eq!(order, [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (0, 3), (1, 2), (1, 3)]);
        assert_eq!(merged_order(2, 2, 1).collect::<Vec<_>>(), [(0, 0), (0, 1), (1, 0), (1, 1)]);
    }
}
