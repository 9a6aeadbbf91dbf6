//! Bytes of files on their way into a GPU's memory.
//!
//! A few threads read pieces of them into memory that the device copies from by itself, and begin each copy at once, so
//! reading and copying overlap and nothing is held as a whole.

use candle_core::cuda_backend::WrapErr;
use candle_core::cuda_backend::cudarc::driver::result;
use candle_core::{Result, Tensor};
use rayon::prelude::*;

use super::launch::{address, device};
use super::pinned::Piece;
use crate::ops::linear::StoredBytes;

/// Bytes that a thread reads and sends at once.
const SENT_BYTES: usize = 4 << 20;
/// Threads that read at the same time.
const READERS: usize = 8;

/// Copies `bytes` into the contiguous `tensor`, from its byte `first` on; there is room for them.
pub(in crate::ops) fn send_bytes(
    bytes: &dyn StoredBytes,
    tensor: &Tensor,
    first: usize,
) -> Result<()> {
    let count = bytes.count();
    if first + count > tensor.elem_count() * tensor.dtype().size_in_bytes() {
        candle_core::bail!("{count} bytes have no room in {:?}", tensor.dims())
    }
    let (device, start) = (device(tensor)?, address(tensor)? + first as u64);
    let readers = READERS.min(count.div_ceil(SENT_BYTES));
    (0..readers).into_par_iter().try_for_each(|reader| {
        for begin in (reader * SENT_BYTES..count).step_by(readers * SENT_BYTES) {
            let length = SENT_BYTES.min(count - begin);
            // One piece is filled while another is copied.
            let mut piece = Piece::take(&device, SENT_BYTES / 4, 2 * READERS)?;
            let read = &mut piece.bytes()?[..length];
            bytes.read(begin, read)?;
            let stream = device.cuda_stream();
            // SAFETY: there is room for the bytes, and the piece stays as it is until the event has come.
            unsafe { result::memcpy_htod_async(start + begin as u64, read, stream.cu_stream()) }
                .w()?;
            piece.give_back(&device)?;
        }
        Ok(())
    })
}
