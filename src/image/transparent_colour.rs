//! The one colour that a file without a channel of transparency calls transparent.
//!
//! Pillow's `convert("RGB")` drops channels of transparency, but remembers such a colour. So it comes as far as the processors of transformers, which show white
//! in its place if they convert images at all (`do_convert_rgb`): another image than the levels alone are.

use ::image::{DynamicImage, ImageFormat};

/// That colour, if the file names one and a pixel has it.
pub(super) fn transparent_colour(
    bytes: &[u8],
    format: ImageFormat,
    image: &DynamicImage,
) -> Option<[u8; 3]> {
    let is_one = match format {
        ImageFormat::Gif => true,
        // Depth and colour type: gray, three channels, or a palette.
        ImageFormat::Png => match bytes.get(24..26)? {
            [8, 0 | 2] => true,
            [_, 3] => opacities(bytes).is_some_and(is_one_of_all),
            _ => false,
        },
        _ => false,
    };
    if !is_one {
        return None;
    }
    match image {
        DynamicImage::ImageLumaA8(image) => {
            image.pixels().find(|pixel| pixel.0[1] == 0).map(|pixel| [pixel.0[0]; 3])
        }
        DynamicImage::ImageRgba8(image) => {
            image.pixels().find(|pixel| pixel.0[3] == 0).map(|pixel| {
                let [red, green, blue, _] = pixel.0;
                [red, green, blue]
            })
        }
        _ => None,
    }
}

/// Whether one colour of a palette is transparent and all others are opaque. Anything else is a channel of transparency to Pillow.
fn is_one_of_all(opacities: &[u8]) -> bool {
    let (transparent, others): (Vec<u8>, Vec<u8>) =
        opacities.iter().partition(|opacity| **opacity == 0);
    transparent.len() == 1 && others.iter().all(|opacity| *opacity == 255)
}

/// What a PNG's chunk `tRNS` holds.
fn opacities(png: &[u8]) -> Option<&[u8]> {
    let mut rest = png.get(8..)?;
    loop {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let (kind, after) = after.split_first_chunk::<4>()?;
        let (content, after) = after.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        match kind {
            b"tRNS" => return Some(content),
            b"IDAT" => return None,
            // Behind the content stands its checksum.
            _ => rest = after.get(4..)?,
        }
    }
}
