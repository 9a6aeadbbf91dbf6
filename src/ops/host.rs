//! Tensors in host memory as plain slices, and new ones written by several threads.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::{Deref, Range};

use candle_core::{CpuStorage, DType, Device, InplaceOp1, Layout, Result, Shape, Storage, Tensor};

use crate::pass_trace::{PassPhase, phase};

/// Calls `read` with the tensor's numbers in row-major order, as f32 in host memory.
///
/// A contiguous f32 tensor on the CPU is read in place; everything else is converted first.
pub fn read<R>(tensor: &Tensor, read: impl FnOnce(&[f32]) -> R) -> Result<R> {
    let tensor = tensor.to_dtype(DType::F32)?;
    let tensor = if tensor.device().is_cpu() {
        tensor
    } else {
        phase(PassPhase::Read, || tensor.to_device(&Device::Cpu))?
    };
    let tensor = tensor.contiguous()?;
    let (storage, layout) = tensor.storage_and_layout();
    Ok(read(slice(&storage, layout)?))
}

/// The numbers of a contiguous f32 tensor in host memory, from its storage and layout.
fn slice<'a>(storage: &'a Storage, layout: &Layout) -> Result<&'a [f32]> {
    let Storage::Cpu(storage) = storage else {
        candle_core::bail!("a tensor that should be in host memory is on a device")
    };
    match storage.as_slice()?.get(range(layout)?) {
        Some(numbers) => Ok(numbers),
        None => candle_core::bail!("a tensor is larger than its storage"),
    }
}

/// Where a contiguous tensor's numbers are in its storage.
pub(super) fn range(layout: &Layout) -> Result<Range<usize>> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(start..end),
        None => candle_core::bail!("a tensor that should be contiguous is not"),
    }
}

/// A contiguous f32 tensor in host memory, read as a slice for as long as this lives.
struct Numbers<S> {
    storage: S,
    range: Range<usize>,
}

/// The numbers of a tensor; an error if they are elsewhere, of another type or scattered.
pub(super) fn numbers(tensor: &Tensor) -> Result<impl Deref<Target = [f32]> + Sync> {
    let (storage, layout) = tensor.storage_and_layout();
    slice(&storage, layout)?;
    let range = range(layout)?;
    Ok(Numbers { storage, range })
}

/// As [`numbers`], for a tensor that may be absent.
pub(super) fn optional_numbers(
    tensor: Option<&Tensor>,
) -> Result<Option<impl Deref<Target = [f32]> + Sync>> {
    tensor.map(numbers).transpose()
}

impl<S: Deref<Target = Storage>> Deref for Numbers<S> {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        match &*self.storage {
            Storage::Cpu(storage) => storage
                .as_slice()
                .ok()
                .and_then(|numbers| numbers.get(self.range.clone()))
                .expect("checked when it was borrowed"),
            _ => unreachable!("checked when it was borrowed"),
        }
    }
}

/// A slice whose parts are written by several threads, each part by one.
pub(super) struct Parts<'a, T = f32> {
    start: *mut T,
    length: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: the only access is `part`, whose caller promises that no two parts overlap.
unsafe impl<T: Send> Sync for Parts<'_, T> {}

impl<'a, T> Parts<'a, T> {
    /// The parts of `slice`.
    pub(super) fn of(slice: &'a mut [T]) -> Self {
        Self { start: slice.as_mut_ptr(), length: slice.len(), slice: PhantomData }
    }

    /// What lies in `range`.
    ///
    /// # Safety
    /// No two parts that are alive at the same time overlap.
    ///
    /// # Panics
    /// If the range is outside.
    #[expect(clippy::mut_from_ref, reason = "the caller promises that parts do not overlap")]
    #[inline]
    pub(super) unsafe fn part(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.length, "a part is outside");
        // SAFETY: inside the slice, and unshared by the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }
}

/// Changes the numbers of a contiguous f32 tensor in host memory, in place.
pub(super) fn change(tensor: &Tensor, change: impl FnOnce(&mut [f32])) -> Result<()> {
    let change = Cell::new(Some(change));
    tensor.inplace_op1(&InPlace(change))
}

struct InPlace<F>(Cell<Option<F>>);

impl<F: FnOnce(&mut [f32])> InplaceOp1 for InPlace<F> {
    fn name(&self) -> &'static str {
        "change"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        let range = range(layout)?;
        let CpuStorage::F32(numbers) = storage else {
            candle_core::bail!("a tensor that should be f32 is not")
        };
        if let (Some(numbers), Some(change)) = (numbers.get_mut(range), self.0.take()) {
            change(numbers);
        }
        Ok(())
    }
}

/// A new f32 tensor in host memory that `write` fills.
///
/// # Safety
/// `write` writes every number and reads none before.
pub(super) unsafe fn filled(
    shape: impl Into<Shape>,
    write: impl FnOnce(&Parts<'_>),
) -> Result<Tensor> {
    let shape = shape.into();
    let length = shape.elem_count();
    let mut numbers: Vec<f32> = Vec::with_capacity(length);
    write(&Parts { start: numbers.as_mut_ptr(), length, slice: PhantomData });
    // SAFETY: the capacity is there, and the caller promises that every number was written.
    unsafe { numbers.set_len(length) };
    Tensor::from_vec(numbers, shape, &Device::Cpu)
}
