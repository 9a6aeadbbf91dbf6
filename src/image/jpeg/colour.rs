//! Components → red, green and blue, as libjpeg's `jdcolor.c` and Pillow compute them.

use super::{broken, frame::Frame, header::Headers};
use crate::image::{ImageError, Size};

/// What the components are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColourSpace {
    Gray,
    Rgb,
    /// Brightness, and how blue and red it is.
    YCbCr,
    /// Four inks, inverted, as Adobe's programs store them; Pillow takes them so of whatever program.
    Cmyk,
    /// Inks of which three are stored as `YCbCr`.
    Ycck,
}

impl ColourSpace {
    /// As libjpeg guesses it from the markers and the names of components.
    pub(super) fn of(headers: &Headers<'_>, frame: &Frame) -> Result<Self, ImageError> {
        let ids: Vec<u8> = frame.components.iter().map(|component| component.id).collect();
        Ok(match (ids.as_slice(), headers.has_jfif, headers.adobe) {
            ([_], ..) => Self::Gray,
            ([_, _, _], true, _) => Self::YCbCr,
            ([_, _, _], _, Some(0)) => Self::Rgb,
            ([_, _, _], _, Some(_)) => Self::YCbCr,
            ([b'R', b'G', b'B'], ..) => Self::Rgb,
            ([_, _, _], ..) => Self::YCbCr,
            ([_, _, _, _], _, Some(2)) => Self::Ycck,
            ([_, _, _, _], ..) => Self::Cmyk,
            _ => return Err(broken("it has a number of components that is not read")),
        })
    }

    /// Levels pixel by pixel.
    pub(super) fn rgb(self, planes: &[Vec<u8>], size: Size) -> Vec<u8> {
        let mut output = Vec::with_capacity(size.pixels() * 3);
        let pixel = |at: usize| {
            let level = |plane: usize| planes[plane][at];
            match self {
                Self::Gray => [level(0); 3],
                Self::Rgb => [level(0), level(1), level(2)],
                Self::YCbCr => converted(level(0), level(1), level(2)),
                Self::Cmyk => inked([0, 1, 2].map(level), level(3)),
                Self::Ycck => inked(
                    converted(level(0), level(1), level(2)).map(|level| 255 - level),
                    level(3),
                ),
            }
        };
        output.extend((0..size.pixels()).flat_map(pixel));
        output
    }
}

/// The factors have 16 bits behind the point.
fn converted(y: u8, blue: u8, red: u8) -> [u8; 3] {
    const HALF: i32 = 1 << 15;
    let [y, blue, red] = [i32::from(y), i32::from(blue) - 128, i32::from(red) - 128];
    let levels = [
        y + ((91_881 * red + HALF) >> 16),
        y + ((-22_554 * blue - 46_802 * red + HALF) >> 16),
        y + ((116_130 * blue + HALF) >> 16),
    ];
    levels.map(|level| level.clamp(0, 255) as u8)
}

/// What inks leave of white; all are stored inverted. As Pillow's `cmyk2rgb`.
fn inked(stored: [u8; 3], stored_black: u8) -> [u8; 3] {
    let left = u32::from(stored_black);
    stored.map(|level| {
        let product = (255 - u32::from(level)) * left + 128;
        (left - (((product >> 8) + product) >> 8)) as u8
    })
}
