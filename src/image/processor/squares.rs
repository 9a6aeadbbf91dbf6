//! Small squares of pictures, over one frame or several: how large they are, how many there may be, and their numbers.
//!
//! Images and videos of Qwen-VL and GLM-4.1V have them in common. An image is the same in all frames of a square.

use super::{ProcessorError, fields::Fields, normalization::Normalization, size_field::SizeField};
use crate::image::{ImageError, Layout, MOST_PIXELS, Pixels, ProcessedImage, Size};

/// A side may be so many times the other.
const MOST_RATIO: usize = 200;

/// Most pixels along a side of a square, most squares along a side of a token, most frames of a square.
const MOST_SIDE: usize = 256;

/// How large squares are, and how many there may be.
#[derive(Clone, Debug)]
pub(super) struct Squares {
    least_pixels: usize,
    most_pixels: usize,
    /// Pixels along a side.
    side: usize,
    /// Frames of a square.
    pub(super) frames: usize,
    /// Squares along a side of what becomes one token.
    merged: usize,
    counted: Counted,
}

/// Which pixels are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    /// Those of one frame.
    OneFrame,
    /// Those of all frames; and a side below that of a token is first made as long.
    AllFrames,
}

/// What a class has where fields are left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct SquareDefaults {
    pub(super) least_pixels: usize,
    pub(super) most_pixels: usize,
    pub(super) side: usize,
    pub(super) counted: Counted,
}

impl Squares {
    pub(super) fn read(
        fields: &mut Fields<'_>,
        defaults: SquareDefaults,
    ) -> Result<Self, ProcessorError> {
        let default = SizeField::Between(defaults.least_pixels, defaults.most_pixels);
        let SizeField::Between(mut least, mut most) = SizeField::read(fields, "size", default)?
        else {
            let problem =
                "must have `shortest_edge` and `longest_edge`, which count pixels".to_owned();
            return Err(fields.wrong("size", problem));
        };
        if defaults.counted == Counted::OneFrame {
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
        let squares = Self {
            least_pixels: least,
            most_pixels: most,
            side: fields.count("patch_size")?.unwrap_or(defaults.side),
            frames: fields.count("temporal_patch_size")?.unwrap_or(2),
            merged: fields.count("merge_size")?.unwrap_or(2),
            counted: defaults.counted,
        };
        for (name, count) in [
            ("patch_size", squares.side),
            ("temporal_patch_size", squares.frames),
            ("merge_size", squares.merged),
        ] {
            if count > MOST_SIDE {
                let problem = format!("is {count}; at most {MOST_SIDE} is sensible");
                return Err(fields.wrong(name, problem));
            }
        }
        Ok(squares)
    }

    /// The squares of frames of one size, as many as a square has: a picture of their first, or an image where all are the same.
    ///
    /// # Errors
    /// The frames have no whole number of tokens.
    pub(super) fn cut(
        &self,
        frames: &[&Pixels],
        numbers: &Normalization,
    ) -> Result<ProcessedImage, ImageError> {
        let size = frames.first().map_or(Size { width: 0, height: 0 }, |frame| frame.size());
        let Size { width, height } = size;
        let token_side = self.side * self.merged;
        if !width.is_multiple_of(token_side) || !height.is_multiple_of(token_side) {
            let problem = format!("without do_resize, sides must be multiples of {token_side}");
            return Err(ImageError::Unfit { size, problem });
        }
        let (rows, columns) = (height / self.side, width / self.side);
        let square_values = 3 * frames.len() * self.side * self.side;
        let mut values = Vec::with_capacity(rows * columns * square_values);
        for (row, column) in merged_order(rows, columns, self.merged) {
            for channel in 0..3 {
                for frame in frames {
                    for y in 0..self.side {
                        let first = (row * self.side + y) * width + column * self.side;
                        let pixels = &frame.levels()[first * 3..][..self.side * 3];
                        let levels = pixels.iter().skip(channel).step_by(3);
                        values.extend(levels.map(|level| numbers.number(channel, *level)));
                    }
                }
            }
        }
        let layout = Layout::Patches { rows, columns, merged: self.merged };
        Ok(ProcessedImage { values, shape: vec![rows * columns, square_values], layout })
    }

    /// Sides that are multiples of a token's, a picture's pixels or as many as there may be, and about its shape: `smart_resize` of so
    /// many frames.
    ///
    /// # Errors
    /// Sides are too unlike.
    pub(super) fn target(&self, image: Size, frames: usize) -> Result<Size, ImageError> {
        let factor = (self.side * self.merged) as f64;
        // All frames, and as many as squares have without those that fill the last one.
        let (frames, whole) = match self.counted {
            Counted::OneFrame => (1.0, 1.0),
            Counted::AllFrames if frames < self.frames => {
                let problem =
                    format!("this model takes at least {}, and got {frames}", self.frames);
                return Err(ImageError::NoVideo { problem });
            }
            Counted::AllFrames => {
                let squares = frames as f64 / self.frames as f64;
                (frames as f64, squares.round_ties_even() * self.frames as f64)
            }
        };
        let [mut height, mut width] = [image.height as f64, image.width as f64];
        if self.counted == Counted::AllFrames && (height < factor || width < factor) {
            let scale = (factor / height).max(factor / width);
            [height, width] = [(height * scale).trunc(), (width * scale).trunc()];
        }
        // A side that was made longer than all images may be counts, too.
        if height.max(width) / height.min(width) > MOST_RATIO as f64 {
            return Err(ImageError::UnlikeSides { size: image, most_ratio: MOST_RATIO });
        }
        // Python rounds halves to the even number.
        let mut sides = [height, width].map(|side| (side / factor).round_ties_even() * factor);
        let pixels = whole * sides[0] * sides[1];
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

/// Rows and columns of squares: the `merged²` that become one token follow one another.
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
    fn squares_of_a_token_follow_one_another() {
        let order: Vec<_> = merged_order(2, 4, 2).collect();
        assert_eq!(order, [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (0, 3), (1, 2), (1, 3)]);
        assert_eq!(merged_order(2, 2, 1).collect::<Vec<_>>(), [(0, 0), (0, 1), (1, 0), (1, 1)]);
    }

    #[test]
    fn sizes_are_those_of_transformers() {
        for (counted, side, pixels, frames, from, to) in [
            (Counted::OneFrame, 14, (3136, 75_264), 4, (60, 84), (56, 84)),
            (Counted::OneFrame, 14, (100_352, 602_112), 9, (480, 640), (476, 644)),
            (Counted::OneFrame, 14, (3136, 75_264), 1, (20, 300), (28, 308)),
            (Counted::AllFrames, 14, (4704, 39_200), 4, (60, 84), (56, 84)),
            (Counted::AllFrames, 16, (4096, 98_304), 5, (480, 640), (96, 160)),
            (Counted::AllFrames, 16, (4096, 98_304), 3, (480, 640), (128, 192)),
            (Counted::AllFrames, 14, (4704, 39_200), 2, (20, 300), (28, 420)),
            (Counted::AllFrames, 14, (47_040, 392_000), 7, (60, 84), (84, 112)),
            (Counted::AllFrames, 14, (4704, 392_000), 7, (1080, 1920), (168, 308)),
            (Counted::AllFrames, 16, (131_072, 786_432), 3, (31, 33), (224, 224)),
        ] {
            let (least_pixels, most_pixels) = pixels;
            let squares =
                Squares { least_pixels, most_pixels, side, frames: 2, merged: 2, counted };
            let [from, to] = [from, to].map(|(height, width)| Size { width, height });
            assert_eq!(squares.target(from, frames), Ok(to), "{counted:?} {from} {frames}");
        }
    }
}
