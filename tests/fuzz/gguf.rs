//! GGUF files: any bytes as a model, most of them a valid file with a few places changed.

use std::{fs, io::Cursor};

use candle_core::{
    DType, Device, Tensor,
    quantized::{
        GgmlDType, QTensor,
        gguf_file::{self, Value},
    },
};
use proptest::{collection::vec, prelude::*, sample::select};
use surprisal::model::{Checkpoint, gguf::GgufFile};

use crate::{explore, replay_bytes};

/// A small model with values of every type.
fn valid() -> Vec<u8> {
    let text = |text: &str| Value::String(text.to_owned());
    let texts = |of: &[&str]| Value::Array(of.iter().copied().map(text).collect());
    let metadata = [
        ("general.architecture", text("llama")),
        ("general.alignment", Value::U32(32)),
        ("llama.context_length", Value::U32(64)),
        ("llama.embedding_length", Value::U32(32)),
        ("llama.block_count", Value::U64(1)),
        ("llama.feed_forward_length", Value::I32(32)),
        ("llama.attention.head_count", Value::U16(2)),
        ("llama.attention.head_count_kv", Value::U8(1)),
        ("llama.attention.key_length", Value::U32(16)),
        ("llama.attention.layer_norm_rms_epsilon", Value::F32(1e-5)),
        ("llama.rope.freq_base", Value::F64(1e4)),
        ("llama.rope.dimension_count", Value::U32(16)),
        ("llama.rope.scaling.type", text("linear")),
        ("llama.rope.scaling.factor", Value::F32(2.0)),
        ("llama.attention.sliding_window", Value::U32(16)),
        ("llama.vocab_size", Value::I64(3)),
        ("tokenizer.ggml.model", text("gpt2")),
        ("tokenizer.ggml.pre", text("gpt-2")),
        ("tokenizer.ggml.tokens", texts(&["a", "b", "ab"])),
        ("tokenizer.ggml.merges", texts(&["a b"])),
        ("tokenizer.ggml.token_type", Value::Array(vec![Value::I32(1); 3])),
        ("tokenizer.ggml.scores", Value::Array(vec![Value::F32(0.5); 3])),
        ("tokenizer.ggml.eos_token_id", Value::U32(2)),
        ("tokenizer.ggml.add_bos_token", Value::Bool(false)),
        ("tokenizer.chat_template", text("{{ messages }}")),
        ("lists", Value::Array(vec![texts(&["x"]), texts(&["y"])])),
    ];
    let tensors = [
        ("token_embd.weight", [3, 32], GgmlDType::F16),
        ("blk.0.attn_q.weight", [32, 32], GgmlDType::Q4_0),
        ("blk.0.attn_k.weight", [16, 32], GgmlDType::Q8_0),
        ("blk.0.attn_v.weight", [16, 32], GgmlDType::Q5_1),
        ("blk.0.attn_output.weight", [32, 32], GgmlDType::Q4_1),
        ("blk.0.ffn_gate.weight", [32, 32], GgmlDType::Q5_0),
        ("blk.0.ffn_up.weight", [32, 32], GgmlDType::BF16),
        ("blk.0.ffn_down.weight", [32, 32], GgmlDType::F32),
    ];
    let numbers = |shape: &[usize]| Tensor::ones(shape, DType::F32, &Device::Cpu).unwrap();
    let vectors = ["blk.0.attn_norm.weight", "blk.0.ffn_norm.weight", "output_norm.weight"];
    let tensors: Vec<(&str, QTensor)> = tensors
        .into_iter()
        .map(|(name, shape, dtype)| (name, QTensor::quantize(&numbers(&shape), dtype).unwrap()))
        .chain(
            vectors.map(|name| (name, QTensor::quantize(&numbers(&[32]), GgmlDType::F32).unwrap())),
        )
        .collect();
    let tensors: Vec<(&str, &QTensor)> =
        tensors.iter().map(|(name, tensor)| (*name, tensor)).collect();
    let metadata: Vec<(&str, &Value)> = metadata.iter().map(|(key, value)| (*key, value)).collect();
    let mut bytes = Cursor::new(Vec::new());
    gguf_file::write(&mut bytes, &metadata, &tensors).unwrap();
    bytes.into_inner()
}

/// A change of a file, at a share of its length.
#[derive(Clone, Debug)]
enum Change {
    Byte(f64, u8),
    Number(f64, u64),
    SmallNumber(f64, u32),
    Cut(f64),
    Remove(f64, usize),
    Repeat(f64, usize),
    Insert(f64, Vec<u8>),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    // Nearly everything happens in the header, which is about two thirds of the file.
    let place = || prop_oneof![9 => 0.0..0.7f64, 1 => 0.7..1.0f64];
    let numbers = prop_oneof![
        select(vec![
            0,
            1,
            2,
            7,
            31,
            33,
            255,
            1 << 16,
            1 << 31,
            1 << 32,
            1 << 40,
            1 << 62,
            u64::MAX
        ]),
        any::<u64>(),
        0..64u64,
    ];
    let change = prop_oneof![
        4 => (place(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        3 => (place(), numbers).prop_map(|(at, number)| Change::Number(at, number)),
        3 => (place(), 0..40u32).prop_map(|(at, number)| Change::SmallNumber(at, number)),
        1 => place().prop_map(Change::Cut),
        1 => (place(), 1..64usize).prop_map(|(at, count)| Change::Remove(at, count)),
        1 => (place(), 1..64usize).prop_map(|(at, count)| Change::Repeat(at, count)),
        1 => (place(), vec(any::<u8>(), 1..16)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
    ];
    vec(change, 1..5)
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let length = bytes.len();
        let at = |share: f64| ((length as f64 * share) as usize).min(length);
        let mut put = |at: usize, number: &[u8]| {
            bytes.iter_mut().skip(at).zip(number).for_each(|(kept, byte)| *kept = *byte);
        };
        match change {
            Change::Byte(share, byte) => put(at(*share), &[*byte]),
            Change::Number(share, number) => put(at(*share), &number.to_le_bytes()),
            Change::SmallNumber(share, number) => put(at(*share), &number.to_le_bytes()),
            Change::Cut(share) => bytes.truncate(at(*share)),
            Change::Remove(share, count) => {
                let start = at(*share);
                bytes.drain(start..(start + count).min(length));
            }
            Change::Repeat(share, count) => {
                let start = at(*share);
                let again = bytes[start..(start + count).min(length)].to_vec();
                bytes.splice(start..start, again);
            }
            Change::Insert(share, more) => {
                let start = at(*share);
                bytes.splice(start..start, more.iter().copied());
            }
        }
    }
    bytes
}

/// Opens and loads; whatever happens must not be a panic.
fn try_out(bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.gguf");
    fs::write(&path, bytes).unwrap();
    if let Err(error) = GgufFile::open(&path) {
        assert!(error.to_string().contains("m.gguf"), "{error}");
    }
    match Checkpoint::open_gguf(&path) {
        Ok(checkpoint) => {
            let _ = checkpoint.tokenizer().encode("ab ba", true);
            checkpoint.load(&Device::Cpu, DType::F32).unwrap();
        }
        Err(error) => assert!(error.to_string().contains("m.gguf"), "{error}"),
    }
}

#[test]
fn former_findings_end_in_models_or_errors() {
    replay_bytes("gguf", try_out);
}

#[test]
fn a_valid_file_is_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.gguf");
    fs::write(&path, valid()).unwrap();
    Checkpoint::open_gguf(&path).unwrap().load(&Device::Cpu, DType::F32).unwrap();
}

#[test]
fn files_end_in_models_or_errors() {
    let valid = valid();
    explore(changes(), |changes| try_out(&changed(valid.clone(), changes)));
}
