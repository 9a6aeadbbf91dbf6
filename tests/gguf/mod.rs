//! GGUF files against the checkpoints they were made from.
//!
//! Checkpoints of `tests/fixtures/models`, or of the folder that `SURPRISAL_MODEL_FIXTURES` names, are
//! converted here and must score as transformers scored them; with blocks, exactly as with the
//! numbers that the blocks stand for. Files that `write.py` made are compared too where
//! `SURPRISAL_GGUF_FILES` names their folder.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails here")]

mod convert;
mod refusals;

use std::path::{Path, PathBuf};

use candle_core::quantized::{GgmlDType, gguf_file};
use candle_core::{DType, Device, Tensor};
use serde::Deserialize;
use surprisal::engine::{Engine, EngineOptions, GenerateRequest, ScoreRequest};
use surprisal::model::{Activations, Checkpoint};

use convert::Converted;

/// Largest difference from transformers' surprisals, in nats.
const NLL_TOLERANCE: f32 = 2e-4;
/// Greedy choices closer than this may go either way.
const LEAST_MARGIN: f32 = 1e-3;

const SMALL_BLOCKS: &[GgmlDType] =
    &[GgmlDType::Q4_0, GgmlDType::Q4_1, GgmlDType::Q5_0, GgmlDType::Q5_1, GgmlDType::Q8_0];
const LARGE_BLOCKS: &[GgmlDType] = &[
    GgmlDType::Q2K,
    GgmlDType::Q3K,
    GgmlDType::Q4K,
    GgmlDType::Q5K,
    GgmlDType::Q6K,
    GgmlDType::Q8K,
];

#[derive(Deserialize)]
struct Expected {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    text: String,
    ids: Vec<u32>,
    nll: Vec<f32>,
    greedy: Vec<u32>,
    greedy_margin: f32,
}

fn fixtures() -> PathBuf {
    std::env::var_os("SURPRISAL_MODEL_FIXTURES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models"),
        PathBuf::from,
    )
}

/// Every checkpoint that can be written as a GGUF file, with transformers' numbers.
fn checkpoints() -> Vec<(String, Converted, Vec<Case>)> {
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(fixtures()).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let read = |folder: &PathBuf| {
        let name = folder.file_name()?.to_string_lossy().into_owned();
        // The format has no 8-bit floats.
        let config = std::fs::read_to_string(folder.join("config.json")).ok()?;
        if config.contains("\"quantization_config\"") {
            return None;
        }
        Some((name, Converted::read(folder)?, cases(folder)?))
    };
    let found: Vec<_> = folders.iter().filter_map(read).collect();
    assert!(!found.is_empty(), "no checkpoints in {}", fixtures().display());
    found
}

fn cases(folder: &Path) -> Option<Vec<Case>> {
    let bytes = std::fs::read(folder.join("expected.json")).ok()?;
    Some(serde_json::from_slice::<Expected>(&bytes).unwrap().cases)
}

fn engine(path: &Path) -> Engine {
    engine_for(path, Activations::Exact)
}

fn engine_for(path: &Path, activations: Activations) -> Engine {
    let checkpoint = Checkpoint::open_gguf(path).unwrap();
    let model = checkpoint.load_for(&Device::Cpu, DType::F32, activations).unwrap();
    // transformers' numbers were made without a stop at end-of-sequence tokens.
    Engine::new(model, EngineOptions { ignore_eos: true, ..EngineOptions::default() })
}

fn scores<'a>(engine: &Engine, ids: impl IntoIterator<Item = &'a [u32]>) -> Vec<Vec<f32>> {
    let requests: Vec<ScoreRequest> =
        ids.into_iter().map(|ids| ScoreRequest { ids: ids.into(), first_target: 0 }).collect();
    engine.score(&requests, &mut |_| ()).into_iter().map(|score| score.unwrap().nlls).collect()
}

/// Compares a file with transformers' numbers.
fn check(name: &str, path: &Path, cases: &[Case]) {
    let engine = engine(path);
    let ids = cases.iter().map(|case| case.ids.as_slice());
    for (case, nlls) in cases.iter().zip(scores(&engine, ids)) {
        assert_eq!(engine.tokenizer().encode(&case.text, true).unwrap(), case.ids, "{name}");
        assert_eq!(nlls.len(), case.nll.len(), "{name}");
        for (found, expected) in nlls.iter().zip(&case.nll) {
            assert!((found - expected).abs() <= NLL_TOLERANCE, "{name}: {found}, not {expected}");
        }
    }
    let requests: Vec<GenerateRequest> = cases
        .iter()
        .map(|case| GenerateRequest {
            ids: case.ids.as_slice().into(),
            max_new_tokens: case.greedy.len(),
            min_new_tokens: 0,
            stop: Vec::new(),
            shown: Vec::new(),
            sampling: None,
        })
        .collect();
    for (case, generation) in cases.iter().zip(engine.generate(&requests, &mut |_| ())) {
        if case.greedy_margin > LEAST_MARGIN {
            assert_eq!(generation.unwrap().ids, case.greedy, "{name} after {:?}", case.text);
        }
    }
}

/// Vectors stay f32, as everyone writes them.
fn of_matrices(dtype: GgmlDType) -> impl Fn(&str, &Tensor) -> GgmlDType {
    move |_, tensor| {
        let row = tensor.dims().last().copied().unwrap_or(1);
        let blocks = tensor.rank() > 1 && row % dtype.block_size() == 0;
        if blocks { dtype } else { GgmlDType::F32 }
    }
}

#[test]
fn converted_checkpoints_score_as_transformers_does() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoints = checkpoints();
    for (name, converted, cases) in &checkpoints {
        for dtype in [GgmlDType::F32, GgmlDType::BF16, GgmlDType::F16] {
            let path = folder.path().join(format!("{name}-{dtype:?}.gguf"));
            converted.write(&path, of_matrices(dtype));
            check(&format!("{name} as {dtype:?}"), &path, cases);
        }
    }
    println!("{} checkpoints, each of three types of numbers", checkpoints.len());
}

#[test]
fn files_written_by_llama_cpps_package_score_as_transformers_does() {
    let Some(folder) = std::env::var_os("SURPRISAL_GGUF_FILES").map(PathBuf::from) else {
        println!("not compared: SURPRISAL_GGUF_FILES names no folder of files from write.py");
        return;
    };
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in &paths {
        let name = path.file_stem().unwrap().to_string_lossy();
        check(&name, path, &cases(&fixtures().join(&*name)).unwrap());
    }
    println!("{} files", paths.len());
}

/// A file with blocks, one with the numbers they stand for, and what both give for `ids`.
fn compare_blocks(name: &str, converted: &Converted, dtype: GgmlDType, ids: &[&[u32]]) {
    let folder = tempfile::tempdir().unwrap();
    let (blocks, wide) = (folder.path().join("blocks.gguf"), folder.path().join("wide.gguf"));
    converted.write(&blocks, of_matrices(dtype));
    converted.rounded(of_matrices(dtype)).write(&wide, |_, _| GgmlDType::F32);
    let (blocks, wide) = (engine(&blocks), engine(&wide));
    let found = scores(&blocks, ids.iter().copied());
    assert_eq!(found, scores(&wide, ids.iter().copied()), "{name} as {dtype:?}");
    // What stands beside a request changes nothing.
    let alone: Vec<Vec<f32>> = ids.iter().flat_map(|ids| scores(&blocks, [*ids])).collect();
    assert_eq!(found, alone, "{name} as {dtype:?}");
    assert!(found.iter().flatten().all(|nll| nll.is_finite()), "{name} as {dtype:?}");
}

#[test]
fn small_blocks_score_as_the_numbers_they_stand_for() {
    for (name, converted, cases) in &checkpoints() {
        let ids: Vec<&[u32]> = cases.iter().map(|case| case.ids.as_slice()).collect();
        for &dtype in SMALL_BLOCKS {
            compare_blocks(name, converted, dtype, &ids);
        }
    }
}

#[test]
fn large_blocks_score_as_the_numbers_they_stand_for() {
    let tokenizer = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models/llama");
    let converted = Converted::wide(&tokenizer);
    let long: Vec<u32> = (0..90).map(|i| i * 7919 % 320).collect();
    let ids = [&long[..], &long[..50], &long[3..40], &[5, 6], &long[..60]];
    for &dtype in LARGE_BLOCKS.iter().chain(SMALL_BLOCKS) {
        compare_blocks("wide", &converted, dtype, &ids);
    }
}

/// `tests/fixtures/gguf/llama-q4_0.gguf` is what `write.py --type q4_0` makes of the fixture `llama`.
#[test]
fn a_file_written_by_llama_cpps_package_holds_what_is_converted_here() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let path = root.join("gguf/llama-q4_0.gguf");
    let checkpoint = root.join("models/llama");
    let cases = cases(&checkpoint).unwrap();
    let written = engine(&path);
    let ids = || cases.iter().map(|case| case.ids.as_slice());
    let found = scores(&written, ids());

    let mut file = std::fs::File::open(&path).unwrap();
    let content = gguf_file::Content::read(&mut file).unwrap();
    let mut converted = Converted::read(&checkpoint).unwrap();
    let names: Vec<String> = converted.tensors.keys().cloned().collect();
    assert_eq!(content.tensor_infos.len(), names.len());
    for name in names {
        let blocks = content.tensor(&mut file, &name, &Device::Cpu).unwrap();
        converted.tensors.insert(name, blocks.dequantize(&Device::Cpu).unwrap());
    }
    let folder = tempfile::tempdir().unwrap();
    let wide = folder.path().join("wide.gguf");
    converted.write(&wide, |_, _| GgmlDType::F32);
    assert_eq!(found, scores(&engine(&wide), ids()));

    // Four bits cost something, and not much.
    let expected = cases.iter().flat_map(|case| &case.nll);
    let differences: Vec<f32> =
        found.iter().flatten().zip(expected).map(|(found, exact)| (found - exact).abs()).collect();
    let mean = differences.iter().sum::<f32>() / differences.len() as f32;
    assert!((1e-3..0.3).contains(&mean), "{mean}");
}

/// What `tests/ggml_products/make.sh` had llama.cpp say of the same file.
#[derive(Deserialize)]
struct LlamaCpp {
    ids: Vec<u32>,
    nll: Vec<f32>,
}

#[test]
fn rounded_activations_score_as_llama_cpp_does() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let text = std::fs::read(root.join("llama_cpp_surprisals.json")).unwrap();
    let LlamaCpp { ids, nll } = serde_json::from_slice(&text).unwrap();
    let path = root.join("gguf/llama-q4_0.gguf");
    let found = scores(&engine_for(&path, Activations::Q8), [&*ids]);
    assert_eq!(found[0].len(), nll.len());
    for (found, expected) in found[0].iter().zip(&nll) {
        assert!((found - expected).abs() <= 1e-4, "{found}, not {expected}");
    }
    // Exact ones do not, so the comparison can fail.
    let exact = scores(&engine(&path), [&*ids]);
    assert!(exact[0].iter().zip(&nll).any(|(found, expected)| (found - expected).abs() > 1e-3));
}

#[test]
fn rounded_activations_score_the_same_alone_and_near_what_is_exact() {
    let folder = tempfile::tempdir().unwrap();
    let tokenizer = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models/llama");
    let converted = Converted::wide(&tokenizer);
    let long: Vec<u32> = (0..90).map(|i| i * 7919 % 320).collect();
    let ids = [&long[..], &long[..50], &long[3..40], &[5, 6], &long[..60]];
    for &dtype in LARGE_BLOCKS.iter().chain(SMALL_BLOCKS) {
        let path = folder.path().join(format!("{dtype:?}.gguf"));
        converted.write(&path, of_matrices(dtype));
        let rounded = engine_for(&path, Activations::Q8);
        let found = scores(&rounded, ids);
        let alone: Vec<Vec<f32>> = ids.iter().flat_map(|ids| scores(&rounded, [*ids])).collect();
        assert_eq!(found, alone, "{dtype:?}");
        let exact = scores(&engine(&path), ids);
        let differences: Vec<f32> = found
            .iter()
            .flatten()
            .zip(exact.iter().flatten())
            .map(|(found, exact)| (found - exact).abs())
            .collect();
        let mean = differences.iter().sum::<f32>() / differences.len() as f32;
        assert!((1e-5..0.1).contains(&mean), "{dtype:?}: {mean}");
    }
}

#[test]
fn a_layer_may_mix_formats_and_takes_the_memory_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let tokenizer = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models/llama");
    let converted = Converted::wide(&tokenizer);
    // As the usual mixture does: values and downs finer than the rest.
    let mixed = |name: &str, tensor: &Tensor| match name {
        _ if tensor.rank() == 1 => GgmlDType::F32,
        _ if name.contains("attn_v") || name.contains("ffn_down") => GgmlDType::Q6K,
        _ if name.starts_with("blk.1") => GgmlDType::Q8_0,
        _ => GgmlDType::Q4K,
    };
    let (blocks, wide) = (folder.path().join("blocks.gguf"), folder.path().join("wide.gguf"));
    converted.write(&blocks, mixed);
    converted.rounded(mixed).write(&wide, |_, _| GgmlDType::F32);
    let ids: Vec<u32> = (0..90).map(|i| i * 7919 % 320).collect();
    assert_eq!(scores(&engine(&blocks), [&*ids]), scores(&engine(&wide), [&*ids]));
    let checkpoint = Checkpoint::open_gguf(&blocks).unwrap();
    let file_bytes = std::fs::metadata(&blocks).unwrap().len() as usize;
    assert!(checkpoint.weight_bytes() < file_bytes + file_bytes / 20);
}
