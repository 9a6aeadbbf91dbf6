//! Keys and values of every layer, kept in blocks while sequences need them.
//!
//! Blocks are numbered from 0 and mean the same tokens in every layer. Who owns which block is the
//! engine's affair; the store only has room for them.

use candle_core::{DType, Device, Result};

use super::spec::Reach;
use crate::ops::kv::{KvLayer, KvShape};

/// The key-value cache of a decoder: the keys and values of all its layers.
#[derive(Debug)]
pub struct KvStore {
    layers: Vec<KvLayer>,
    block_tokens: usize,
    blocks: usize,
    reach: Reach,
    /// Of each layer.
    devices: Vec<Device>,
    dtype: DType,
}

impl KvStore {
    /// Tokens of a block unless something else is asked for. Small blocks waste less where
    /// sequences part, larger ones keep tables short.
    pub const BLOCK_TOKENS: usize = 32;

    /// A store without blocks for layers of these shapes, each on its own of `devices`, and for sequences of one reach.
    /// `block_tokens` is a multiple of 16.
    pub fn new(
        shapes: &[KvShape],
        block_tokens: usize,
        reach: Reach,
        devices: &[Device],
        dtype: DType,
    ) -> Result<Self> {
        let layers = shapes
            .iter()
            .zip(devices)
            .map(|(&shape, device)| KvLayer::new(shape, block_tokens, device, dtype))
            .collect::<Result<_>>()?;
        Ok(Self { layers, block_tokens, blocks: 0, reach, devices: devices.to_vec(), dtype })
    }

    /// Tokens of a block.
    pub fn block_tokens(&self) -> usize {
        self.block_tokens
    }

    /// The reach of the sequences in it, which is the same for all.
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// How many blocks there is room for.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Bytes of one block in all layers together.
    pub fn bytes_per_block(&self) -> usize {
        let bytes = self.dtype.size_in_bytes();
        self.layers
            .iter()
            .map(|layer| layer.shape().bytes_per_block(self.block_tokens, bytes))
            .sum()
    }

    /// Makes room for the blocks `0..blocks`. It never shrinks, and what was stored stays.
    pub fn grow(&mut self, blocks: usize) -> Result<()> {
        for layer in &mut self.layers {
            layer.grow(blocks)?;
        }
        self.blocks = self.blocks.max(blocks);
        Ok(())
    }

    /// Frees all memory; afterwards it has no blocks.
    pub fn release(&mut self) -> Result<()> {
        let shapes: Vec<KvShape> = self.layers.iter().map(KvLayer::shape).collect();
        *self = Self::new(&shapes, self.block_tokens, self.reach, &self.devices, self.dtype)?;
        Ok(())
    }

    /// The part of one layer.
    pub(super) fn layer(&mut self, number: usize) -> Result<&mut KvLayer> {
        match self.layers.get_mut(number) {
            Some(layer) => Ok(layer),
            None => candle_core::bail!("the store was made for a decoder with fewer layers"),
        }
    }
}
