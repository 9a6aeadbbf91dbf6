//! BERT, `RoBERTa` and XLM-R, `MPNet`: norms after each branch, learned positions.
//!
//! They differ in the names of tensors, in how positions are counted, and in that `MPNet` adds a learned number for each
//! distance of two tokens.

use std::path::Path;

use candle_core::{Device, Result, Tensor};
use serde::Deserialize;
use serde_json::Value;

use super::{network::unsupported, settings::parsed};
use crate::model::{
    error::ModelError,
    families::named_activation,
    norm::Norm,
    projection::Projection,
    spec::NormSpec,
    two_way_attention::{Heads, attention, spans_of},
    weights::ParameterSource,
};
use crate::ops::{
    activation::{Activation, activation},
    embedding::embedding,
    linear::{Residual, Weight},
};

/// The distance from which on all distances of `MPNet` are alike.
const FARTHEST: f32 = 128.0;

/// What stands before the names of tensors in files of whole models.
const PREFIXES: &[&str] = &["", "bert.", "roberta.", "mpnet.", "camembert.", "model."];

/// A config of these families.
#[derive(Deserialize)]
struct BertConfig {
    model_type: String,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    max_position_embeddings: usize,
    vocab_size: usize,
    #[serde(default = "gelu")]
    hidden_act: String,
    #[serde(default = "bert_epsilon")]
    layer_norm_eps: f64,
    type_vocab_size: Option<usize>,
    pad_token_id: Option<u32>,
    position_embedding_type: Option<String>,
    relative_attention_num_buckets: Option<usize>,
    #[serde(default)]
    is_decoder: bool,
}

/// What such a transformer computes.
#[derive(Clone, Debug)]
pub(super) struct BertSpec {
    pub(super) hidden_size: usize,
    pub(super) vocabulary_size: usize,
    layers: usize,
    heads: usize,
    inner_size: usize,
    positions: usize,
    activation: Activation,
    epsilon: f64,
    /// Kinds of texts; every token is of the first.
    kinds: Option<usize>,
    /// Positions are counted from behind this id, which itself has that position.
    padding: Option<u32>,
    /// `MPNet`'s kinds of distances.
    distances: Option<usize>,
}

/// Names of a layer's tensors.
struct LayerNames {
    query: &'static str,
    key: &'static str,
    value: &'static str,
    output: &'static str,
    after_attention: &'static str,
}

const BERT_NAMES: LayerNames = LayerNames {
    query: "attention.self.query",
    key: "attention.self.key",
    value: "attention.self.value",
    output: "attention.output.dense",
    after_attention: "attention.output.LayerNorm",
};

const MPNET_NAMES: LayerNames = LayerNames {
    query: "attention.attn.q",
    key: "attention.attn.k",
    value: "attention.attn.v",
    output: "attention.attn.o",
    after_attention: "attention.LayerNorm",
};

impl BertSpec {
    /// Reads a config.
    pub(super) fn read(path: &Path, config: Value) -> std::result::Result<Self, ModelError> {
        let config: BertConfig = parsed(path, config)?;
        let activation = named_activation(&config.hidden_act)
            .ok_or_else(|| unsupported(path, format!("hidden_act {:?}", config.hidden_act)))?;
        if let Some(kind) = config.position_embedding_type.filter(|kind| kind != "absolute") {
            return Err(unsupported(path, format!("position_embedding_type {kind:?}")));
        }
        if config.is_decoder {
            return Err(unsupported(path, "is_decoder = true".to_owned()));
        }
        if config.num_attention_heads == 0
            || !config.hidden_size.is_multiple_of(config.num_attention_heads)
        {
            return Err(ModelError::Config {
                path: path.to_owned(),
                problem: format!(
                    "hidden_size {} is not a multiple of num_attention_heads {}",
                    config.hidden_size, config.num_attention_heads
                ),
            });
        }
        let distances = config.relative_attention_num_buckets.unwrap_or(32);
        if distances < 4 {
            return Err(unsupported(path, format!("relative_attention_num_buckets {distances}")));
        }
        let is_mpnet = config.model_type == "mpnet";
        let is_bert = config.model_type == "bert";
        Ok(Self {
            hidden_size: config.hidden_size,
            vocabulary_size: config.vocab_size,
            layers: config.num_hidden_layers,
            heads: config.num_attention_heads,
            inner_size: config.intermediate_size,
            positions: config.max_position_embeddings,
            activation,
            epsilon: config.layer_norm_eps,
            kinds: (!is_mpnet).then(|| config.type_vocab_size.unwrap_or(2)),
            padding: (!is_bert).then(|| config.pad_token_id.unwrap_or(1)),
            distances: is_mpnet.then_some(distances),
        })
    }

    /// Most tokens that it has positions for.
    pub(super) fn most_tokens(&self) -> usize {
        let before = self.padding.map_or(0, |padding| padding as usize + 1);
        self.positions.saturating_sub(before)
    }

    /// The positions of a text's tokens.
    fn places(&self, ids: &[u32]) -> Vec<u32> {
        let Some(padding) = self.padding else { return (0..ids.len() as u32).collect() };
        let mut place = padding;
        ids.iter()
            .map(|id| {
                if *id == padding {
                    return padding;
                }
                place += 1;
                place
            })
            .collect()
    }
}

/// A transformer whose parameters are loaded.
#[derive(Debug)]
pub(super) struct Bert {
    spec: BertSpec,
    words: Weight,
    positions: Weight,
    /// What is added for the kind of text.
    kind: Option<Tensor>,
    norm: Norm,
    layers: Vec<BertLayer>,
    /// A number for each kind of distance and head.
    distances: Option<Vec<Vec<f32>>>,
}

#[derive(Debug)]
struct BertLayer {
    query_key_value: Projection,
    output: Projection,
    after_attention: Norm,
    up: Projection,
    down: Projection,
    after_feed_forward: Norm,
}

impl Bert {
    /// Takes the parameters from `source`.
    pub(super) fn load(
        source: &dyn ParameterSource,
        spec: &BertSpec,
    ) -> std::result::Result<Self, ModelError> {
        let words = |prefix: &str| format!("{prefix}embeddings.word_embeddings.weight");
        let prefix = PREFIXES.iter().find(|prefix| source.contains(&words(prefix))).unwrap_or(&"");
        let (size, table) = (spec.hidden_size, |name: &str, rows: usize| {
            let name = format!("{prefix}embeddings.{name}.weight");
            source.weight(&[(name, rows)], spec.hidden_size)
        });
        let norm = |name: &str| {
            Norm::load(source, &format!("{prefix}{name}"), NormSpec::layer(spec.epsilon), size)
        };
        let kind = spec.kinds.map(|count| {
            let name = format!("{prefix}embeddings.token_type_embeddings.weight");
            Ok::<_, ModelError>(source.parameter(&name, &[count, size])?.narrow(0, 0, 1)?)
        });
        let distances = spec.distances.map(|count| {
            let name = format!("{prefix}encoder.relative_attention_bias.weight");
            let table = source.parameter(&name, &[count, spec.heads])?;
            Ok::<_, ModelError>(table.contiguous()?.to_vec2()?)
        });
        let names = if spec.distances.is_some() { &MPNET_NAMES } else { &BERT_NAMES };
        let layers = (0..spec.layers)
            .map(|number| {
                let place = |name: &str| format!("{prefix}encoder.layer.{number}.{name}");
                let map = |name, from, to| Projection::load(source, &place(name), from, to, true);
                let joined = [names.query, names.key, names.value].map(|name| (place(name), size));
                Ok(BertLayer {
                    query_key_value: Projection::load_joined(source, &joined, size, true)?,
                    output: map(names.output, size, size)?,
                    after_attention: norm(&format!(
                        "encoder.layer.{number}.{}",
                        names.after_attention
                    ))?,
                    up: map("intermediate.dense", size, spec.inner_size)?,
                    down: map("output.dense", spec.inner_size, size)?,
                    after_feed_forward: norm(&format!("encoder.layer.{number}.output.LayerNorm"))?,
                })
            })
            .collect::<std::result::Result<_, ModelError>>()?;
        Ok(Self {
            words: table("word_embeddings", spec.vocabulary_size)?,
            positions: table("position_embeddings", spec.positions)?,
            kind: kind.transpose()?,
            norm: norm("embeddings.LayerNorm")?,
            layers,
            distances: distances.transpose()?,
            spec: spec.clone(),
        })
    }

    /// A row for every token of all texts.
    pub(super) fn hidden(&self, texts: &[&[u32]]) -> Result<Tensor> {
        let spans = spans_of(texts.iter().map(|ids| ids.len()));
        let ids = texts.concat();
        let places: Vec<u32> = texts.iter().flat_map(|ids| self.spec.places(ids)).collect();
        let mut stream = embedding(&ids, &self.words, None)?;
        stream = (stream + embedding(&places, &self.positions, None)?)?;
        if let Some(kind) = &self.kind {
            stream = stream.broadcast_add(kind)?;
        }
        stream = self.norm.forward(&stream)?;
        let heads = Heads { count: self.spec.heads, size: self.spec.hidden_size / self.spec.heads };
        for layer in &self.layers {
            let projected = layer.query_key_value.forward(&stream, None)?;
            let attended = attention(&projected, &spans, heads, &|_, tokens| self.bias(tokens))?;
            let residual = Residual::of(&stream);
            let sum = layer.output.forward(&attended, Some(residual))?;
            stream = layer.after_attention.forward(&sum)?;
            let inner = activation(layer.up.forward(&stream, None)?, self.spec.activation)?;
            let residual = Residual::of(&stream);
            let sum = layer.down.forward(&inner, Some(residual))?;
            stream = layer.after_feed_forward.forward(&sum)?;
        }
        Ok(stream)
    }

    /// `MPNet`'s numbers for the distances within a text.
    fn bias(&self, tokens: usize) -> Result<Option<Tensor>> {
        let Some(table) = &self.distances else { return Ok(None) };
        let kinds: Vec<usize> = (0..tokens)
            .flat_map(|query| (0..tokens).map(move |key| key.cast_signed() - query.cast_signed()))
            .map(|distance| distance_kind(distance, table.len()))
            .collect();
        let numbers: Vec<f32> = (0..self.spec.heads)
            .flat_map(|head| kinds.iter().map(move |kind| table[*kind][head]))
            .collect();
        Tensor::from_vec(numbers, (self.spec.heads, tokens, tokens), &Device::Cpu).map(Some)
    }
}

/// The kind of a distance: half of the kinds are for keys behind the query; of each half, the first half is for single
/// distances and the rest grows by a factor (Raffel et al. 2020).
fn distance_kind(distance: isize, kinds: usize) -> usize {
    let half = kinds / 2;
    let base = if distance > 0 { half } else { 0 };
    let (distance, single) = (distance.unsigned_abs(), half / 2);
    if distance < single {
        return base + distance;
    }
    let growth = (distance as f32 / single as f32).ln() / (FARTHEST / single as f32).ln();
    let kind = single + (growth * (half - single) as f32) as usize;
    base + kind.min(half.saturating_sub(1))
}

fn gelu() -> String {
    "gelu".to_owned()
}

fn bert_epsilon() -> f64 {
    1e-12
}
