//! Keys and values as plain tensors indexed by slot: any device.
//!
//! On NVIDIA GPUs heads are rounded up to 16 bytes, which is what a kernel reads at once.

use candle_core::{DType, Device, Result, Tensor};

use super::KvShape;

/// `(slots, heads, kept size)` tensors that grow by copying.
#[derive(Debug)]
pub(in crate::ops) struct DeviceSlots {
    shape: KvShape,
    keys: Tensor,
    values: Tensor,
}

impl DeviceSlots {
    /// One slot that belongs to no block yet: some devices have no tensors without numbers.
    pub(in crate::ops) fn new(shape: KvShape, device: &Device, dtype: DType) -> Result<Self> {
        let empty = |size: usize| {
            let size = kept_size(size, device, dtype);
            Tensor::zeros((1, shape.heads, size), dtype, device)
        };
        Ok(Self { shape, keys: empty(shape.key_size)?, values: empty(shape.value_size)? })
    }

    /// All keys and all values.
    #[cfg(feature = "cuda")]
    pub(in crate::ops) fn tensors(&self) -> (&Tensor, &Tensor) {
        (&self.keys, &self.values)
    }

    /// How many slots there are.
    pub(super) fn len(&self) -> usize {
        self.keys.dims().first().copied().unwrap_or_default()
    }

    /// Makes room for `slots` tokens, and for half as many again where memory allows: growing copies.
    pub(super) fn grow(&mut self, slots: usize) -> Result<()> {
        if slots <= self.len() {
            return Ok(());
        }
        self.grow_to(slots.max(self.len() + self.len() / 2)).or_else(|_| self.grow_to(slots))
    }

    fn grow_to(&mut self, slots: usize) -> Result<()> {
        for numbers in [&mut self.keys, &mut self.values] {
            let (present, heads, size) = numbers.dims3()?;
            if present < slots {
                let more = (slots - present, heads, size);
                let more = Tensor::zeros(more, numbers.dtype(), numbers.device())?;
                *numbers = Tensor::cat(&[&*numbers, &more], 0)?;
            }
        }
        Ok(())
    }

    /// As [`super::KvLayer::write`].
    pub(super) fn write(
        &mut self,
        projected: &Tensor,
        first_column: usize,
        slots: &[u32],
    ) -> Result<()> {
        #[cfg(feature = "cuda")]
        if self.keys.device().is_cuda() {
            let kept = (&self.keys, &self.values);
            return crate::ops::cuda::keep(projected, first_column, slots, self.shape, kept);
        }
        let KvShape { heads, key_size, value_size } = self.shape;
        let rows = slots.len();
        let (key_columns, value_columns) = (heads * key_size, heads * value_size);
        let slots = Tensor::new(slots, projected.device())?;
        for (numbers, first, columns, size) in [
            (&self.keys, first_column, key_columns, key_size),
            (&self.values, first_column + key_columns, value_columns, value_size),
        ] {
            let shape = (rows, heads, size);
            let source = projected.narrow(1, first, columns)?.contiguous()?.reshape(shape)?;
            let places = slots.reshape((rows, 1, 1))?.broadcast_as(shape)?.contiguous()?;
            numbers.scatter_set(&places, &source, 0)?;
        }
        Ok(())
    }

    /// The keys and values at `slots`, each `(slots, heads, size)`.
    pub(in crate::ops) fn gather(&self, slots: &[u32]) -> Result<(Tensor, Tensor)> {
        let slots = Tensor::new(slots, self.keys.device())?;
        let gathered =
            |numbers: &Tensor, size: usize| numbers.index_select(&slots, 0)?.narrow(2, 0, size);
        let KvShape { key_size, value_size, .. } = self.shape;
        Ok((gathered(&self.keys, key_size)?, gathered(&self.values, value_size)?))
    }
}

/// Numbers from one kept head of `size` to the next.
fn kept_size(size: usize, device: &Device, dtype: DType) -> usize {
    #[cfg(feature = "cuda")]
    if device.is_cuda() {
        return crate::ops::cuda::kept_size(size, dtype);
    }
    #[cfg(not(feature = "cuda"))]
    let _ = (device, dtype);
    size
}
