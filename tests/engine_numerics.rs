//! The bits of the engine on the CPU.
//!
//! Answers are kept by the model's bytes and by `NUMERICS`. When the engine computes other bits, `NUMERICS` has
//! to be raised, or kept answers of one engine would stand beside new ones of another. Vector
//! instructions round differently and are part of a model's key, so each has bits of its own here.

use std::path::Path;

use candle_core::{DType, Device};
use surprisal::{
    engine::{Engine, EngineOptions, NUMERICS, ScoreRequest},
    hub::Silent,
    model::Checkpoint,
    ops::instruction_set,
};

/// `NUMERICS`, the instructions, and the FNV-1a hash of all surprisals' bits.
const BITS: &[(u32, &str, u64)] = &[(1, "AVX2", 0xc4f3_3e7a_0d62_000d)];

#[test]
fn engine_numerics() {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for model in ["e2e_models/tiny-llama-bos", "models/llama"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(model);
        let checkpoint = Checkpoint::open(&folder.to_string_lossy(), &Silent).unwrap();
        let vocabulary = checkpoint.spec().vocabulary_size as u32;
        let engine = Engine::new(
            checkpoint.load(&Device::Cpu, DType::F32).unwrap(),
            EngineOptions::default(),
        );
        // Ids that visit much of the vocabulary.
        let ids: Vec<u32> = (0..96_u32).map(|place| place * 37 % vocabulary).collect();
        let requests: Vec<ScoreRequest> = [96, 60, 7]
            .map(|length| ScoreRequest { ids: ids[..length].into(), first_target: 1 })
            .to_vec();
        for score in engine.score(&requests, &mut |_| ()) {
            for byte in score.unwrap().nlls.iter().flat_map(|nll| nll.to_bits().to_le_bytes()) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
    }
    let held = BITS.iter().find(|(_, instructions, _)| *instructions == instruction_set());
    match held {
        None => println!("no bits are held for {}: found {hash:#018x}", instruction_set()),
        Some((numerics, instructions, bits)) => assert_eq!(
            (NUMERICS, hash),
            (*numerics, *bits),
            "the engine's bits on {instructions} are {hash:#018x}; if that is meant, raise NUMERICS and write them down here"
        ),
    }
}
