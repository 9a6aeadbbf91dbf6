//! Matrices whose numbers are quantised in blocks, as GGUF files store them.
//!
//! A number is `(quant − offset) · step − floor`: a few bits, and a step and floor that it shares with
//! its neighbours in a block of 32 or 256 inputs of one output. Blocks stay as small as they are in
//! the file. For a product they are widened exactly to f32, a chunk at a time, and go through the
//! kernel of all other weights. Quantising the inputs to 8 bits instead, as candle's and llama.cpp's
//! products do, is a second approximation on top of the file's; candle's product also takes another
//! way for one row than for many. Here a score is that of the stored numbers, the same bits however
//! requests are packed. With hundreds of rows a pass, widening costs little: it happens once for
//! all rows of a block, and blocks of rows are larger for it. Up to four rows are multiplied while their
//! panel is widened in registers (`vectors`), in the kernel's order of sums.
//!
//! Where a user asks for it ([`Activations::Q8`]), inputs are rounded after all, as llama.cpp rounds them
//! (`rounded_rows`), and meet quants in products of whole numbers (`rounded_product`, `rounded_vectors`). A
//! row's products are then the same bits in any company, too.
//!
//! In host memory 32 outputs stand side by side, as in the panels of other weights, so that packing
//! and widening read and write whole vectors. See `unit` for the layout, `words` for that of quants.

mod block;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod dots;
mod format;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod kinds;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod lanes;
mod matrix;
mod rounded_product;
mod rounded_rows;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod rounded_vectors;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[path = "no_rounded_vectors.rs"]
mod rounded_vectors;
mod scale;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod sinks;
mod unit;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod vectors;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[path = "no_vectors.rs"]
mod vectors;
mod widening;
mod words;

pub(super) use format::Format;
pub(super) use matrix::Quantised;
pub(super) use rounded_rows::{RoundedRows, Rounding};

use std::str::FromStr;

use block::Blocks;

/// What becomes of the inputs of products with quantised weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activations {
    /// They stay what they are.
    #[default]
    Exact,
    /// They are rounded to 8 bits, as llama.cpp rounds them.
    Q8,
}

impl Activations {
    /// What is said of them beside the type computed in; `None` where they are exact.
    pub fn named(self) -> Option<&'static str> {
        match self {
            Self::Exact => None,
            Self::Q8 => Some("activations in q8"),
        }
    }
}

impl std::fmt::Display for Activations {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Exact => "exact",
            Self::Q8 => "q8",
        })
    }
}

impl FromStr for Activations {
    type Err = UnknownActivations;

    fn from_str(name: &str) -> Result<Self, UnknownActivations> {
        match name {
            "exact" => Ok(Self::Exact),
            "q8" => Ok(Self::Q8),
            _ => Err(UnknownActivations(name.to_owned())),
        }
    }
}

/// The error that nothing of this name becomes of activations.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("activations can be exact or q8, not {0:?}")]
pub struct UnknownActivations(String);

/// Widens the blocks of `format` in `bytes`, number by number.
pub(super) fn widen(format: Format, bytes: &[u8]) -> Vec<f32> {
    let mut numbers = Vec::with_capacity(bytes.len() / format.block_bytes * format.depth);
    let mut block = Blocks::new();
    for bytes in bytes.chunks_exact(format.block_bytes) {
        block.read(format, bytes.as_chunks::<1>().0);
        numbers.extend((0..format.depth).map(|place| block.number(format, 0, place)));
    }
    numbers
}
