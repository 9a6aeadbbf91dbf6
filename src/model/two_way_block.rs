//! A layer of a tower: attention within spans, then a feed-forward network, each with a norm before it.
//!
//! Towers of all families are made of it; what differs is data ([`BlockSpec`], [`BlockNames`]). Sentence encoders have layers of their
//! own, and decoders attend to kept keys.

use std::ops::Range;

use candle_core::{Result, Tensor};

use super::error::ModelError;
use super::norm::Norm;
use super::projection::Projection;
use super::span_attention::span_attention;
use super::spec::NormSpec;
use super::two_way_attention::{Bias, Heads, attention};
use super::weights::ParameterSource;
use crate::ops::activation::Activation;
use crate::ops::linear::{Residual, gated_linear};
use crate::ops::rotary::{Angles, RotaryPairing, rotary};

/// What a layer computes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BlockSpec {
    /// Width of the stream.
    pub(super) hidden_size: usize,
    /// Heads of attention.
    pub(super) heads: usize,
    /// Width within the feed-forward network.
    pub(super) inner_size: usize,
    /// The norms before both branches.
    pub(super) norm: NormSpec,
    /// The non-linearity of the feed-forward network.
    pub(super) activation: Activation,
    /// `down(activation(gate x) · up x)` instead of `down(activation(up x))`.
    pub(super) is_gated: bool,
    /// Which maps have a bias.
    pub(super) biases: Biases,
    /// A norm of the queries and one of the keys, each over all heads together.
    pub(super) query_key_norm: Option<NormSpec>,
    /// What a branch gives is multiplied by a learned vector before it is added.
    pub(super) has_scales: bool,
    /// How queries and keys are rotated, where angles are given.
    pub(super) pairing: RotaryPairing,
}

impl BlockSpec {
    /// A layer of these widths and heads with one map up, biases everywhere and nothing else.
    pub(super) fn plain(
        [hidden_size, heads, inner_size]: [usize; 3],
        norm: NormSpec,
        activation: Activation,
    ) -> Self {
        Self {
            hidden_size,
            heads,
            inner_size,
            norm,
            activation,
            is_gated: false,
            biases: Biases::ALL,
            query_key_norm: None,
            has_scales: false,
            pairing: RotaryPairing::Halves,
        }
    }
}

/// Which maps have a bias.
#[expect(clippy::struct_excessive_bools, reason = "each is a map of its own")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Biases {
    /// Those of queries and values.
    pub(super) query_value: bool,
    /// That of keys.
    pub(super) key: bool,
    /// That of attention's output.
    pub(super) output: bool,
    /// Those of the feed-forward network.
    pub(super) inner: bool,
}

impl Biases {
    /// Every map has one.
    pub(super) const ALL: Self = Self { query_value: true, key: true, output: true, inner: true };
    /// None has.
    pub(super) const NONE: Self =
        Self { query_value: false, key: false, output: false, inner: false };
}

/// Where a layer's parameters are, after its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockNames {
    pub(super) before_attention: &'static str,
    /// Queries, keys and values: one map for all, or three.
    pub(super) query_key_value: QueryKeyValue,
    pub(super) query_norm: &'static str,
    pub(super) key_norm: &'static str,
    pub(super) output: &'static str,
    pub(super) attention_scale: &'static str,
    pub(super) before_inner: &'static str,
    pub(super) gate: &'static str,
    pub(super) up: &'static str,
    pub(super) down: &'static str,
    pub(super) inner_scale: &'static str,
}

/// The names of the maps to queries, keys and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueryKeyValue {
    /// One matrix, queries above keys above values.
    Fused(&'static str),
    /// Three.
    Separate([&'static str; 3]),
}

/// The names that CLIP has and many kept.
pub(super) const CLIP: BlockNames = BlockNames {
    before_attention: "layer_norm1",
    query_key_value: QueryKeyValue::Separate([
        "self_attn.q_proj",
        "self_attn.k_proj",
        "self_attn.v_proj",
    ]),
    query_norm: "self_attn.q_norm",
    key_norm: "self_attn.k_norm",
    output: "self_attn.out_proj",
    attention_scale: "",
    before_inner: "layer_norm2",
    gate: "",
    up: "mlp.fc1",
    down: "mlp.fc2",
    inner_scale: "",
};

/// A layer whose parameters are loaded.
#[derive(Clone, Debug)]
pub(super) struct TwoWayBlock {
    heads: Heads,
    activation: Activation,
    pairing: RotaryPairing,
    before_attention: Norm,
    query_key_value: Vec<Projection>,
    query_key_norms: Option<[Norm; 2]>,
    output: Projection,
    before_inner: Norm,
    gate: Option<Projection>,
    up: Projection,
    down: Projection,
    scales: Option<[Tensor; 2]>,
}

impl TwoWayBlock {
    /// Takes the parameters below `prefix`.
    pub(super) fn load(
        source: &dyn ParameterSource,
        prefix: &str,
        names: &BlockNames,
        spec: &BlockSpec,
    ) -> std::result::Result<Self, ModelError> {
        let (size, biases) = (spec.hidden_size, spec.biases);
        let place = |name: &str| format!("{prefix}.{name}");
        let norm = |name: &str, rule| Norm::load(source, &place(name), rule, size);
        let map = |name: &str, from, to, has_bias| {
            Projection::load(source, &place(name), from, to, has_bias)
        };
        let query_key_value = match names.query_key_value {
            QueryKeyValue::Fused(name) => vec![map(name, size, 3 * size, biases.query_value)?],
            // Norms are of queries and of keys by themselves, and a map has all biases or none.
            QueryKeyValue::Separate(names)
                if spec.query_key_norm.is_none() && biases.query_value == biases.key =>
            {
                let maps = names.map(|name| (place(name), size));
                vec![Projection::load_joined(source, &maps, size, biases.key)?]
            }
            QueryKeyValue::Separate([query, key, value]) => vec![
                map(query, size, size, biases.query_value)?,
                map(key, size, size, biases.key)?,
                map(value, size, size, biases.query_value)?,
            ],
        };
        let query_key_norms = match spec.query_key_norm {
            None => None,
            Some(rule) => Some([norm(names.query_norm, rule)?, norm(names.key_norm, rule)?]),
        };
        let scale = |name: &str| source.parameter(&place(name), &[size]);
        let scales = if spec.has_scales {
            Some([scale(names.attention_scale)?, scale(names.inner_scale)?])
        } else {
            None
        };
        let inner = |name: &str| map(name, size, spec.inner_size, biases.inner);
        Ok(Self {
            heads: Heads { count: spec.heads, size: size / spec.heads.max(1) },
            activation: spec.activation,
            pairing: spec.pairing,
            before_attention: norm(names.before_attention, spec.norm)?,
            query_key_value,
            query_key_norms,
            output: map(names.output, size, size, biases.output)?,
            before_inner: norm(names.before_inner, spec.norm)?,
            gate: if spec.is_gated { Some(inner(names.gate)?) } else { None },
            up: inner(names.up)?,
            down: map(names.down, spec.inner_size, size, biases.inner)?,
            scales,
        })
    }

    /// The stream after this layer, `(rows, hidden size)`. Each of `spans`, which cover the rows in order, sees itself alone; `bias`
    /// as [`attention`] takes it; `angles` turn queries and keys.
    pub(super) fn forward(
        &self,
        stream: &Tensor,
        spans: &[Range<usize>],
        angles: Option<&Angles<'_>>,
        bias: Bias<'_>,
    ) -> Result<Tensor> {
        let normed = self.before_attention.forward(stream)?;
        let projected = self.projected(&normed)?;
        let projected = match angles {
            // Queries and keys are heads side by side.
            Some(angles) => {
                let turned = (2 * self.heads.count, self.heads.size);
                rotary(projected, turned, angles, self.pairing)?
            }
            None => projected,
        };
        let attended = if !projected.device().is_metal() && has_no_bias(spans, bias)? {
            span_attention(&projected, spans, self.heads)?
        } else {
            attention(&projected, spans, self.heads, bias)?
        };
        let scales = self.scales.as_ref();
        let stream = add(stream, scales.map(|[attention, _]| attention), |residual| {
            self.output.forward(&attended, residual)
        })?;
        let normed = self.before_inner.forward(&stream)?;
        let inner = match &self.gate {
            None => self.up.activated(&normed, self.activation)?,
            Some(gate) => gated_linear(
                &normed,
                (&gate.weight, gate.bias.as_ref()),
                (&self.up.weight, self.up.bias.as_ref()),
                self.activation,
            )?,
        };
        add(&stream, scales.map(|[_, inner]| inner), |residual| self.down.forward(&inner, residual))
    }

    /// Queries, keys and values side by side.
    fn projected(&self, normed: &Tensor) -> Result<Tensor> {
        let mut parts = self
            .query_key_value
            .iter()
            .map(|map| map.forward(normed, None))
            .collect::<Result<Vec<_>>>()?;
        if let Some([query_norm, key_norm]) = &self.query_key_norms
            && let [queries, keys, _] = parts.as_mut_slice()
        {
            *queries = query_norm.forward(queries)?;
            *keys = key_norm.forward(keys)?;
        }
        if parts.len() == 1 { Ok(parts.remove(0)) } else { Tensor::cat(&parts, 1) }
    }
}

/// Adds a branch to the stream, times a learned vector if there is one.
fn add(
    stream: &Tensor,
    scale: Option<&Tensor>,
    branch: impl FnOnce(Option<Residual<'_>>) -> Result<Tensor>,
) -> Result<Tensor> {
    match scale {
        None => branch(Some(Residual::of(stream))),
        Some(scale) => stream + branch(None)?.broadcast_mul(scale)?,
    }
}

/// Whether nothing is added to the products of any span.
fn has_no_bias(spans: &[Range<usize>], bias: Bias<'_>) -> Result<bool> {
    for (place, span) in spans.iter().enumerate() {
        if bias(place, span.len())?.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}
