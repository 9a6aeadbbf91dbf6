//! What can differ between decoders, as plain data.
//!
//! A family's file turns a `config.json` into a [`DecoderSpec`]; the one decoder computes whatever
//! a spec can say. A choice appears here only when the decoder computes it, so a spec never
//! describes something that would be approximated.

mod attention;
mod feed_forward;
mod norm;
mod rotary;

pub use attention::{
    AlibiSlopes, AlibiSpec, AttentionSpec, LatentSpec, QueryGrowth, QueryKeyNorm,
    QueryKeyNormOrder, QueryKeyNormSpan,
};
pub use feed_forward::{ExpertsSpec, FeedForwardSpec, SharedExpertSpec};
pub use norm::{LayerNorms, NormSpec};
pub use rotary::{Place, Reach, RotaryScaling, RotarySpec};

pub use crate::ops::activation::{Activation, Xielu};
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
    /// Longest sequence the model was made for, or stretched to.
    pub context_tokens: usize,
    /// Width of the embedding and of what the head reads, where it is not that of the residual stream:
    /// two maps lead from one to the other.
    pub embedding_size: Option<usize>,
    /// Factor on the embedded tokens.
    pub embedding_scale: Option<f64>,
    /// A vector for every position, added to the embedded tokens.
    pub learned_positions: Option<LearnedPositions>,
    /// Sines and cosines of every position, added to the embedded tokens.
    pub sinusoidal_positions: Option<SinusoidalPositions>,
    /// Norm on the embedded tokens.
    pub embedding_norm: Option<NormSpec>,
    /// The layers, first to last.
    pub layers: Vec<LayerSpec>,
    /// How many layers for multi-token prediction the checkpoint stores after these; they are not read.
    pub unread_layers: usize,
    /// Norm before the head.
    pub final_norm: NormSpec,
    /// From the last hidden state to logits.
    pub head: HeadSpec,
    /// A prompt is seen both ways, which is computed for prompts with an image alone; only what follows it can be scored.
    pub sees_prompt_both_ways: bool,
}

impl DecoderSpec {
    /// Whether a token's [`Place`] has three parts.
    pub fn has_places(&self) -> bool {
        let mut rotaries = self.layers.iter().filter_map(|layer| layer.attention.rotary.as_ref());
        rotaries.any(|rotary| !rotary.pair_axes.is_empty())
    }

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

    /// Why longer sequences than the context are not computed, where a config promises them.
    pub fn context_reason(&self) -> Option<&'static str> {
        let mut rotaries = self.layers.iter().filter_map(|layer| layer.attention.rotary.as_ref());
        rotaries.any(|rotary| rotary.scaling == RotaryScaling::Dynamic).then_some(
            "`rope_scaling` of type `dynamic` rotates longer sequences by angles that depend on their \
             length, which is not supported",
        )
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

/// Positions as sines and cosines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SinusoidalPositions {
    /// Added to a position before its vector is computed.
    pub offset: usize,
    /// The position, with the offset, whose vector is zero.
    pub blank: Option<usize>,
}

/// One layer: attention and feed-forward around a residual stream.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerSpec {
    /// Attention.
    pub attention: AttentionSpec,
    /// The feed-forward network.
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
    /// The output of a branch is added to its normalised input instead of to the residual stream.
    pub adds_to_normed: bool,
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
