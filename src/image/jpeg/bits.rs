//! Bits of coded data, and the codes in them.

use super::{broken, cut_off};
use crate::image::ImageError;

/// Huffman codes of up to 16 bits: for the next 16 bits the length of the code that they begin with, and its value. A length of 0 is no code.
pub(super) struct Codes {
    entries: Vec<(u8, u8)>,
}

impl Codes {
    /// Codes by how many there are of each length, and their values from the shortest on. Nothing where there are too many.
    pub(super) fn new(counts: [u8; 16], values: &[u8]) -> Option<Self> {
        let mut entries = Vec::with_capacity(1 << 16);
        let mut values = values.iter();
        for (length, count) in (1..=16).zip(counts) {
            for value in values.by_ref().take(usize::from(count)) {
                let end = entries.len() + (1 << (16 - length));
                if end > 1 << 16 {
                    return None;
                }
                entries.resize(end, (length, *value));
            }
        }
        entries.resize(1 << 16, (0, 0));
        Some(Self { entries })
    }
}

/// Reads bits up to the next marker.
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    /// Bits that were taken from the bytes, the next one highest.
    held: u64,
    held_count: u32,
    /// Bits that were asked for behind the last byte, as zeros.
    lent_count: u32,
}

impl<'a> Bits<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, held: 0, held_count: 0, lent_count: 0 }
    }

    /// Holds 32 bits at least; behind the data they are zeros.
    fn fill(&mut self) {
        while self.held_count <= 56 {
            let byte = match self.bytes {
                [0xff, 0x00, rest @ ..] => {
                    self.bytes = rest;
                    0xff
                }
                [] | [0xff, ..] => {
                    self.lent_count += 8;
                    0
                }
                [byte, rest @ ..] => {
                    self.bytes = rest;
                    *byte
                }
            };
            self.held |= u64::from(byte) << (56 - self.held_count);
            self.held_count += 8;
        }
    }

    fn drop_bits(&mut self, count: u32) -> Result<(), ImageError> {
        self.held <<= count;
        self.held_count -= count;
        if self.held_count >= self.lent_count {
            return Ok(());
        }
        Err(if self.bytes.len() < 2 { cut_off() } else { broken("its data end early") })
    }

    /// A number of up to 16 bits.
    pub(super) fn number(&mut self, count: u32) -> Result<i32, ImageError> {
        if count == 0 {
            return Ok(0);
        }
        self.fill();
        let number = (self.held >> (64 - count)) as i32;
        self.drop_bits(count)?;
        Ok(number)
    }

    pub(super) fn bit(&mut self) -> Result<bool, ImageError> {
        Ok(self.number(1)? == 1)
    }

    /// A number whose first bit is its sign: 0 for one below 0.
    pub(super) fn signed(&mut self, count: u32) -> Result<i32, ImageError> {
        let number = self.number(count)?;
        let is_negative = count > 0 && number < 1 << (count - 1);
        Ok(if is_negative { number - (1 << count) + 1 } else { number })
    }

    /// The value of the next code.
    pub(super) fn value(&mut self, codes: &Codes) -> Result<u8, ImageError> {
        self.fill();
        let (length, value) = codes.entries[(self.held >> 48) as usize];
        if length == 0 {
            return Err(broken("a code in its data is in no table"));
        }
        self.drop_bits(u32::from(length))?;
        Ok(value)
    }

    /// Drops what is left of the byte, and passes over a restart marker.
    pub(super) fn restart(&mut self) -> Result<(), ImageError> {
        let unread_bits = self.held_count - self.lent_count;
        match self.bytes {
            [0xff, 0xd0..=0xd7, rest @ ..] if unread_bits < 8 => {
                *self = Self::new(rest);
                Ok(())
            }
            _ if self.bytes.len() < 2 => Err(cut_off()),
            _ => Err(broken("a restart is not where it should be")),
        }
    }
}
