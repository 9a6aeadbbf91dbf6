//! How much work there was, and how much of it was done.

use serde::{Deserialize, Serialize};

/// What an engine has done so far. No answer depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineStatistics {
    /// Tokens of all requests, each counted in full.
    pub nominal_tokens: usize,
    /// Rows that went through the model.
    pub computed_tokens: usize,
    /// Distinct surprisals that were computed.
    pub scored_tokens: usize,
    /// Tokens that were chosen.
    pub generated_tokens: usize,
    /// Forward passes.
    pub batches: usize,
    /// The most memory that blocks of keys and values took at once, reservations included.
    pub peak_kv_bytes: usize,
    /// Blocks of keys and values that something still held when its call had ended. Always 0: nothing
    /// is forgotten.
    pub forgotten_blocks: usize,
}

impl EngineStatistics {
    /// How many tokens were asked for each one that was computed; above 1 where requests share
    /// prefixes.
    pub fn saving(&self) -> f64 {
        if self.computed_tokens == 0 {
            return 1.0;
        }
        (self.nominal_tokens + self.generated_tokens) as f64 / self.computed_tokens as f64
    }

    /// The sum of what two engines have done; of peaks the higher one.
    pub fn and(self, other: Self) -> Self {
        Self {
            nominal_tokens: self.nominal_tokens + other.nominal_tokens,
            computed_tokens: self.computed_tokens + other.computed_tokens,
            scored_tokens: self.scored_tokens + other.scored_tokens,
            generated_tokens: self.generated_tokens + other.generated_tokens,
            batches: self.batches + other.batches,
            peak_kv_bytes: self.peak_kv_bytes.max(other.peak_kv_bytes),
            forgotten_blocks: self.forgotten_blocks + other.forgotten_blocks,
        }
    }

    /// The difference to `earlier`; peaks are those since the engine began.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            nominal_tokens: self.nominal_tokens - earlier.nominal_tokens,
            computed_tokens: self.computed_tokens - earlier.computed_tokens,
            scored_tokens: self.scored_tokens - earlier.scored_tokens,
            generated_tokens: self.generated_tokens - earlier.generated_tokens,
            batches: self.batches - earlier.batches,
            peak_kv_bytes: self.peak_kv_bytes,
            forgotten_blocks: self.forgotten_blocks - earlier.forgotten_blocks,
        }
    }
}
