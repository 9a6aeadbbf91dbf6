//! What can differ between decoders, as plain data.
//!
//! A family's file turns a `config.json` into a [`DecoderSpec`]; the one decoder computes whatever
//! a spec can say. A choice appears here only when the decoder computes it, so a spec never
//! describes something that would be approximated.

pub use crate::ops::activation::Activation;
pub use crate::ops::attention::SlopeRounding;
pub use crate::ops::experts::{GroupScore, RouteGroups, RouteRule, RouteScore};
pub use crate::ops::rotary::RotaryPairing;

/// A whole decoder-only language model.
#[derive(Clone, Debug, PartialEq)]
pub struct DecoderSpec {
    /// Width of the residual stream.
    pub hidden_size: usize,
    /// Rows of the embedding.
    pub vocabulary_size: usize,
    /// Longest sequence the model was made for.
    pub context_tokens: usize,
    /// Factor on the embedded tokens.
    pub embedding_scale: Option<f64>,
    /// A vector for every position, added to the embedded tokens.
    pub learned_positions: Option<LearnedPositions>,
    /// Norm on the embedded tokens.
    pub embedding_norm: Option<NormSpec>,
    /// The layers, first to last.
    pub layers: Vec<LayerSpec>,
    /// Norm before the head.
    pub final_norm: NormSpec,
    /// From the last hidden state to logits.
    pub head: HeadSpec,
}

impl DecoderSpec {
    /// The reach of a sequence of `tokens` tokens.
    pub fn reach(&self, tokens: usize) -> Reach {
        match self.native_context_tokens() {
            Some(border) if tokens > border => Reach::Stretched,
            _ => Reach::Native,
        }
    }

    /// The longest sequence of [`Reach::Native`], if longer ones are computed differently.
    pub fn native_context_tokens(&self) -> Option<usize> {
        let mut rotaries = self.layers.iter().filter_map(|layer| layer.attention.rotary.as_ref());
        rotaries.find_map(RotarySpec::native_context_tokens)
    }

    /// Puts `norm` in every place that has a norm, the last one included.
    pub fn set_norms(&mut self, norm: NormSpec) {
        self.final_norm = norm;
        for layer in &mut self.layers {
            let LayerNorms {
                before_attention,
                after_attention,
                before_feed_forward,
                after_feed_forward,
            } = &mut layer.norms;
            for place in
                [before_attention, after_attention, before_feed_forward, after_feed_forward]
            {
                *place = place.map(|_| norm);
            }
        }
    }
}

/// Learned positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LearnedPositions {
    /// How many positions there are.
    pub count: usize,
    /// Rows of the stored table before that of position 0.
    pub offset: usize,
}

/// One layer: attention and feed-forward around a residual stream.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerSpec {
    /// Tokens look at earlier tokens.
    pub attention: AttentionSpec,
    /// Each token by itself.
    pub feed_forward: FeedForwardSpec,
    /// Which norms there are, and where.
    pub norms: LayerNorms,
    /// Both branches read the layer's input and are added together, instead of one after the other.
    pub parallel: bool,
    /// Factor on a branch before it is added to the residual stream.
    pub residual_scale: Option<f64>,
    /// Norms after a branch normalise the whole residual stream with the branch added, as the
    /// first transformers did, instead of what is added.
    pub norms_after_sum: bool,
    /// A branch is added to what it reads, the normalised stream, instead of to the stream.
    pub adds_to_normed: bool,
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
    /// Rotary positions; `None` where a layer sees no positions.
    pub rotary: Option<RotarySpec>,
    /// Scores fall with distance; `None` where they do not.
    pub alibi: Option<AlibiSpec>,
    /// A token sees itself and the `window − 1` tokens before it; `None` for all.
    pub window_tokens: Option<usize>,
    /// `cap · tanh(score / cap)` on attention scores.
    pub score_soft_cap: Option<f64>,
    /// A stored logit per query head takes its share of the softmax and has no value.
    pub sinks: bool,
    /// Keys and values come from a compressed row; `None` where each has a map of its own.
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
    /// Width of the row that queries are expanded from; `None` where they have a map of their own.
    pub query_rank: Option<usize>,
    /// Width of the row that keys and values are expanded from.
    pub key_value_rank: usize,
    /// How many numbers of a query or key see no positions.
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

/// Over which numbers a query or key norm runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKeyNormSpan {
    /// Each head by itself, one weight for all heads.
    Head,
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
}

impl RotarySpec {
    /// The longest sequence of [`Reach::Native`], if longer ones are rotated by other angles.
    fn native_context_tokens(&self) -> Option<usize> {
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
    },
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
        short_factors: Vec<f64>,
        /// Factors of longer ones.
        long_factors: Vec<f64>,
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

/// The feed-forward network of a layer, or each of its experts.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedForwardSpec {
    /// Width between its projections.
    pub size: usize,
    /// `down(activation(gate x) · up x)` instead of `down(activation(up x))`.
    pub gated: bool,
    /// The non-linearity.
    pub activation: Activation,
    /// All its projections have a bias.
    pub bias: bool,
    /// Many such networks, of which each token is sent to a few; `None` for one.
    pub experts: Option<ExpertsSpec>,
}

/// A mixture of experts (Shazeer et al. 2017).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpertsSpec {
    /// How many there are.
    pub count: usize,
    /// Which of them a token is sent to.
    pub route: RouteRule,
    /// The router has a bias.
    pub router_bias: bool,
    /// A stored number per expert is added to its score, only for the choice.
    pub correction: bool,
    /// A network that every token goes through besides.
    pub shared: Option<SharedExpertSpec>,
}

/// The expert that every token goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedExpertSpec {
    /// Width between its projections.
    pub size: usize,
    /// Its output is weighted by the sigmoid of a map of the token to one number.
    pub weighted: bool,
    /// All its projections have a bias.
    pub bias: bool,
}

/// From the last hidden state to logits.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadSpec {
    /// The head's weight is the embedding.
    pub tied: bool,
    /// The head has a bias.
    pub bias: bool,
    /// Factor on the logits.
    pub scale: Option<f64>,
    /// `cap · tanh(logit / cap)`.
    pub soft_cap: Option<f64>,
}
