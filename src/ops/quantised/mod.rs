//! Matrices whose numbers are quantised in blocks, as GGUF files store them.
//!
//! A number is `(quant − offset) · step − floor`: a few bits, and a step and floor that it shares with
//! its neighbours in a block of 32 or 256 inputs of one output. Blocks stay as small as they are in
//! the file. For a product they are widened exactly to f32, a chunk at a time, and go through the
//! kernel of all other weights. Quantising the inputs to 8 bits instead, as candle's and llama.cpp's
//! products do, is a second approximation on top of the file's; candle's product also takes another
//! way for one row than for many. Here a score is that of the stored numbers, the same bits however
//! requests are packed. With hundreds of rows a pass, widening costs little: it happens once for
//! all rows of a block, and blocks of rows are larger for it. A row alone is multiplied while its panel
//! is widened, in the kernel's order of sums.
//!
//! In host memory 32 outputs stand side by side, as in the panels of other weights, so that packing
//! and widening read and write whole vectors. See `unit` for the layout.

mod block;
mod format;
mod matrix;
mod scale;
mod unit;
mod widening;

pub(super) use format::Format;
pub(super) use matrix::Quantised;

use block::Blocks;

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
