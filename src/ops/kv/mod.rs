//! Keys and values of tokens that were computed, in blocks of a fixed number of tokens.
//!
//! A block belongs to one stretch of one sequence. Sequences that share a beginning share its
//! blocks: where they part, each starts a block of its own, so nothing is ever copied. A token's
//! place is its *slot*: block × tokens per block + place in the block.
//!
//! In host memory a block is laid out for the processor's matrix kernel (`host.rs`); elsewhere a
//! layer is a pair of tensors indexed by slot (`device.rs`).

mod device;
mod host;

use candle_core::{DType, Device, Result, Tensor};

use super::rotary::{Angles, RotaryPairing, rotary};

pub(super) use device::DeviceSlots;
pub(super) use host::HostBlocks;

/// What one layer keeps of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KvShape {
    /// Key and value heads.
    pub heads: usize,
    /// Numbers of a key.
    pub key_size: usize,
    /// Numbers of a value.
    pub value_size: usize,
}

impl KvShape {
    /// Bytes of a block of `block_tokens` tokens, `bytes` each number.
    pub fn bytes_per_block(&self, block_tokens: usize, bytes: usize) -> usize {
        let value_size = self.value_size.next_multiple_of(host::VALUE_MULTIPLE);
        self.heads * (self.key_size + value_size) * block_tokens * bytes
    }
}

/// The keys and values one layer keeps.
#[derive(Debug)]
pub struct KvLayer {
    pub(super) shape: KvShape,
    pub(super) block_tokens: usize,
    pub(super) memory: Memory,
}

/// Where they are.
#[derive(Debug)]
pub(super) enum Memory {
    /// Blocks in host memory.
    Host(HostBlocks),
    /// Tensors on another device.
    Device(DeviceSlots),
}

impl KvLayer {
    /// An empty layer. Host memory keeps f32, whatever `dtype` is.
    pub fn new(shape: KvShape, block_tokens: usize, device: &Device, dtype: DType) -> Result<Self> {
        if block_tokens == 0 || !block_tokens.is_multiple_of(16) {
            candle_core::bail!("a block must hold a multiple of 16 tokens, not {block_tokens}")
        }
        let memory = if device.is_cpu() {
            Memory::Host(HostBlocks::new(shape, block_tokens))
        } else {
            Memory::Device(DeviceSlots::new(shape, device, dtype)?)
        };
        Ok(Self { shape, block_tokens, memory })
    }

    /// What it keeps of a token.
    pub fn shape(&self) -> KvShape {
        self.shape
    }

    /// How many blocks there is room for.
    pub fn blocks(&self) -> usize {
        match &self.memory {
            Memory::Host(host) => host.len(),
            Memory::Device(device) => device.len() / self.block_tokens,
        }
    }

    /// Makes room for `blocks` blocks; never shrinks.
    pub fn grow(&mut self, blocks: usize) -> Result<()> {
        match &mut self.memory {
            Memory::Host(host) => {
                host.grow(blocks);
                Ok(())
            }
            Memory::Device(device) => device.grow(blocks * self.block_tokens),
        }
    }

    /// Rotates queries and keys ([`rotary`]) and keeps keys and values, which on NVIDIA GPUs is one step: `projected`
    /// is `(rows, width)`, and a row begins with `heads` query heads, its keys and its values. The tensor itself may
    /// change; what is left where keys were means nothing.
    pub fn rotate_and_write(
        &mut self,
        projected: Tensor,
        heads: usize,
        (angles, pairing): (&Angles<'_>, RotaryPairing),
        slots: &[u32],
    ) -> Result<Tensor> {
        let KvShape { heads: key_heads, key_size, value_size } = self.shape;
        let width = heads * key_size + key_heads * (key_size + value_size);
        if projected.dims() != [slots.len(), width] {
            candle_core::bail!(
                "{:?} are not rows of {heads} queries and {:?}",
                projected.dims(),
                self.shape
            )
        }
        #[cfg(feature = "cuda")]
        if let Memory::Device(kept) = &self.memory
            && projected.device().is_cuda()
        {
            let rotation = (angles, pairing);
            let (shape, kept) = (self.shape, kept.tensors());
            return super::cuda::rotate_and_keep(&projected, heads, rotation, slots, shape, kept);
        }
        let projected = rotary(projected, (heads + key_heads, key_size), angles, pairing)?;
        self.write(&projected, heads * key_size, slots)?;
        Ok(projected)
    }

    /// Keeps the keys and values in `projected`, `(rows, width)`: each row's keys, head by head,
    /// from column `first_column` on, and its values after them, at the rows' `slots`.
    ///
    /// Slots must be distinct and inside the blocks there are.
    pub fn write(&mut self, projected: &Tensor, first_column: usize, slots: &[u32]) -> Result<()> {
        let (rows, width) = projected.dims2()?;
        let KvShape { heads, key_size, value_size } = self.shape;
        if rows != slots.len() || width < first_column + heads * (key_size + value_size) {
            candle_core::bail!("keys and values of {rows} rows do not fit {} slots", slots.len())
        }
        match &mut self.memory {
            Memory::Host(host) => host.write(projected, first_column, slots),
            Memory::Device(device) => device.write(projected, first_column, slots),
        }
    }
}
