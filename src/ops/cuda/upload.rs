//! Numbers that the host makes, sent to the device once.
//!
//! Every layer asks for the same slots and the same work. What was sent to a device last is kept, with what it was
//! made of, and found again by comparing that. What never changes, such as addresses of weights, is kept for good.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use candle_core::cuda_backend::DeviceId;
use candle_core::{CudaDevice, Result, Tensor};

use super::pinned;

/// How many are kept of each device: a pass has a few lists, and layers of a few shapes, and the pass after it is
/// prepared meanwhile.
const KEPT: usize = 16;

/// What was sent last, made of values of type K, by the opened device: another one has a stream of its own, which
/// does not wait.
pub(super) struct Sent<K, V>(LazyLock<Mutex<ByDevice<K, V>>>);

type ByDevice<K, V> = HashMap<DeviceId, Vec<(K, V)>>;

impl<K, V: Clone> Sent<K, V> {
    pub(super) const fn new() -> Self {
        Self(LazyLock::new(Mutex::default))
    }

    /// What was sent to the GPU for `is_same`, or else what `send` makes of a new key.
    pub(super) fn find_or_send(
        &self,
        device: &CudaDevice,
        is_same: impl Fn(&K) -> bool,
        send: impl FnOnce() -> Result<(K, V)>,
    ) -> Result<V> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = all.entry(device.id()).or_default();
        // The newest is the likeliest.
        if let Some((_, value)) = kept.iter().rev().find(|(key, _)| is_same(key)) {
            return Ok(value.clone());
        }
        let (key, value) = send()?;
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push((key, value.clone()));
        Ok(value)
    }
}

static WORDS: Sent<Vec<u32>, Tensor> = Sent::new();

/// A list that several operations of a pass are given.
pub(super) fn shared_words(words: &[u32], device: &CudaDevice) -> Result<Tensor> {
    let send = || Ok((words.to_vec(), sent_words(words, device)?));
    WORDS.find_or_send(device, |key| key == words, send)
}

/// A list of one operation.
pub(super) fn sent_words(words: &[u32], device: &CudaDevice) -> Result<Tensor> {
    let mut sent = pinned::send(&[words], device)?;
    sent.pop().map_or_else(|| candle_core::bail!("nothing was sent"), Ok)
}

type Constants = HashMap<(DeviceId, Vec<u32>), Tensor>;
static CONSTANTS: LazyLock<Mutex<Constants>> = LazyLock::new(Mutex::default);

/// A list that belongs to a model and not to a pass.
pub(super) fn constant_words(words: &[u32], device: &CudaDevice) -> Result<Tensor> {
    let mut constants = CONSTANTS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (device.id(), words.to_vec());
    if let Some(sent) = constants.get(&key) {
        return Ok(sent.clone());
    }
    let sent = sent_words(words, device)?;
    constants.insert(key, sent.clone());
    Ok(sent)
}

/// As [`constant_words`], numbers.
pub(super) fn constant_numbers(numbers: &[f32], device: &CudaDevice) -> Result<Tensor> {
    let words: Vec<u32> = numbers.iter().map(|number| number.to_bits()).collect();
    constant_words(&words, device)
}
