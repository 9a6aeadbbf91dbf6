//! What GGUF files call an architecture: from metadata to a [`Description`].
//!
//! Metadata is translated into the fields of the `config.json` it was made from, and the model's family
//! reads those; so the families stay the only place that knows what a model computes. What a file
//! leaves out is filled as llama.cpp fills it. Three things differ from the original checkpoint, for
//! all architectures alike: tensors have other names, norms are stored with whatever is added to
//! their weights, and the rows of Llama's queries and keys stand such that neighbours form a pair.
//!
//! To add an architecture, write a function from `Source` to config fields and one line in the
//! registry below. A key that no one asks for is refused by name.

mod gemma;
mod llama;
mod names;
mod phi3;
mod qwen3moe;
mod rotary;
mod source;

use serde_json::{Map, Value, json};

use self::source::Source;
use super::error::ModelError;
use super::families::{self, Description};
use super::gguf::{GgufFiles, Metadata};
use super::spec::{DecoderSpec, NormSpec, RotaryPairing, RotaryScaling};

/// The fields of a `config.json`.
type Fields = Map<String, Value>;

/// Adds the fields that an architecture has beyond the common ones.
type AddFields = fn(&Source<'_>, &mut Fields) -> Result<(), ModelError>;

/// One architecture.
struct Architecture {
    /// The family that knows it; its own fields may name another.
    model_type: &'static str,
    add: Option<AddFields>,
    /// Which numbers of a head form a pair, as its rows are stored.
    pairing: RotaryPairing,
    /// Queries, keys and values are one matrix, and so are gates and ups.
    fused: bool,
}

const fn architecture(model_type: &'static str, add: Option<AddFields>) -> Architecture {
    Architecture { model_type, add, pairing: RotaryPairing::Halves, fused: false }
}

/// Every supported `general.architecture`, sorted.
const ARCHITECTURES: &[(&str, Architecture)] = &[
    ("gemma", architecture("gemma", None)),
    ("gemma2", architecture("gemma2", Some(gemma::add_2))),
    ("gemma3", architecture("gemma3_text", Some(gemma::add_3))),
    (
        "llama",
        Architecture {
            pairing: RotaryPairing::Neighbours,
            ..architecture("llama", Some(llama::add))
        },
    ),
    ("phi3", Architecture { fused: true, ..architecture("phi3", Some(phi3::add)) }),
    ("qwen2", architecture("qwen2", None)),
    ("qwen3", architecture("qwen3", None)),
    ("qwen3moe", architecture("qwen3_moe", Some(qwen3moe::add))),
];

/// Keys of an architecture that change nothing here.
const IGNORED: &[&str] = &[
    // The embedding has as many rows as it has.
    "vocab_size",
    // Whether a model was trained further after its context was stretched.
    "rope.scaling.finetuned",
    // How the converter turned a tensor's rows; always the same.
    "tensor_data_layout",
];

/// What a file says it computes.
const NAME_KEY: &str = "general.architecture";

/// The architecture that a file names, known or not.
pub(super) fn name(metadata: &Metadata) -> Result<&str, ModelError> {
    metadata.required(NAME_KEY)
}

/// Describes the model in `files`.
pub(super) fn describe(files: &GgufFiles) -> Result<Description, ModelError> {
    let metadata = files.metadata();
    let name = name(metadata)?;
    let Ok(index) = ARCHITECTURES.binary_search_by_key(&name, |(name, _)| name) else {
        return Err(metadata.unsupported(NAME_KEY));
    };
    let architecture = &ARCHITECTURES[index].1;
    let source = Source::new(name, files);
    let mut fields = common(&source)?;
    fields.insert("model_type".to_owned(), json!(architecture.model_type));
    if let Some(add) = architecture.add {
        add(&source, &mut fields)?;
    }
    let factors = source.factors("rope_freqs.weight")?;
    if let Some(key) = source.unread(IGNORED) {
        return Err(metadata.unsupported(key));
    }
    let mut description = families::describe(files.path(), Value::Object(fields))?;
    description.names = names::of(architecture.fused);
    apply_storage(&mut description.spec, architecture.pairing);
    if let Some(factors) = factors {
        apply_factors(&source, &mut description.spec, &factors)?;
    }
    Ok(description)
}

/// The `general.architecture`s that can be evaluated, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    ARCHITECTURES.iter().map(|(name, _)| *name)
}

/// The fields that all configs have.
fn common(source: &Source<'_>) -> Result<Fields, ModelError> {
    let mut fields = Fields::new();
    let mut set = |field: &str, value: Value| fields.insert(field.to_owned(), value);
    for (key, field) in [
        ("context_length", "max_position_embeddings"),
        ("block_count", "num_hidden_layers"),
        ("feed_forward_length", "intermediate_size"),
    ] {
        set(field, json!(source.required::<usize>(key)?));
    }
    let hidden_size = source.required::<usize>("embedding_length")?;
    let heads = source.required::<usize>("attention.head_count")?;
    set("hidden_size", json!(hidden_size));
    set("num_attention_heads", json!(heads));
    let key_value_heads = source.optional::<usize>("attention.head_count_kv")?;
    set("num_key_value_heads", json!(key_value_heads.unwrap_or(heads)));
    let head_size = source.head_size()?;
    if source.optional("attention.value_length")?.is_some_and(|size: usize| size != head_size) {
        return Err(source.unsupported("attention.value_length"));
    }
    set("head_dim", json!(head_size));
    let epsilon = source.required::<f64>("attention.layer_norm_rms_epsilon")?;
    set("rms_norm_eps", json!(epsilon));
    set("vocab_size", json!(source.rows("token_embd.weight")?));
    set("tie_word_embeddings", json!(!source.has_tensor("output.weight")));
    // Llama's and Qwen 3's may or may not be there.
    set("attention_bias", json!(source.has_tensor("blk.0.attn_q.bias")));
    set("mlp_bias", json!(source.has_tensor("blk.0.ffn_up.bias")));
    rotary::add(source, head_size, &mut fields)?;
    Ok(fields)
}

/// Norms and the order of rows as a GGUF file stores them.
fn apply_storage(spec: &mut DecoderSpec, pairing: RotaryPairing) {
    let whole = |norm: NormSpec| match norm {
        NormSpec::Rms { epsilon, .. } => NormSpec::Rms { epsilon, weight_offset: 0.0 },
        NormSpec::Layer { epsilon, weight, bias, .. } => {
            NormSpec::Layer { epsilon, weight, weight_offset: 0.0, bias }
        }
        NormSpec::Identity => norm,
    };
    spec.set_norms(whole(spec.final_norm));
    for layer in &mut spec.layers {
        if let Some(rule) = &mut layer.attention.query_key_norm {
            rule.norm = whole(rule.norm);
        }
        if let Some(rotary) = &mut layer.attention.rotary {
            rotary.pairing = pairing;
        }
    }
}

/// Every frequency divided by a stored factor, which is how Llama 3.1 stretches are stored.
fn apply_factors(
    source: &Source<'_>,
    spec: &mut DecoderSpec,
    factors: &[f64],
) -> Result<(), ModelError> {
    for rotary in spec.layers.iter_mut().filter_map(|layer| layer.attention.rotary.as_mut()) {
        if rotary.scaling != RotaryScaling::None {
            return Err(source.unsupported("rope.scaling.type"));
        }
        if factors.len() != rotary.rotated_size / 2 {
            return Err(source.damaged(format!(
                "tensor `rope_freqs.weight` has {} numbers, where {} pairs are rotated",
                factors.len(),
                rotary.rotated_size / 2
            )));
        }
        rotary.scaling = RotaryScaling::Factors(factors.to_vec());
    }
    Ok(())
}
