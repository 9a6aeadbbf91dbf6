//! Requests without end: random lists under a small budget, against each request alone.
//!
//! A few rounds by default; `SURPRISAL_SOAK_SECONDS=1200 cargo test --release --test soak` goes on for
//! that long and also tells whether memory grows.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use candle_core::{DType, Device};
use rand_mt::Mt64;
use serde_json::Value;
use surprisal::engine::{Engine, EngineOptions, GenerateRequest, Sampling, ScoreRequest};
use surprisal::model::spec::Reach;
use surprisal::model::{Checkpoint, Model};

/// Rounds if no time is given.
const ROUNDS: usize = 120;
/// The longest sequence.
const LONGEST_TOKENS: usize = 4000;
/// Memory that the allocator may come to hold after the first quarter of a long run.
const SLACK_BYTES: usize = 24 << 20;
/// A run with fewer samples of its memory says nothing about it.
const LEAST_SAMPLES: usize = 40;

struct Draw(Mt64);

impl Draw {
    /// A number from `from` to `to`, both included.
    fn between(&mut self, from: usize, to: usize) -> usize {
        from + self.0.next_u64() as usize % (to - from + 1)
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.between(1, count) == 1
    }

    /// Short lengths are as likely as long ones are: 1–2, 2–4, 4–8 …
    fn length(&mut self, most: usize) -> usize {
        let longest = self.between(1, 1 + most.ilog2() as usize);
        self.between(1, most.min(1 << longest))
    }

    fn tokens(&mut self, count: usize, letters: usize) -> Vec<u32> {
        (0..count).map(|_| self.between(0, letters - 1) as u32).collect()
    }

    /// A sequence of its own, or one that repeats, begins like or goes on from another.
    fn sequence(&mut self, earlier: &[Vec<u32>], model: &Model) -> Vec<u32> {
        let spec = model.decoder.spec();
        let most = LONGEST_TOKENS.min(spec.context_tokens);
        let letters = if self.one_in(3) { 2 } else { spec.vocabulary_size };
        if earlier.is_empty() || self.one_in(3) {
            let length = self.length(most);
            return self.tokens(length, letters);
        }
        let mut ids = earlier[self.between(0, earlier.len() - 1)].clone();
        if !self.one_in(4) {
            let cut = self.between(1, ids.len());
            ids.truncate(cut);
            if self.one_in(2) {
                let more = self.length(64).min(most - ids.len());
                ids.extend(self.tokens(more, letters));
            }
        }
        ids
    }

    fn generation(&mut self, ids: Vec<u32>) -> GenerateRequest {
        let sampling = Sampling {
            temperature: self.between(0, 12) as f64 / 8.0,
            top_k: self.one_in(2).then(|| self.between(1, 40)),
            top_p: self.one_in(2).then(|| self.between(1, 10) as f64 / 10.0),
            min_p: None,
            seed: self.0.next_u64(),
        };
        GenerateRequest {
            ids: ids.into(),
            max_new_tokens: self.between(0, 40),
            min_new_tokens: self.between(0, 4),
            stop: if self.one_in(3) { vec!["e".to_owned()] } else { Vec::new() },
            shown: Vec::new(),
            sampling: self.one_in(2).then_some(sampling),
        }
    }

    fn options(&mut self, bytes_per_token: usize) -> EngineOptions {
        let kept_tokens = if self.one_in(2) { self.length(4096) } else { self.between(512, 8192) };
        EngineOptions {
            batch_tokens: self.length(2048),
            live_sequences: self.between(1, 8),
            kv_bytes: Some(bytes_per_token * kept_tokens),
            block_tokens: 16 * self.between(1, 4),
            ignore_eos: self.one_in(2),
            suits_device: false,
        }
    }
}

/// One list of each kind; what is wrong with the answers, if anything.
fn round(seed: u64, model: &Model, bytes_per_token: usize) -> Result<usize, String> {
    let mut draw = Draw(Mt64::new(seed));
    let options = draw.options(bytes_per_token);
    let mut sequences: Vec<Vec<u32>> = Vec::new();
    for _ in 0..draw.between(1, 24) {
        sequences.push(draw.sequence(&sequences, model));
    }
    let (mut scores, mut generations) = (Vec::new(), Vec::new());
    for ids in sequences {
        if draw.one_in(3) {
            generations.push(draw.generation(ids));
        } else {
            // A first target past the end leaves nothing to score.
            let first_target = draw.between(0, ids.len() + 1);
            scores.push(ScoreRequest { ids: ids.into(), first_target });
        }
    }
    let packed = Engine::new(model.clone(), options);
    let scored = packed.score(&scores, &mut |_| ());
    let generated = packed.generate(&generations, &mut |_| ());
    let alone = || Engine::new(model.clone(), options);
    for (index, (request, answer)) in scores.iter().zip(scored).enumerate() {
        let expected = alone().score(std::slice::from_ref(request), &mut |_| ()).remove(0);
        if answer != expected {
            return Err(format!("seed {seed}: score {index} of {} is not its own", scores.len()));
        }
    }
    for (index, (request, answer)) in generations.iter().zip(generated).enumerate() {
        let expected = alone().generate(std::slice::from_ref(request), &mut |_| ()).remove(0);
        if answer != expected {
            let count = generations.len();
            return Err(format!("seed {seed}: continuation {index} of {count} is not its own"));
        }
    }
    match packed.statistics().forgotten_blocks {
        0 => Ok(scores.len() + generations.len()),
        blocks => Err(format!("seed {seed}: {blocks} blocks are still held")),
    }
}

/// Memory that this process holds, in bytes, where the system tells; its pages are of 4 KiB.
fn resident_bytes() -> Option<usize> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(pages.split_whitespace().nth(1)?.parse::<usize>().ok()? * 4096)
}

/// A fixture that reads long sequences: its rotary positions know no end.
fn model() -> Model {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models/qwen3");
    let folder = tempfile::tempdir().unwrap();
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        fs::copy(fixture.join(file), folder.path().join(file)).unwrap();
    }
    let config = folder.path().join("config.json");
    let mut fields: Value = serde_json::from_slice(&fs::read(&config).unwrap()).unwrap();
    fields["max_position_embeddings"] = LONGEST_TOKENS.into();
    fs::write(&config, fields.to_string()).unwrap();
    let checkpoint = Checkpoint::open_folder(folder.path()).unwrap();
    checkpoint.load(&Device::Cpu, DType::F32).unwrap()
}

#[test]
fn whatever_is_asked_is_answered_as_if_alone() {
    let model = model();
    let kept = model.decoder.kv_store(16, Reach::Native).expect("the fixture is whole");
    let bytes_per_token = kept.bytes_per_block() / 16;

    let seconds = env::var("SURPRISAL_SOAK_SECONDS").ok().and_then(|text| text.parse().ok());
    let begin = Instant::now();
    let goes_on = |rounds: usize| match seconds {
        None => rounds < ROUNDS,
        Some(seconds) => begin.elapsed() < Duration::from_secs(seconds),
    };
    let (mut rounds, mut requests) = (0, 0);
    let mut resident: Vec<usize> = Vec::new();
    while goes_on(rounds) {
        requests += round(rounds as u64, &model, bytes_per_token).unwrap_or_else(|e| panic!("{e}"));
        rounds += 1;
        if rounds.is_multiple_of(10) {
            resident.extend(resident_bytes());
        }
        if rounds.is_multiple_of(500) {
            let mebibytes = resident.last().map_or(0, |bytes| bytes >> 20);
            println!("{rounds} rounds, {requests} requests, {mebibytes} MiB");
        }
    }
    println!("{rounds} rounds, {requests} requests: all as if alone, nothing kept");
    if resident.len() >= LEAST_SAMPLES {
        let (first, rest) = resident.split_at(resident.len() / 4);
        let highest = |samples: &[usize]| samples.iter().copied().max().unwrap_or(0);
        let (early, late) = (highest(first), highest(rest));
        println!("memory: {} MiB in the first quarter, {} MiB after it", early >> 20, late >> 20);
        assert!(late <= early + SLACK_BYTES, "memory grew from {early} to {late} bytes");
    }
}
