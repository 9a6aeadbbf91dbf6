//! Norms: what each computes, and where a layer has them.

/// Normalisation over the last dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NormSpec {
    /// Nothing is normalised.
    Identity,
    /// x / √(mean(x²) + ε) · (weight + offset)  (Zhang & Sennrich 2019).
    Rms {
        /// ε, inside the root.
        epsilon: f64,
        /// Added to the stored weight: 1 for the Gemma family, 0 elsewhere.
        weight_offset: f64,
    },
    /// (x − mean) / √(variance + ε) · (weight + offset) + bias  (Ba et al. 2016).
    Layer {
        /// ε, inside the root.
        epsilon: f64,
        /// Whether a weight is stored; without it the weight is one.
        weight: bool,
        /// Added to the stored weight: 1 for Nemotron, 0 elsewhere.
        weight_offset: f64,
        /// Whether a bias is stored.
        bias: bool,
    },
}

impl NormSpec {
    /// RMS norm with a weight.
    pub fn rms(epsilon: f64) -> Self {
        Self::Rms { epsilon, weight_offset: 0.0 }
    }

    /// Layer norm with weight and bias.
    pub fn layer(epsilon: f64) -> Self {
        Self::Layer { epsilon, weight: true, weight_offset: 0.0, bias: true }
    }

    /// Layer norm with a weight and no bias.
    pub fn layer_without_bias(epsilon: f64) -> Self {
        Self::Layer { epsilon, weight: true, weight_offset: 0.0, bias: false }
    }
}

/// The norms of a layer; `None` where a family has none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LayerNorms {
    /// On what attention reads.
    pub before_attention: Option<NormSpec>,
    /// On what attention adds to the residual stream.
    pub after_attention: Option<NormSpec>,
    /// On what the feed-forward reads. A parallel layer without it reuses the norm before
    /// attention.
    pub before_feed_forward: Option<NormSpec>,
    /// On what the feed-forward adds to the residual stream.
    pub after_feed_forward: Option<NormSpec>,
}

impl LayerNorms {
    /// On what each branch reads.
    pub fn before(norm: NormSpec) -> Self {
        Self { before_attention: Some(norm), before_feed_forward: Some(norm), ..Self::default() }
    }

    /// On what each branch adds.
    pub fn after(norm: NormSpec) -> Self {
        Self { after_attention: Some(norm), after_feed_forward: Some(norm), ..Self::default() }
    }

    /// On what each branch reads and on what it adds.
    pub fn around(norm: NormSpec) -> Self {
        let Self { before_attention, before_feed_forward, .. } = Self::before(norm);
        Self { before_attention, before_feed_forward, ..Self::after(norm) }
    }
}
