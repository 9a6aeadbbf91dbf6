//! JPEG, decoded to the bit as libjpeg-turbo decodes it, which is Pillow's decoder.
//!
//! The format leaves two steps to the decoder: how the cosine transform is rounded, and how colours are enlarged that are stored at half size. The
//! decoders of Rust are up to 4 levels from libjpeg-turbo there, `zune-jpeg` and `jpeg-decoder` alike, and a vision tower sees the difference. So these steps
//! are written after its C: `jidctint.c`, `jdsample.c`, `jdcolor.c`. Sequential and progressive files with Huffman codes and 8 bits are read, which is all that
//! cameras and programs write. A file without its end is refused: libjpeg would fill it with gray.

mod bits;
mod block;
mod colour;
mod enlarge;
mod frame;
mod header;
mod scan;
mod transform;

use self::{
    bits::Bits,
    colour::ColourSpace,
    frame::Frame,
    header::{Headers, Segment},
};
use super::{ImageError, Size};

/// A file whose headers were read.
pub(super) struct Jpeg<'a> {
    headers: Headers<'a>,
    frame: Frame,
    /// Where the first scan begins.
    first_scan: usize,
}

/// Most scans of a file; programs write about ten.
const MOST_SCANS: usize = 128;

impl<'a> Jpeg<'a> {
    /// Reads everything up to the first scan.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, ImageError> {
        let mut headers = Headers::new(bytes);
        let mut frame = None;
        loop {
            let at = headers.at();
            match headers.next_segment()? {
                Segment::Frame { marker, content } => {
                    if frame.is_some() {
                        return Err(broken("it has two frames"));
                    }
                    frame = Some(Frame::parse(marker, content)?);
                }
                Segment::Scan(_) => {
                    let frame = frame.ok_or_else(|| broken("a scan stands before the frame"))?;
                    return Ok(Self { headers, frame, first_scan: at });
                }
                Segment::End => return Err(broken("it holds no scan")),
                Segment::Other => {}
            }
        }
    }

    pub(super) fn size(&self) -> Size {
        self.frame.size
    }

    /// What APP1 has of EXIF.
    pub(super) fn exif(&self) -> Option<&'a [u8]> {
        self.headers.exif
    }

    /// What APP1 has of XMP.
    pub(super) fn xmp(&self) -> Option<&'a [u8]> {
        self.headers.xmp
    }

    /// Red, green and blue, pixel by pixel.
    pub(super) fn decode(self) -> Result<Vec<u8>, ImageError> {
        let Self { mut headers, mut frame, first_scan } = self;
        headers.go_to(first_scan);
        frame.allocate();
        let mut scans = 0;
        loop {
            match headers.next_segment()? {
                Segment::Scan(content) => {
                    scans += 1;
                    if scans > MOST_SCANS {
                        return Err(broken(format!("it has more than {MOST_SCANS} scans")));
                    }
                    let mut bits = Bits::new(headers.rest());
                    scan::decode(content, &headers, &mut frame, &mut bits)?;
                    headers.skip_data();
                }
                Segment::End => break,
                Segment::Frame { .. } => return Err(broken("it has two frames")),
                Segment::Other => {}
            }
        }
        let space = ColourSpace::of(&headers, &frame)?;
        let size = frame.size;
        let planes = frame.planes()?;
        Ok(space.rgb(&planes, size))
    }
}

/// Bytes that the format does not allow.
fn broken(problem: impl Into<String>) -> ImageError {
    ImageError::Broken { format: "JPEG", problem: problem.into() }
}

/// The file ends before its end marker.
fn cut_off() -> ImageError {
    ImageError::CutOff { format: "JPEG" }
}
