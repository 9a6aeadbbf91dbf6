//! Which side of an image is up.
//!
//! Cameras store what the sensor saw and say in EXIF how to turn it. Pillow looks at XMP where EXIF says nothing, and so do we.

use ::image::metadata::Orientation;

/// How an image is to be turned that comes with this.
pub(super) fn orientation(exif: Option<&[u8]>, xmp: Option<&[u8]>) -> Orientation {
    let by_exif = exif.and_then(Orientation::from_exif_chunk);
    by_exif.or_else(|| in_xmp(xmp?)).unwrap_or(Orientation::NoTransforms)
}

/// The first `tiff:Orientation`, as an attribute or an element, of XMP.
fn in_xmp(xmp: &[u8]) -> Option<Orientation> {
    const NAME: &[u8] = b"tiff:Orientation";
    xmp.windows(NAME.len()).enumerate().filter(|(_, window)| *window == NAME).find_map(
        |(at, _)| {
            let rest = &xmp[at + NAME.len()..];
            let digit = rest.strip_prefix(b"=\"").or_else(|| rest.strip_prefix(b">"))?.first()?;
            digit.is_ascii_digit().then(|| Orientation::from_exif(digit - b'0'))
        },
    )?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xmp_says_it_as_an_attribute_or_an_element() {
        assert_eq!(in_xmp(b"<a tiff:Orientation=\"6\"/>"), Some(Orientation::Rotate90));
        assert_eq!(in_xmp(b"<tiff:Orientation>3</tiff:Orientation>"), Some(Orientation::Rotate180));
        assert_eq!(in_xmp(b"tiff:Orientation=\"9\""), None);
        assert_eq!(in_xmp(b"tiff:Orientation"), None);
    }
}
