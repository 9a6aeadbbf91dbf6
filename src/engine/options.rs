//! How much an engine computes and keeps at once.

use candle_core::Device;

use crate::{
    model::{Decoder, DeviceName, KvStore, free_memory_bytes},
    system,
};

/// The part of the free memory that keys and values may take: weights are loaded by then, and the
/// rest is left to activations and to others.
const KV_SHARE: f64 = 0.5;

/// The budget where nobody knows how much memory is free.
const UNKNOWN_MEMORY_KV_BYTES: usize = 1 << 30;

/// How much is computed and kept at once. No answer depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// Most rows of a forward pass; less when a device runs out of memory.
    pub batch_tokens: usize,
    /// Whether a GPU's memory and the model say how many rows that is, once the model is loaded.
    pub suits_device: bool,
    /// Most sequences that are generated side by side.
    pub live_sequences: usize,
    /// Most memory for keys and values; `None` for a share of what is free. A request that needs
    /// more has no answer.
    pub kv_bytes: Option<usize>,
    /// Tokens of a block of keys and values, a multiple of 16.
    pub block_tokens: usize,
    /// Generates on past end-of-sequence tokens. For measuring speed; changes generations.
    pub ignore_eos: bool,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            batch_tokens: 512,
            suits_device: false,
            live_sequences: 64,
            kv_bytes: None,
            block_tokens: KvStore::BLOCK_TOKENS,
            ignore_eos: false,
        }
    }
}

/// Rows of a pass on a GPU of which nothing is known yet.
const DEVICE_BATCH_TOKENS: usize = 8192;
/// Sequences that a GPU continues at once: it reads all weights for each step, however many there are.
const DEVICE_LIVE_SEQUENCES: usize = 256;

impl EngineOptions {
    /// The options that suit a device.
    pub fn on(device: DeviceName) -> Self {
        match device {
            DeviceName::Cpu => Self::default(),
            _ => Self {
                batch_tokens: DEVICE_BATCH_TOKENS,
                suits_device: true,
                live_sequences: DEVICE_LIVE_SEQUENCES,
                ..Self::default()
            },
        }
    }

    /// The same with these rows of a forward pass, if somebody names them.
    pub fn with_batch_tokens(self, named: Option<usize>) -> Self {
        named.map_or(self, |batch_tokens| Self { batch_tokens, suits_device: false, ..self })
    }

    /// The budget for keys and values when `available_bytes` of memory are free.
    pub(super) fn kv_budget_bytes(&self, available_bytes: Option<usize>) -> usize {
        let share = |available| (available as f64 * KV_SHARE) as usize;
        self.kv_bytes.unwrap_or_else(|| available_bytes.map_or(UNKNOWN_MEMORY_KV_BYTES, share))
    }
}

/// Memory that is free where the layers of a model are or, of the machine's own, can be freed, where anybody tells. On
/// several devices as much as lets none of them run short: each layer keeps as many keys and values.
pub(super) fn available_memory_bytes(decoder: &Decoder) -> Option<usize> {
    let by_device = decoder.layers_by_device();
    let layers: usize = by_device.iter().map(|(_, layers)| layers).sum();
    let for_all = |(device, own): (&Device, usize)| {
        let free = if device.is_cpu() {
            system::available_memory_bytes()
        } else {
            free_memory_bytes(device)
        };
        Some((free? as f64 * layers as f64 / own as f64) as usize)
    };
    let available: Option<Vec<usize>> = by_device.into_iter().map(for_all).collect();
    available?.into_iter().min()
}

/// Memory that is free on the device of the model's layers that has least of it, where its driver tells: a pass takes
/// its share on each, one after the other.
pub(super) fn least_free_bytes(decoder: &Decoder) -> Option<usize> {
    let by_device = decoder.layers_by_device();
    let free = by_device.into_iter().map(|(device, _)| free_memory_bytes(device));
    free.collect::<Option<Vec<usize>>>()?.into_iter().min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_is_what_is_asked_for_or_a_share_of_what_is_free() {
        let options = EngineOptions::default();
        assert_eq!(options.kv_budget_bytes(Some(1000)), 500);
        assert_eq!(options.kv_budget_bytes(None), UNKNOWN_MEMORY_KV_BYTES);
        let options = EngineOptions { kv_bytes: Some(7), ..options };
        assert_eq!(options.kv_budget_bytes(Some(1000)), 7);
    }
}
