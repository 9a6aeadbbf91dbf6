//! The coded data of a block.

use super::{
    bits::{Bits, Codes},
    broken,
    header::ZIGZAG,
};
use crate::image::ImageError;

/// Which coefficients a scan of a progressive file is of, and which of their bits.
#[derive(Clone, Copy)]
pub(super) struct Progress {
    pub(super) first: usize,
    pub(super) last: usize,
    /// The lowest bit that is known; 0 in a first scan.
    pub(super) high: u32,
    /// The lowest bit that is known afterwards.
    pub(super) low: u32,
}

impl Progress {
    pub(super) fn is_allowed(self, components: usize) -> bool {
        let is_range = if self.first == 0 {
            self.last == 0
        } else {
            self.last >= self.first && self.last < 64 && components == 1
        };
        is_range && self.low <= 13 && (self.high == 0 || self.high == self.low + 1)
    }
}

/// How the blocks of a component are coded, and what is kept from one to the next.
pub(super) struct Coding<'a> {
    pub(super) dc: Option<&'a Codes>,
    pub(super) ac: Option<&'a Codes>,
    /// Nothing in a sequential file.
    pub(super) progress: Option<Progress>,
    pub(super) last_dc: i32,
    /// Blocks to come without new coefficients.
    pub(super) empty_blocks: i32,
}

impl Coding<'_> {
    pub(super) fn restart(&mut self) {
        (self.last_dc, self.empty_blocks) = (0, 0);
    }

    /// Reads what the scan has of a block.
    pub(super) fn block(
        &mut self,
        block: &mut [i16; 64],
        bits: &mut Bits<'_>,
    ) -> Result<(), ImageError> {
        let Some(progress) = self.progress else {
            block[0] = self.next_dc(bits)? as i16;
            return self.first_of(block, bits, Progress { first: 1, last: 63, high: 0, low: 0 });
        };
        match (progress.first, progress.high) {
            (0, 0) => block[0] = (self.next_dc(bits)? << progress.low) as i16,
            (0, _) => block[0] |= i16::from(bits.bit()?) << progress.low,
            (_, 0) => return self.first_of(block, bits, progress),
            _ => return self.finer(block, bits, progress),
        }
        Ok(())
    }

    /// The first coefficient, which is stored as what is added to that of the block before.
    fn next_dc(&mut self, bits: &mut Bits<'_>) -> Result<i32, ImageError> {
        let count = bits.value(self.dc.ok_or_else(no_codes)?)?;
        if count > 15 {
            return Err(broken("a coefficient has more bits than there are"));
        }
        self.last_dc = self.last_dc.wrapping_add(bits.signed(u32::from(count))?);
        Ok(self.last_dc)
    }

    /// Coefficients of which nothing is known yet.
    fn first_of(
        &mut self,
        block: &mut [i16; 64],
        bits: &mut Bits<'_>,
        progress: Progress,
    ) -> Result<(), ImageError> {
        if self.empty_blocks > 0 {
            self.empty_blocks -= 1;
            return Ok(());
        }
        let codes = self.ac.ok_or_else(no_codes)?;
        let mut at = progress.first;
        while at <= progress.last {
            let value = bits.value(codes)?;
            let (zeros, count) = (usize::from(value >> 4), u32::from(value & 15));
            if count == 0 {
                if zeros < 15 {
                    self.empty_blocks = (1 << zeros) - 1 + bits.number(zeros as u32)?;
                    break;
                }
                at += 16;
                continue;
            }
            at += zeros;
            let place = *ZIGZAG.get(at).ok_or_else(too_many)?;
            block[place] = (bits.signed(count)? << progress.low) as i16;
            at += 1;
        }
        Ok(())
    }

    /// One more bit of coefficients that are known, and coefficients that begin with this bit.
    fn finer(
        &mut self,
        block: &mut [i16; 64],
        bits: &mut Bits<'_>,
        progress: Progress,
    ) -> Result<(), ImageError> {
        let step = 1_i16 << progress.low;
        let mut at = progress.first;
        if self.empty_blocks == 0 {
            let codes = self.ac.ok_or_else(no_codes)?;
            while at <= progress.last {
                let value = bits.value(codes)?;
                let (mut zeros, count) = (value >> 4, value & 15);
                let mut new = 0;
                if count == 0 {
                    if zeros < 15 {
                        self.empty_blocks = (1 << zeros) + bits.number(u32::from(zeros))?;
                        break;
                    }
                } else {
                    new = if bits.bit()? { step } else { -step };
                }
                while at <= progress.last {
                    let coefficient = &mut block[ZIGZAG[at]];
                    if *coefficient != 0 {
                        refine(coefficient, step, bits)?;
                    } else if zeros == 0 {
                        break;
                    } else {
                        zeros -= 1;
                    }
                    at += 1;
                }
                if new != 0 {
                    let place = *ZIGZAG.get(at).ok_or_else(too_many)?;
                    block[place] = new;
                }
                at += 1;
            }
        }
        if self.empty_blocks > 0 {
            for place in ZIGZAG.get(at..=progress.last).unwrap_or(&[]) {
                if block[*place] != 0 {
                    refine(&mut block[*place], step, bits)?;
                }
            }
            self.empty_blocks -= 1;
        }
        Ok(())
    }
}

/// Adds a bit to a coefficient that is known.
fn refine(coefficient: &mut i16, step: i16, bits: &mut Bits<'_>) -> Result<(), ImageError> {
    if bits.bit()? && *coefficient & step == 0 {
        let step = if *coefficient > 0 { step } else { -step };
        *coefficient = coefficient.wrapping_add(step);
    }
    Ok(())
}

fn no_codes() -> ImageError {
    broken("a table of codes is missing")
}

fn too_many() -> ImageError {
    broken("a block has more than 64 coefficients")
}
