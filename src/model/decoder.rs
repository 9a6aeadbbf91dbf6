//! The one decoder every family is computed by.
//!
//! It works on packed rows: a forward pass takes tokens of many sequences at once, and only rows
//! that are asked for get logits. What differs between families is data ([`DecoderSpec`]).

use candle_core::{DType, Device, Result, Tensor};

use super::error::ModelError;
use super::kv_store::KvStore;
use super::layer::Layer;
use super::names::TensorNames;
use super::norm::Norm;
use super::rope;
use super::rows::{Rows, Run, Segment};
use super::spec::{DecoderSpec, LayerSpec, RotarySpec};
use super::weights::ParameterSource;
use crate::ops::embedding::embedding;
use crate::ops::head::{self, Head};
use crate::ops::host;
use crate::ops::kv::KvShape;
use crate::ops::linear::Weight;

/// A decoder whose parameters are loaded.
#[derive(Clone, Debug)]
pub struct Decoder {
    spec: DecoderSpec,
    embedding: Weight,
    layers: Vec<Layer>,
    /// Which of `rotaries` each layer uses.
    layer_rotary: Vec<Option<usize>>,
    /// Frequencies and amplitude of every distinct rotary embedding.
    rotaries: Vec<(Vec<f32>, f32)>,
    final_norm: Norm,
    head_weight: Weight,
    head_bias: Option<Tensor>,
    device: Device,
    dtype: DType,
}

impl Decoder {
    /// Takes a decoder's parameters from `source`.
    pub(super) fn load(
        source: &dyn ParameterSource,
        spec: &DecoderSpec,
        names: &TensorNames,
    ) -> std::result::Result<Self, ModelError> {
        let table = (format!("{}.weight", names.embedding), spec.vocabulary_size);
        let embedding = source.weight(&[table], spec.hidden_size)?;
        let layers = spec
            .layers
            .iter()
            .enumerate()
            .map(|(number, layer)| {
                let prefix = format!("{}.{number}", names.layers);
                Layer::load(source, &prefix, &names.layer, layer, spec.hidden_size)
            })
            .collect::<std::result::Result<_, _>>()?;
        let final_norm = Norm::load(source, names.final_norm, spec.final_norm, spec.hidden_size)?;
        let head_weight = if spec.head.tied {
            embedding.clone()
        } else {
            let table = (format!("{}.weight", names.head), spec.vocabulary_size);
            source.weight(&[table], spec.hidden_size)?
        };
        let head_bias = if spec.head.bias {
            Some(source.parameter(&format!("{}.bias", names.head), &[spec.vocabulary_size])?)
        } else {
            None
        };

        let mut distinct: Vec<&RotarySpec> = Vec::new();
        let layer_rotary = spec
            .layers
            .iter()
            .map(|layer| {
                let rotary = layer.attention.rotary.as_ref()?;
                Some(distinct.iter().position(|known| *known == rotary).unwrap_or_else(|| {
                    distinct.push(rotary);
                    distinct.len() - 1
                }))
            })
            .collect();
        let rotaries = distinct
            .into_iter()
            .map(|spec| (rope::frequencies(spec), spec.scaling.amplitude() as f32))
            .collect();
        Ok(Self {
            spec: spec.clone(),
            embedding,
            layers,
            layer_rotary,
            rotaries,
            final_norm,
            head_weight,
            head_bias,
            device: source.device().clone(),
            dtype: source.dtype(),
        })
    }

    /// What this decoder computes.
    pub fn spec(&self) -> &DecoderSpec {
        &self.spec
    }

    /// Where its parameters are.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// An empty store for what its layers keep of every token.
    pub fn kv_store(&self, block_tokens: usize) -> Result<KvStore> {
        let shapes: Vec<KvShape> = self
            .spec
            .layers
            .iter()
            .map(|LayerSpec { attention, .. }| KvShape {
                heads: attention.key_value_heads,
                key_size: attention.head_size,
                value_size: attention.value_size(),
            })
            .collect();
        KvStore::new(&shapes, block_tokens, self.device(), self.dtype)
    }

    /// The residual stream after the last layer, `(rows, hidden size)`.
    ///
    /// `kept` takes up the rows' keys and values; every block the rows name must be there.
    pub fn hidden(&self, rows: &Rows<'_>, kept: &mut KvStore) -> Result<Tensor> {
        self.forward(rows, kept, |_, _| Ok(true))
    }

    /// The first layer whose output for `ids`, a whole sequence, has a number that is not finite.
    ///
    /// For finding the cause once a score turned out not to be finite.
    pub fn first_broken_layer(&self, ids: &[u32]) -> Result<Option<usize>> {
        let mut kept = self.kv_store(KvStore::BLOCK_TOKENS)?;
        let blocks = ids.len().div_ceil(kept.block_tokens());
        kept.grow(blocks)?;
        let positions: Vec<u32> = (0..ids.len() as u32).collect();
        let block_tokens = kept.block_tokens() as u32;
        let table = (0..blocks as u32)
            .map(|block| Run {
                block,
                tokens: block_tokens.min(ids.len() as u32 - block * block_tokens),
            })
            .collect();
        let segments = [Segment { rows: 0..ids.len(), table }];
        // Blocks are filled in order, so a token's slot is its position.
        let rows = Rows { ids, positions: &positions, slots: &positions, segments: &segments };
        let mut broken = None;
        self.forward(&rows, &mut kept, |number, stream| {
            let finite =
                host::read(stream, |numbers| numbers.iter().all(|number| number.is_finite()))?;
            if !finite {
                broken = Some(number);
            }
            Ok(broken.is_none())
        })?;
        Ok(broken)
    }

    /// Runs the layers for as long as `watch`, shown each layer's number and output, agrees.
    fn forward(
        &self,
        rows: &Rows<'_>,
        kept: &mut KvStore,
        mut watch: impl FnMut(usize, &Tensor) -> Result<bool>,
    ) -> Result<Tensor> {
        let (device, dtype) = (&self.device, self.dtype);
        let mut stream = embedding(rows.ids, &self.embedding, self.spec.embedding_scale)?;
        let angles = self
            .rotaries
            .iter()
            .map(|(frequencies, amplitude)| {
                rope::angles(frequencies, *amplitude, rows.positions, device, dtype)
            })
            .collect::<Result<Vec<_>>>()?;
        for (number, (layer, rotary)) in self.layers.iter().zip(&self.layer_rotary).enumerate() {
            let angles = rotary.and_then(|index| angles.get(index));
            stream = layer.forward(&stream, rows, angles, kept.layer(number)?)?;
            if !watch(number, &stream)? {
                break;
            }
        }
        Ok(stream)
    }

    /// Logits, f32, `(rows, vocabulary)`, of a few rows of the residual stream after the last layer.
    pub fn logits(&self, hidden: &Tensor) -> Result<Tensor> {
        self.head().logits(&self.final_norm.forward(hidden)?)
    }

    /// The most likely token after each row of the residual stream that the row's `banned` does not
    /// name; `None` where a logit is not a number.
    pub fn most_likely(&self, hidden: &Tensor, banned: &[&[u32]]) -> Result<Vec<Option<u32>>> {
        head::most_likely(&self.final_norm.forward(hidden)?, self.head(), banned)
    }

    /// −ln p(token), in nats, for every `(row, token)` of `targets`, ascending by row.
    ///
    /// Rows without a target get no logits, and the logits of a batch are never there all at once.
    pub fn surprisals(&self, hidden: &Tensor, targets: &[(usize, u32)]) -> Result<Vec<f32>> {
        // Only rows with a target are normalised.
        let mut rows: Vec<u32> = targets.iter().map(|&(row, _)| row as u32).collect();
        rows.dedup();
        let mut targets = targets.to_vec();
        let hidden = if rows.len() == hidden.dim(0)? {
            hidden.clone()
        } else {
            let mut place = 0;
            for (row, _) in &mut targets {
                place += usize::from(rows[place] as usize != *row);
                *row = place;
            }
            hidden.index_select(&Tensor::new(rows, hidden.device())?, 0)?
        };
        head::surprisals(&self.final_norm.forward(&hidden)?, self.head(), &targets)
    }

    fn head(&self) -> Head<'_> {
        Head {
            weight: &self.head_weight,
            bias: self.head_bias.as_ref(),
            scale: self.spec.head.scale,
            soft_cap: self.spec.head.soft_cap,
        }
    }
}
