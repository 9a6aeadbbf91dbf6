//! An image of its own size, or as large as one may be: Pixtral, Mistral 3.

use serde_json::Value;

use super::{
    Arrangement, PROCESSOR_CONFIG, Read,
    fields::Fields,
    normalization::{CLIP_MEAN, CLIP_STD, Normalization},
    size_field::{SizeField, square},
};
use crate::image::{Filter, ImageError, Layout, Pixels, ProcessedImage, Size};

/// The largest size, and what sides are multiples of.
#[derive(Clone, Debug)]
pub(super) struct NativeSize {
    most: Size,
    token_side: usize,
    filter: Filter,
    is_resized: bool,
}

/// Most pixels along a side of a token.
const MOST_TOKEN_SIDE: usize = 4096;

impl NativeSize {
    /// `PixtralImageProcessor`. Its own `patch_size` has no effect: the processor around it, whose fields stand in `processor_config.json`, says another.
    pub(super) fn read(fields: &mut Fields<'_>, processor_config: &Value) -> Read {
        let numbers = Normalization::read(fields, CLIP_MEAN, CLIP_STD)?;
        // Fills a batch up to one size, which nobody needs who takes images one by one.
        fields.pass_over(&["do_pad", "patch_size"]);
        fields.only("do_center_crop", false)?;
        fields.pass_over(&["crop_size"]);
        let most = match SizeField::read(fields, "size", SizeField::Longest(1024))? {
            SizeField::Longest(side) => square(side),
            SizeField::Exact(size) => size,
            _ => {
                let problem = "must have `longest_edge`, or `height` and `width`".to_owned();
                return Err(fields.wrong("size", problem));
            }
        };
        let empty = serde_json::json!({});
        let around = if processor_config.is_null() { &empty } else { processor_config };
        let mut around = Fields::new(PROCESSOR_CONFIG, "", around)?;
        let patch_side = around.count("patch_size")?.unwrap_or(16);
        let merged = around.count("spatial_merge_size")?.unwrap_or(1);
        let token_side = patch_side.saturating_mul(merged);
        if token_side > MOST_TOKEN_SIDE {
            let problem = format!(
                "makes tokens of {token_side} pixels; at most {MOST_TOKEN_SIDE} are sensible"
            );
            return Err(around.wrong("patch_size", problem));
        }
        let filter = fields.filter(Filter::Bicubic)?;
        let is_resized = fields.flag("do_resize", true)?;
        Ok((Arrangement::NativeSize(Self { most, token_side, filter, is_resized }), numbers))
    }

    pub(super) fn process(
        &self,
        image: &Pixels,
        numbers: &Normalization,
    ) -> Result<ProcessedImage, ImageError> {
        let picture = if self.is_resized {
            image.resized(self.target(image.size())?, self.filter)?
        } else {
            image.clone()
        };
        Ok(numbers.pictures(&[picture], Layout::Tiles { rows: 1, columns: 1 }))
    }

    /// The image's size, shrunk if it is too large, with sides rounded up to whole tokens.
    fn target(&self, image: Size) -> Result<Size, ImageError> {
        let [mut width, mut height] = [image.width as f64, image.height as f64];
        let ratio = (height / self.most.height as f64).max(width / self.most.width as f64);
        if ratio > 1.0 {
            [width, height] = [width, height].map(|side| (side / ratio).floor());
        }
        if width == 0.0 || height == 0.0 {
            let problem = format!("nothing of it would be left in {}; cut the image", self.most);
            return Err(ImageError::Unfit { size: image, problem });
        }
        let whole = |side: f64| (side as usize).next_multiple_of(self.token_side);
        Ok(Size { width: whole(width), height: whole(height) })
    }
}
