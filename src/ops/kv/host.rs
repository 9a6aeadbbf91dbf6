//! Keys and values in host memory, laid out for the matrix kernel.
//!
//! Per block and head, keys are stored transposed, `[key size][block tokens]`, so that the products
//! of a query with many keys lie side by side; values are `[block tokens][value size]`, with the
//! value size rounded up to whole vectors. Blocks are allocated one by one: growing moves nothing.

use candle_core::{Result, Tensor};
use rayon::prelude::*;

use super::KvShape;
use crate::ops::aligned::Aligned;
use crate::ops::host;

/// Values are padded to a multiple of this many numbers.
pub(super) const VALUE_MULTIPLE: usize = 16;
/// Fewer rows than this are written by one thread.
const ROWS_PER_THREAD: usize = 64;

/// The blocks of one layer.
#[derive(Debug)]
pub(in crate::ops) struct HostBlocks {
    shape: KvShape,
    block_tokens: usize,
    blocks: Vec<Aligned<f32>>,
}

impl HostBlocks {
    /// No blocks yet.
    pub(super) fn new(shape: KvShape, block_tokens: usize) -> Self {
        Self { shape, block_tokens, blocks: Vec::new() }
    }

    /// Numbers between the values of two tokens of a head.
    pub(in crate::ops) fn value_stride(&self) -> usize {
        self.shape.value_size.next_multiple_of(VALUE_MULTIPLE)
    }

    /// Makes room for `blocks` blocks.
    pub(super) fn grow(&mut self, blocks: usize) {
        let numbers = self.shape.bytes_per_block(self.block_tokens, 1);
        while self.blocks.len() < blocks {
            self.blocks.push(Aligned::zeros(numbers));
        }
    }

    /// How many blocks there are.
    pub(in crate::ops) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// The keys of a head in a block, `[key size][block tokens]`.
    pub(in crate::ops) fn keys(&self, block: usize, head: usize) -> &[f32] {
        let size = self.shape.key_size * self.block_tokens;
        &self.blocks[block][head * size..(head + 1) * size]
    }

    /// The values of a head in a block, `[block tokens][value stride]`.
    pub(in crate::ops) fn values(&self, block: usize, head: usize) -> &[f32] {
        let keys = self.shape.heads * self.shape.key_size * self.block_tokens;
        let size = self.value_stride() * self.block_tokens;
        &self.blocks[block][keys + head * size..keys + (head + 1) * size]
    }

    /// As [`super::KvLayer::write`].
    pub(super) fn write(
        &mut self,
        projected: &Tensor,
        first_column: usize,
        slots: &[u32],
    ) -> Result<()> {
        let width = projected.dim(1)?;
        let block_tokens = self.block_tokens;
        // Grouped by block, each block is written by one thread alone.
        let mut places: Vec<(usize, usize)> =
            slots.iter().enumerate().map(|(row, &slot)| (slot as usize, row)).collect();
        places.sort_unstable();
        if places.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            candle_core::bail!("two rows have the same slot")
        }
        if places.last().is_some_and(|&(slot, _)| slot / block_tokens >= self.blocks.len()) {
            candle_core::bail!("a slot lies outside the {} blocks", self.blocks.len())
        }
        let (shape, value_stride) = (self.shape, self.value_stride());
        let mut tasks = Vec::new();
        let mut blocks = self.blocks.iter_mut().enumerate();
        for places in places.chunk_by(|a, b| a.0 / block_tokens == b.0 / block_tokens) {
            let number = places[0].0 / block_tokens;
            let block = blocks.find(|(found, _)| *found == number);
            tasks.extend(block.map(|(_, block)| (block, places)));
        }
        host::read(projected, |numbers| {
            let write = |(block, places): (&mut Aligned<f32>, &[(usize, usize)])| {
                for &(slot, row) in places {
                    let row = &numbers[row * width..(row + 1) * width][first_column..];
                    write_token(block, row, slot % block_tokens, shape, block_tokens, value_stride);
                }
            };
            if slots.len() < ROWS_PER_THREAD {
                tasks.into_iter().for_each(write);
            } else {
                tasks.into_par_iter().for_each(write);
            }
        })
    }
}

/// Puts one token's keys and values, at the beginning of `row`, into `place` of a block.
fn write_token(
    block: &mut [f32],
    row: &[f32],
    place: usize,
    shape: KvShape,
    block_tokens: usize,
    value_stride: usize,
) {
    let KvShape { heads, key_size, value_size } = shape;
    let (keys, values) = row.split_at(heads * key_size);
    let (key_block, value_block) = block.split_at_mut(heads * key_size * block_tokens);
    for (kept, key) in key_block[place..].iter_mut().step_by(block_tokens).zip(keys) {
        *kept = *key;
    }
    let kept = value_block.chunks_exact_mut(value_stride).skip(place).step_by(block_tokens);
    for (kept, value) in kept.zip(values.chunks_exact(value_size).take(heads)) {
        kept[..value_size].copy_from_slice(value);
    }
}
