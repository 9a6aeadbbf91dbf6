//! The transformer of an encoder, of whichever kind.

use std::path::Path;

use candle_core::{DType, Device, Tensor};
use serde_json::Value;

use super::{
    bert::{Bert, BertSpec},
    modern_bert::{ModernBert, ModernBertSpec},
};
use crate::model::{
    checkpoint::{CONFIG_FILE, Checkpoint, read_config},
    decoder::Decoder,
    error::ModelError,
    tokenizer::Tokenizer,
    weights::{HeaderCheck, Loader, WeightFiles},
};
use crate::ops::linear::Activations;

/// Fields with which a language model sees both ways; none of them is computed by the decoder.
const BOTH_WAYS: &[(&str, bool)] =
    &[("is_causal", false), ("use_bidirectional_attention", true), ("bidirectional", true)];

/// Parts of names of tensors that have no say in a token's vector.
const UNUSED: &[&str] = &["pooler.", "position_ids"];

/// Beginnings of names of heads for other tasks.
const HEADS: &[&str] = &["cls.", "lm_head.", "classifier.", "decoder.", "head."];

/// A transformer whose config and headers are checked.
#[derive(Debug)]
pub(super) enum CheckedNetwork {
    /// BERT and its kin.
    Bert(BertSpec, WeightFiles),
    /// `ModernBERT`.
    ModernBert(ModernBertSpec, WeightFiles),
    /// A language model.
    Decoder(Box<Checkpoint>),
}

/// A transformer whose weights are loaded.
#[derive(Debug)]
pub(super) enum Network {
    Bert(Bert),
    ModernBert(ModernBert),
    Decoder(Box<Decoder>),
}

impl CheckedNetwork {
    /// Opens the transformer in a folder.
    pub(super) fn open(folder: &Path, tokenizer: &Tokenizer) -> Result<Self, ModelError> {
        let config = read_config(folder)?;
        let path = folder.join(CONFIG_FILE);
        let kind = config.get("model_type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let checked = match kind.as_str() {
            "bert" | "camembert" | "mpnet" | "roberta" | "xlm-roberta" => {
                let spec = BertSpec::read(&path, config)?;
                Self::Bert(spec, WeightFiles::open(folder)?)
            }
            "modernbert" => {
                let spec = ModernBertSpec::read(&path, config)?;
                Self::ModernBert(spec, WeightFiles::open(folder)?)
            }
            _ => {
                let sees_both_ways = |(field, value): &&(&str, bool)| {
                    config.get(*field).and_then(Value::as_bool) == Some(*value)
                };
                if let Some((field, value)) = BOTH_WAYS.iter().find(sees_both_ways) {
                    let what = format!("{field} = {value} in an encoder of the kind {kind:?}");
                    return Err(ModelError::Unsupported { path, what });
                }
                if config.get("auto_map").is_some_and(|map| !map.is_null()) {
                    let what = "auto_map, code of the checkpoint's own,".to_owned();
                    return Err(ModelError::Unsupported { path, what });
                }
                return Ok(Self::Decoder(Box::new(Checkpoint::open_body(folder)?)));
            }
        };
        tokenizer.check_vocabulary(checked.vocabulary_size())?;
        checked.check_headers()?;
        Ok(checked)
    }

    /// Builds the network from headers alone, and refuses tensors that it has no use for.
    fn check_headers(&self) -> Result<(), ModelError> {
        let headers = match self {
            Self::Bert(spec, files) => {
                let headers = HeaderCheck::new(files);
                Bert::load(&headers, spec)?;
                headers
            }
            Self::ModernBert(spec, files) => {
                let headers = HeaderCheck::new(files);
                ModernBert::load(&headers, spec)?;
                headers
            }
            Self::Decoder(_) => return Ok(()),
        };
        let has_no_say = |name: &str| {
            UNUSED.iter().any(|part| name.contains(part))
                || HEADS.iter().any(|head| name.starts_with(head))
        };
        match headers.unused(has_no_say) {
            None => Ok(()),
            Some((path, tensor)) => Err(ModelError::Unsupported {
                path,
                what: format!("tensor `{tensor}`, which the config does not account for,"),
            }),
        }
    }

    /// Reads the weights into host memory.
    pub(super) fn load(&self) -> Result<Network, ModelError> {
        let (device, dtype) = (&Device::Cpu, DType::F32);
        match self {
            Self::Bert(spec, files) => {
                Bert::load(&Loader { files, device, dtype, activations: Activations::Exact }, spec)
                    .map(Network::Bert)
            }
            Self::ModernBert(spec, files) => ModernBert::load(
                &Loader { files, device, dtype, activations: Activations::Exact },
                spec,
            )
            .map(Network::ModernBert),
            Self::Decoder(checkpoint) => {
                let model = checkpoint.load(device, dtype)?;
                Ok(Network::Decoder(Box::new(model.decoder)))
            }
        }
    }

    /// Numbers of a token's vector.
    pub(super) fn hidden_size(&self) -> usize {
        match self {
            Self::Bert(spec, _) => spec.hidden_size,
            Self::ModernBert(spec, _) => spec.hidden_size,
            Self::Decoder(checkpoint) => checkpoint.spec().hidden_size,
        }
    }

    /// Most tokens that it has positions for.
    pub(super) fn most_tokens(&self) -> usize {
        match self {
            Self::Bert(spec, _) => spec.most_tokens(),
            Self::ModernBert(spec, _) => spec.most_tokens,
            Self::Decoder(checkpoint) => checkpoint.spec().context_tokens,
        }
    }

    fn vocabulary_size(&self) -> usize {
        match self {
            Self::Bert(spec, _) => spec.vocabulary_size,
            Self::ModernBert(spec, _) => spec.vocabulary_size,
            Self::Decoder(checkpoint) => checkpoint.spec().vocabulary_size,
        }
    }
}

impl Network {
    /// A row for every token of all texts, one text behind the other.
    pub(super) fn hidden(&self, texts: &[&[u32]]) -> candle_core::Result<Tensor> {
        match self {
            Self::Bert(bert) => bert.hidden(texts),
            Self::ModernBert(bert) => bert.hidden(texts),
            Self::Decoder(decoder) => {
                let hidden = texts.iter().map(|ids| decoder.normed_alone(ids));
                Tensor::cat(&hidden.collect::<candle_core::Result<Vec<_>>>()?, 0)
            }
        }
    }
}

/// The refusal of what a config asks for.
pub(super) fn unsupported(path: &Path, what: String) -> ModelError {
    ModelError::Unsupported { path: path.to_owned(), what }
}
