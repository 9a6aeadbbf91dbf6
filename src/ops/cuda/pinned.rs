//! Memory of the host that a GPU copies from and to by itself.
//!
//! A copy from or to any other memory makes the host wait until the device has come as far as the copy. Pieces are
//! used again once the device is done with them, which an event behind each copy tells.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use candle_core::cuda_backend::cudarc::driver::{CudaEvent, PinnedHostSlice, result};
use candle_core::cuda_backend::{DeviceId, WrapErr};
use candle_core::{CudaDevice, DType, Device, Result, Tensor};

use super::launch::{address, device};
use crate::pass_trace::{PassPhase, phase};

/// Words of the smallest piece.
const LEAST_WORDS: usize = 1 << 10;
/// Pieces of lists and results that a device has at most before one is waited for.
const MOST_PIECES: usize = 64;

/// A piece, and the event that ends its latest copy.
pub(super) struct Piece {
    words: PinnedHostSlice<u32>,
    copied: CudaEvent,
}

/// Pieces that nobody fills or reads, by the opened device.
static PIECES: LazyLock<Mutex<HashMap<DeviceId, Vec<Piece>>>> = LazyLock::new(Mutex::default);

impl Piece {
    /// A piece of `count` words at least that the device is done with; of `most` that are under way, the oldest is
    /// waited for.
    pub(super) fn take(device: &CudaDevice, count: usize, most: usize) -> Result<Self> {
        let stream = device.cuda_stream();
        let context = stream.context();
        context.bind_to_thread().w()?;
        let mut all = PIECES.lock().unwrap_or_else(PoisonError::into_inner);
        let pieces = all.entry(device.id()).or_default();
        let fits = |piece: &Piece| piece.words.len() >= count;
        let is_free = |piece: &Piece| fits(piece) && piece.copied.is_complete();
        let mut found = pieces.iter().position(is_free);
        if found.is_none() && pieces.iter().filter(|piece| fits(piece)).count() >= most {
            // The one that was given back first.
            found = pieces.iter().position(fits);
        }
        if let Some(place) = found {
            let piece = pieces.remove(place);
            piece.copied.synchronize().w()?;
            return Ok(piece);
        }
        let words = count.next_power_of_two().max(LEAST_WORDS);
        // SAFETY: nothing is read of it before it is written.
        let words = unsafe { context.alloc_pinned_with_flags(words, 0) }.w()?;
        let copied = context.new_event(None).w()?;
        Ok(Self { words, copied })
    }

    /// Its memory.
    pub(super) fn bytes(&mut self) -> Result<&mut [u8]> {
        let words = self.words.as_mut_slice().w()?;
        // SAFETY: four bytes of every word, borrowed as the words are.
        Ok(unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), words.len() * 4) })
    }

    /// Keeps it for others once the device has come to where its stream ends now.
    pub(super) fn give_back(self, device: &CudaDevice) -> Result<()> {
        self.copied.record(&device.cuda_stream()).w()?;
        self.keep(device);
        Ok(())
    }

    fn keep(self, device: &CudaDevice) {
        let mut all = PIECES.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(device.id()).or_default().push(self);
    }
}

/// Sends lists of words to the device in one copy that nobody waits for: a tensor for each.
///
/// Every list begins on 16 bytes and has a place even if it is empty.
pub(super) fn send(lists: &[&[u32]], device: &CudaDevice) -> Result<Vec<Tensor>> {
    phase(PassPhase::Upload, || begin_to_send(lists, device))
}

fn begin_to_send(lists: &[&[u32]], device: &CudaDevice) -> Result<Vec<Tensor>> {
    let mut firsts = Vec::with_capacity(lists.len());
    let mut end: usize = 0;
    for list in lists {
        firsts.push(end);
        end += list.len().max(1).next_multiple_of(4);
    }
    // SAFETY: the copy writes every word that is read.
    let sent = unsafe { Tensor::empty(end, DType::U32, &Device::Cuda(device.clone())) }?;
    let mut piece = Piece::take(device, end, MOST_PIECES)?;
    let words = piece.words.as_mut_slice().w()?;
    for (list, &first) in lists.iter().zip(&firsts) {
        words[first..first + list.len()].copy_from_slice(list);
    }
    let stream = device.cuda_stream();
    // SAFETY: the tensor has as many words; the piece stays as it is until the event has come.
    unsafe { result::memcpy_htod_async(address(&sent)?, &words[..end], stream.cu_stream()) }.w()?;
    piece.give_back(device)?;
    let part = |(list, &first): (&&[u32], &usize)| sent.narrow(0, first, list.len().max(1));
    lists.iter().zip(&firsts).map(part).collect()
}

/// Numbers on their way to the host.
pub(super) struct Arriving {
    piece: Piece,
    count: usize,
    device: CudaDevice,
}

impl Arriving {
    /// Begins to copy a contiguous tensor of f32 or u32, as words.
    pub(super) fn begin(tensor: &Tensor) -> Result<Self> {
        let device = device(tensor)?;
        let count = tensor.elem_count();
        let mut piece = Piece::take(&device, count, MOST_PIECES)?;
        let words = piece.words.as_mut_slice().w()?;
        let stream = device.cuda_stream();
        // SAFETY: the tensor has as many words; nobody reads the piece until the event has come.
        unsafe {
            result::memcpy_dtoh_async(&mut words[..count], address(tensor)?, stream.cu_stream())
        }
        .w()?;
        piece.copied.record(&stream).w()?;
        Ok(Self { piece, count, device })
    }

    /// Waits for the words.
    pub(super) fn read(self) -> Result<Vec<u32>> {
        let Self { piece, count, device } = self;
        phase(PassPhase::Read, || piece.copied.synchronize()).w()?;
        let words = piece.words.as_slice().w()?[..count].to_vec();
        piece.keep(&device);
        Ok(words)
    }
}
