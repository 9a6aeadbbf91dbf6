//! Attention: heads, their norms, what they see, and how scores fall with distance.

use super::{NormSpec, RotarySpec, SlopeRounding};

/// Causal attention with grouped heads.
#[derive(Clone, Debug, PartialEq)]
pub struct AttentionSpec {
    /// Query heads.
    pub heads: usize,
    /// Key and value heads; each serves `heads / key_value_heads` query heads.
    pub key_value_heads: usize,
    /// Width of a head.
    pub head_size: usize,
    /// Query, key and value projections have a bias.
    pub input_bias: bool,
    /// The output projection has a bias.
    pub output_bias: bool,
    /// Queries, keys and values are cut to ± this right after their projection.
    pub input_limit: Option<f64>,
    /// Factor on query · key, usually 1/√head size.
    pub scale: f64,
    /// Norm of queries and keys.
    pub query_key_norm: Option<QueryKeyNorm>,
    /// Queries grow with their position; `None` where they do not.
    pub query_growth: Option<QueryGrowth>,
    /// Rotary positions; `None` where a layer sees no positions.
    pub rotary: Option<RotarySpec>,
    /// Scores fall with distance; `None` where they do not.
    pub alibi: Option<AlibiSpec>,
    /// A token sees itself and the `window − 1` tokens before it; `None` for all.
    pub window_tokens: Option<usize>,
    /// `cap · tanh(score / cap)` on attention scores.
    pub score_soft_cap: Option<f64>,
    /// Attention sinks: a learned logit for each query head takes part in the softmax and adds no value.
    pub sinks: bool,
    /// Latent attention: keys and values are expanded from a compressed row; `None` where each has its own projection.
    pub latent: Option<LatentSpec>,
}

impl AttentionSpec {
    /// Width of a value.
    pub fn value_size(&self) -> usize {
        self.latent.map_or(self.head_size, |latent| latent.value_size)
    }
}

/// Multi-head latent attention (DeepSeek-AI 2024): what a token keeps is expanded from a short row.
///
/// A head is `head_size` numbers of queries and keys, of which the last `head_size −
/// unrotated_size` are rotated; the rotated part of a key is the same for all heads. Here keys and
/// values are kept expanded, as those of any other layer: that is exact and costs the memory of as
/// many key and value heads as there are query heads. The input bias belongs to the compressing
/// maps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatentSpec {
    /// Width of the row that queries are expanded from; `None` where they have their own projection.
    pub query_rank: Option<usize>,
    /// Width of the row that keys and values are expanded from.
    pub key_value_rank: usize,
    /// How many numbers of a query or key are not rotated.
    pub unrotated_size: usize,
    /// Width of a value.
    pub value_size: usize,
    /// Norm of the compressed rows.
    pub norm: NormSpec,
}

/// Norm of queries and keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueryKeyNorm {
    /// How it normalises.
    pub norm: NormSpec,
    /// Over which numbers it normalises.
    pub span: QueryKeyNormSpan,
    /// Whether it comes before or after the rotation.
    pub order: QueryKeyNormOrder,
}

impl QueryKeyNorm {
    /// On every head, before it is rotated.
    pub fn of_heads(norm: NormSpec) -> Self {
        Self { norm, span: QueryKeyNormSpan::Head, order: QueryKeyNormOrder::BeforeRotary }
    }

    /// On every head, each with a weight of its own, before it is rotated.
    pub fn of_each_head(norm: NormSpec) -> Self {
        Self { span: QueryKeyNormSpan::EachHead, ..Self::of_heads(norm) }
    }

    /// On all heads of a token together, before they are rotated.
    pub fn of_tokens(norm: NormSpec) -> Self {
        Self { span: QueryKeyNormSpan::Token, ..Self::of_heads(norm) }
    }
}

/// Over which numbers a query or key norm runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKeyNormSpan {
    /// Each head by itself, one weight for all heads.
    Head,
    /// Each head by itself, with a weight of its own.
    EachHead,
    /// All heads of a token together.
    Token,
}

/// Whether queries and keys are normalised before or after they are rotated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKeyNormOrder {
    /// Norm, then rotation.
    BeforeRotary,
    /// Rotation, then norm.
    AfterRotary,
}

/// Growth of queries with their position, which keeps attention sharp over long contexts (Llama 4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueryGrowth {
    /// How fast they grow.
    pub strength: f64,
    /// Queries at positions below this are unchanged.
    pub original_context_tokens: usize,
}

impl QueryGrowth {
    /// Whether it changes a query at one of `positions`.
    pub fn reaches(&self, positions: &[u32]) -> bool {
        positions.iter().any(|&position| position as usize >= self.original_context_tokens)
    }

    /// Factor on the query at `position`: 1 + strength · ln(1 + ⌊position / original context⌋).
    pub fn factor(&self, position: u32) -> f32 {
        let contexts = position as usize / self.original_context_tokens;
        1.0 + self.strength as f32 * ((1 + contexts) as f32).ln()
    }
}

/// Attention with linear biases (Press et al. 2021): every head has a slope, which is multiplied with
/// the key's distance and taken from its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlibiSpec {
    /// How the slopes follow from the number of heads.
    pub slopes: AlibiSlopes,
    /// What a slope adds to a score.
    pub rounding: SlopeRounding,
}

/// How the slopes of heads follow from their number, where it is no power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlibiSlopes {
    /// The slopes of the next lower power of two, then every second of the next higher.
    LowerPower,
    /// Every second slope of the next higher power of two, then those between.
    HigherPower,
}
