//! What a file must not ask for, in words for the person who named it.

use std::path::Path;

use candle_core::quantized::GgmlDType;
use candle_core::quantized::gguf_file::Value;
use candle_core::{DType, Device, Tensor};
use surprisal::model::Checkpoint;

use super::convert::Converted;

/// What opening a Llama says after `damage` was done to what it is written from.
fn refusal(damage: impl Fn(&mut Converted)) -> String {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models/llama");
    let mut converted = Converted::read(&fixture).unwrap();
    damage(&mut converted);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.gguf");
    converted.write(&path, |_, _| GgmlDType::F32);
    let error = Checkpoint::open_gguf(&path).unwrap_err().to_string();
    assert!(error.contains("m.gguf"), "{error}");
    error
}

fn zeros(rows: usize, columns: usize) -> Tensor {
    Tensor::zeros((rows, columns), DType::F32, &Device::Cpu).unwrap()
}

#[test]
fn a_file_that_is_shortened_after_it_was_opened_ends_with_a_message() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models/llama");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.gguf");
    for format in [GgmlDType::F32, GgmlDType::Q8_0] {
        Converted::read(&fixture).unwrap().write(&path, |_, _| format);
        let checkpoint = Checkpoint::open_gguf(&path).unwrap();
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(64).unwrap();
        let error = checkpoint.load(&Device::Cpu, DType::F32).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("m.gguf: had"), "{error}");
    }
}

#[test]
fn what_cannot_be_computed_is_refused_by_name() {
    let text = |text: &str| Value::String(text.to_owned());
    for (key, value, named) in [
        ("general.architecture", text("mamba"), "`general.architecture` = \"mamba\""),
        ("general.architecture", Value::U32(1), "`general.architecture` should be text, found 1"),
        ("llama.block_count", text("2"), "`llama.block_count` should be a whole number"),
        ("llama.block_count", Value::I32(-2), "`llama.block_count` should be a whole number"),
        ("llama.block_count", Value::U32(3), "tensor `blk.2."),
        ("llama.block_count", Value::U32(1), "tensor `blk.1."),
        ("llama.block_count", Value::U32(u32::MAX), "num_hidden_layers"),
        ("llama.embedding_length", Value::U32(40), "[320, 40]"),
        ("llama.attention.head_count_kv", Value::U32(3), "num_key_value_heads"),
        ("llama.attention.value_length", Value::U32(4), "`llama.attention.value_length` = 4"),
        ("llama.attention.max_alibi_bias", Value::F32(8.0), "`llama.attention.max_alibi_bias` = 8"),
        ("llama.rope.scaling.type", text("su"), "`llama.rope.scaling.type` = \"su\""),
        ("llama.rope.scaling.type", text("yarn"), "`llama.rope.scaling.factor`"),
        ("llama.rope.dimension_count", Value::U32(9), "`llama.rope.dimension_count`"),
        ("tokenizer.ggml.model", text("bert"), "`tokenizer.ggml.model` = \"bert\""),
    ] {
        let error = refusal(|converted| converted.set(key, value.clone()));
        assert!(error.contains(named), "{error} does not say {named}");
    }
    let missing = refusal(|converted| {
        converted.metadata.remove("llama.context_length");
    });
    assert!(missing.contains("`llama.context_length`"), "{missing}");
}

#[test]
fn tensors_that_do_not_fit_are_refused_by_name() {
    for (name, tensor, named) in [
        ("blk.0.attn_q.weight", Some(zeros(32, 16)), "`blk.0.attn_q.weight` has shape [32, 16]"),
        ("blk.0.attn_q.weight", None, "`blk.0.attn_q.weight` is missing"),
        ("blk.0.attn_q.scale", Some(zeros(1, 1)), "`blk.0.attn_q.scale`, which the config"),
        ("token_embd.weight", None, "`token_embd.weight` is missing"),
        ("rope_freqs.weight", Some(zeros(1, 4)), "`rope_freqs.weight` should be a list"),
    ] {
        let error = refusal(|converted| {
            converted.tensors.remove(name);
            converted.tensors.extend(tensor.clone().map(|tensor| (name.to_owned(), tensor)));
        });
        assert!(error.contains(named), "{error} does not say {named}");
    }
    let error = refusal(|converted| {
        let factors = Tensor::ones(3, DType::F32, &Device::Cpu).unwrap();
        converted.tensors.insert("rope_freqs.weight".to_owned(), factors);
    });
    assert!(error.contains("has 3 numbers, where 4 pairs are rotated"), "{error}");
}
