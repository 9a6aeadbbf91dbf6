//! Rotary positions, and how far they reach.

use super::RotaryPairing;

/// Rotary position embedding (Su et al. 2021).
#[derive(Clone, Debug, PartialEq)]
pub struct RotarySpec {
    /// How many of a head's numbers are rotated, from the front.
    pub rotated_size: usize,
    /// Base of the frequencies.
    pub theta: f64,
    /// Which numbers form a pair.
    pub pairing: RotaryPairing,
    /// How the frequencies were stretched for longer contexts.
    pub scaling: RotaryScaling,
    /// Which part of a token's [`Place`] turns each pair; empty where all parts are the same number, as in text.
    pub pair_axes: Vec<u8>,
}

/// Where a token stands: in time, in height and in width. In text the three are the same number; within an image each row of patches has a
/// height, each column a width (M-RoPE, Wang et al. 2024).
pub type Place = [u32; 3];

impl RotarySpec {
    /// The longest sequence of [`Reach::Native`], if longer ones are rotated by other angles.
    pub(super) fn native_context_tokens(&self) -> Option<usize> {
        match self.scaling {
            RotaryScaling::LongRope { original_context_tokens, .. } => {
                Some(original_context_tokens)
            }
            _ => None,
        }
    }
}

/// How rotary frequencies are stretched.
#[derive(Clone, Debug, PartialEq)]
pub enum RotaryScaling {
    /// Not at all.
    None,
    /// Every frequency divided by `factor`.
    Linear {
        /// How much longer the context became.
        factor: f64,
        /// The context before it was stretched.
        original_context_tokens: f64,
    },
    /// Not at all within the context. Of a longer sequence every frequency would depend on its length,
    /// which is not computed.
    Dynamic,
    /// Every frequency divided by a factor of its own, one for each rotated pair.
    Factors(Vec<f64>),
    /// Llama 3.1: low frequencies divided by `factor`, high ones kept, a ramp between.
    Llama3 {
        /// How much longer the context became.
        factor: f64,
        /// Wavelengths above `original_context_tokens / low_frequency_factor` are stretched fully.
        low_frequency_factor: f64,
        /// Wavelengths below `original_context_tokens / high_frequency_factor` are kept.
        high_frequency_factor: f64,
        /// The context before it was stretched.
        original_context_tokens: f64,
    },
    /// `LongRoPE` (Ding et al. 2024): every frequency divided by a factor of its own, one for
    /// sequences that fit into the context before it was stretched and one for longer ones.
    LongRope {
        /// Factors of sequences that fit.
        short_factors: std::sync::Arc<[f64]>,
        /// Factors of longer ones.
        long_factors: std::sync::Arc<[f64]>,
        /// The context before it was stretched.
        original_context_tokens: usize,
        /// Factor on all cosines and sines.
        amplitude: f64,
    },
    /// `YaRN` (Peng et al. 2023): pairs that turn rarely within the original context are stretched,
    /// those that turn often are kept, with a ramp between, and cosines and sines are scaled.
    Yarn {
        /// How much longer the context became.
        factor: f64,
        /// Pairs that turn at least this often are kept.
        fast_turns: f64,
        /// Pairs that turn at most this often are stretched fully.
        slow_turns: f64,
        /// The context before it was stretched.
        original_context_tokens: f64,
        /// The ramp begins and ends at whole pairs.
        whole_pairs: bool,
        /// Factor on cosines and sines.
        amplitude: f64,
    },
}

impl RotaryScaling {
    /// How long the context became, where that follows from how it was stretched.
    pub fn stretched_context_tokens(&self) -> Option<f64> {
        match self {
            Self::Linear { factor, original_context_tokens }
            | Self::Yarn { factor, original_context_tokens, .. } => {
                Some(factor * original_context_tokens)
            }
            _ => None,
        }
    }

    /// Factor on cosines and sines.
    pub fn amplitude(&self) -> f64 {
        match self {
            Self::LongRope { amplitude, .. } | Self::Yarn { amplitude, .. } => *amplitude,
            _ => 1.0,
        }
    }
}

/// How far a sequence goes.
///
/// Where a model rotates longer sequences by other angles, nothing that was computed for a shorter
/// sequence holds for a longer one, not even for their common beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Not beyond the context before it was stretched.
    #[default]
    Native,
    /// Beyond it.
    Stretched,
}
