//! An image in rows and columns, and then whole: Idefics3, `SmolVLM`.

use super::{
    Arrangement, Read,
    fields::Fields,
    normalization::{HALF, Normalization},
    size_field::{SizeField, square},
};
use crate::image::{Filter, ImageError, Layout, Pixels, ProcessedImage, Size};

/// How large an image is made, and its tiles.
#[derive(Clone, Debug)]
pub(super) struct Split {
    /// What an image is resized to first.
    first: Option<First>,
    tile_side: usize,
    filter: Filter,
    is_cut: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    Longest(usize),
    Exact(Size),
}

/// No side becomes longer at first.
const LONGEST: usize = 4096;

impl Split {
    /// `Idefics3ImageProcessor`, `SmolVLMImageProcessor`.
    pub(super) fn read(fields: &mut Fields<'_>) -> Read {
        let numbers = Normalization::read(fields, HALF, HALF)?;
        // The first fills a batch up to one size, which nobody needs who takes images one by one; the other is of videos.
        fields.pass_over(&["do_pad", "video_sampling"]);
        let size = SizeField::read(fields, "size", SizeField::Longest(4 * 364))?;
        let tile = SizeField::read(fields, "max_image_size", SizeField::Longest(364))?;
        let SizeField::Longest(tile_side) = tile else {
            return Err(fields.wrong("max_image_size", "must have `longest_edge`".to_owned()));
        };
        let first = match size {
            SizeField::Longest(side) => First::Longest(side),
            SizeField::Exact(size) => First::Exact(size),
            _ => {
                let problem = "must have `longest_edge`, or `height` and `width`".to_owned();
                return Err(fields.wrong("size", problem));
            }
        };
        let split = Self {
            first: fields.flag("do_resize", true)?.then_some(first),
            tile_side,
            filter: fields.filter(Filter::Lanczos)?,
            is_cut: fields.flag("do_image_splitting", true)?,
        };
        Ok((Arrangement::Split(split), numbers))
    }

    pub(super) fn process(
        &self,
        image: &Pixels,
        numbers: &Normalization,
    ) -> Result<ProcessedImage, ImageError> {
        let mut image = image.clone();
        if let Some(first) = self.first {
            let size = match first {
                First::Longest(side) => first_size(image.size(), side),
                First::Exact(size) => size,
            };
            image = image.resized(size, self.filter)?;
        }
        let tile = square(self.tile_side);
        if !self.is_cut {
            let picture = image.resized(tile, self.filter)?;
            return Ok(numbers.pictures(&[picture], Layout::Tiles { rows: 1, columns: 1 }));
        }
        let image = image.resized(self.whole_tiles(image.size()), self.filter)?;
        let Size { width, height } = image.size();
        let (rows, columns) = (height / self.tile_side, width / self.tile_side);
        let mut pictures: Vec<Pixels> = image.tiles(tile).collect();
        if pictures.len() > 1 {
            pictures.push(image.resized(tile, self.filter)?);
        }
        Ok(numbers.pictures(&pictures, Layout::Tiles { rows, columns }))
    }

    /// Sides rounded up to whole tiles; the shorter one is counted from what the longer one became.
    fn whole_tiles(&self, size: Size) -> Size {
        let ratio = size.width as f64 / size.height as f64;
        let whole = |side: usize| side.next_multiple_of(self.tile_side);
        if size.width >= size.height {
            let width = whole(size.width);
            Size { width, height: whole((width as f64 / ratio) as usize) }
        } else {
            let height = whole(size.height);
            Size { width: whole((height as f64 * ratio) as usize), height }
        }
    }
}

/// The size that an image is resized to first: the longer side is given, and the shorter one made even.
fn first_size(size: Size, longest: usize) -> Size {
    let mut first = with_longest(size, longest);
    let shorter = if size.width >= size.height { &mut first.height } else { &mut first.width };
    *shorter = shorter.next_multiple_of(2).max(1);
    if first.width.max(first.height) <= LONGEST {
        return first;
    }
    // The shape is taken anew, of sides that were rounded.
    let bounded = with_longest(first, LONGEST);
    Size { width: bounded.width.max(1), height: bounded.height.max(1) }
}

/// The size of the same shape with a longer side of `longest`; the shorter one may be 0.
fn with_longest(size: Size, longest: usize) -> Size {
    let ratio = size.width as f64 / size.height as f64;
    if size.width >= size.height {
        Size { width: longest, height: (longest as f64 / ratio) as usize }
    } else {
        Size { width: (longest as f64 * ratio) as usize, height: longest }
    }
}
