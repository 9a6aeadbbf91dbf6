//! Markers and what stands between them and the coded data.

use super::{bits::Codes, broken, cut_off};
use crate::image::ImageError;

/// Places of coefficients in the order in which they are stored.
pub(super) const ZIGZAG: [usize; 64] = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20,
    13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59,
    52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
];

const EXIF: &[u8] = b"Exif\0\0";
const XMP: &[u8] = b"http://ns.adobe.com/xap/1.0/\0";

/// What a marker stands before.
pub(super) enum Segment<'a> {
    /// Size and components.
    Frame { marker: u8, content: &'a [u8] },
    /// Which components follow, and how; the coded data stand behind it.
    Scan(&'a [u8]),
    /// Tables that were taken, or what says nothing of pixels.
    Other,
    /// The end of the image.
    End,
}

/// The file, and the tables that were read so far.
pub(super) struct Headers<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Divisors of coefficients, in their natural order.
    pub(super) divisors: [Option<[u16; 64]>; 4],
    pub(super) dc_codes: [Option<Codes>; 4],
    pub(super) ac_codes: [Option<Codes>; 4],
    /// Units between two restarts; 0 for none.
    pub(super) restart_interval: usize,
    pub(super) has_jfif: bool,
    /// Adobe's number of the colour transform.
    pub(super) adobe: Option<u8>,
    pub(super) exif: Option<&'a [u8]>,
    pub(super) xmp: Option<&'a [u8]>,
}

impl<'a> Headers<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let none = || [None, None, None, None];
        Self {
            bytes,
            // Behind the start of the image.
            at: 2,
            divisors: [None; 4],
            dc_codes: none(),
            ac_codes: none(),
            restart_interval: 0,
            has_jfif: false,
            adobe: None,
            exif: None,
            xmp: None,
        }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    /// All that was not read.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at.min(self.bytes.len())..]
    }

    /// Goes to the next marker that is neither an escaped byte nor a restart.
    pub(super) fn skip_data(&mut self) {
        let mut pairs = self.rest().windows(2).enumerate();
        let marker = pairs
            .find(|(_, pair)| pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xff | 0xd0..=0xd7));
        self.at = marker.map_or(self.bytes.len(), |(offset, _)| self.at + offset);
    }

    /// Reads up to the next marker, and what it stands before.
    pub(super) fn next_segment(&mut self) -> Result<Segment<'a>, ImageError> {
        let marker = loop {
            match self.rest() {
                // Fill bytes may stand before a marker.
                [0xff, 0xff, ..] => self.at += 1,
                // Markers without content.
                [0xff, 0x01 | 0xd0..=0xd8, ..] => self.at += 2,
                [0xff, marker, ..] => break *marker,
                [] | [0xff] => return Err(cut_off()),
                // libjpeg passes over bytes that are no marker, with a warning.
                _ => self.skip_data(),
            }
        };
        if marker == 0xd9 {
            return Ok(Segment::End);
        }
        let rest = self.rest();
        let length = rest.get(2..4).ok_or_else(cut_off)?;
        let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
        if length < 2 {
            return Err(broken("the length of a segment is below 2"));
        }
        let content = rest.get(4..2 + length).ok_or_else(cut_off)?;
        self.at += 2 + length;
        match marker {
            0xc4 => self.take_codes(content)?,
            0xc0..=0xcf if marker != 0xc8 && marker != 0xcc => {
                return Ok(Segment::Frame { marker, content });
            }
            0xda => return Ok(Segment::Scan(content)),
            0xdb => self.take_divisors(content)?,
            0xdd => match content {
                [high, low] => {
                    self.restart_interval = usize::from(u16::from_be_bytes([*high, *low]));
                }
                _ => return Err(broken("the interval of restarts has another length")),
            },
            0xe0 if content.starts_with(b"JFIF\0") => self.has_jfif = true,
            0xe1 => {
                self.exif = self.exif.or_else(|| content.strip_prefix(EXIF));
                self.xmp = self.xmp.or_else(|| content.strip_prefix(XMP));
            }
            0xee if content.starts_with(b"Adobe") => self.adobe = content.get(11).copied(),
            _ => {}
        }
        Ok(Segment::Other)
    }

    fn take_divisors(&mut self, mut content: &[u8]) -> Result<(), ImageError> {
        let wrong = || broken("a table of divisors cannot be read");
        while let Some((kind, rest)) = content.split_first() {
            let bytes = 1 + usize::from(kind >> 4 != 0);
            let (numbers, rest) = rest.split_at_checked(64 * bytes).ok_or_else(wrong)?;
            let table = self.divisors.get_mut(usize::from(kind & 15)).ok_or_else(wrong)?;
            let mut divisors = [0; 64];
            for (place, number) in ZIGZAG.iter().zip(numbers.chunks_exact(bytes)) {
                divisors[*place] = number.iter().fold(0, |sum, byte| (sum << 8) | u16::from(*byte));
            }
            *table = Some(divisors);
            content = rest;
        }
        Ok(())
    }

    fn take_codes(&mut self, mut content: &[u8]) -> Result<(), ImageError> {
        let wrong = || broken("a table of codes cannot be read");
        while let Some((kind, rest)) = content.split_first() {
            let (counts, rest) = rest.split_first_chunk::<16>().ok_or_else(wrong)?;
            let total = counts.iter().map(|count| usize::from(*count)).sum();
            let (values, rest) = rest.split_at_checked(total).ok_or_else(wrong)?;
            let tables = match kind >> 4 {
                0 => &mut self.dc_codes,
                1 => &mut self.ac_codes,
                _ => return Err(wrong()),
            };
            let table = tables.get_mut(usize::from(kind & 15)).ok_or_else(wrong)?;
            *table = Some(Codes::new(*counts, values).ok_or_else(wrong)?);
            content = rest;
        }
        Ok(())
    }
}
