//! Keys and values of one sequence, kept while it is being continued.

use candle_nn::kv_cache::KvCache;

/// The keys and values every layer computed for a sequence's tokens so far.
#[derive(Clone, Debug)]
pub struct SequenceCache {
    layers: Vec<KvCache>,
    tokens: usize,
}

impl SequenceCache {
    /// An empty cache with room for `capacity_tokens`; it grows beyond that when it must.
    pub fn new(layers: usize, capacity_tokens: usize) -> Self {
        Self { layers: vec![KvCache::new(0, capacity_tokens.max(1)); layers], tokens: 0 }
    }

    /// How many tokens are in it.
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// The part of one layer.
    pub(super) fn layer(&mut self, index: usize) -> Option<&mut KvCache> {
        self.layers.get_mut(index)
    }

    /// Notes that every layer has taken up `tokens` more.
    pub(super) fn advance(&mut self, tokens: usize) {
        self.tokens += tokens;
    }
}
