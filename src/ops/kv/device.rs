//! Keys and values as plain tensors indexed by slot: any device.

use candle_core::{DType, Device, Result, Tensor};

use super::KvShape;

/// `(slots, heads, size)` tensors that grow by copying.
#[derive(Debug)]
pub(in crate::ops) struct DeviceSlots {
    shape: KvShape,
    keys: Tensor,
    values: Tensor,
}

impl DeviceSlots {
    /// No slots yet.
    pub(in crate::ops) fn new(shape: KvShape, device: &Device, dtype: DType) -> Result<Self> {
        let empty = |size: usize| Tensor::zeros((0, shape.heads, size), dtype, device);
        Ok(Self { shape, keys: empty(shape.key_size)?, values: empty(shape.value_size)? })
    }

    /// How many slots there are.
    pub(super) fn len(&self) -> usize {
        self.keys.dims().first().copied().unwrap_or_default()
    }

    /// Makes room for `slots` tokens.
    pub(super) fn grow(&mut self, slots: usize) -> Result<()> {
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
        Ok((self.keys.index_select(&slots, 0)?, self.values.index_select(&slots, 0)?))
    }
}
