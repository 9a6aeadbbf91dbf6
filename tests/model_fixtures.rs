//! Tiny random checkpoints of real architectures against transformers' numbers.
//!
//! Every folder of checkpoints is run by one loop; a checkpoint of a family that is refused as
//! unsupported is counted by name as "not yet", never as passed. The folder is
//! `tests/fixtures/models` or the one named by the environment variable `SURPRISAL_MODEL_FIXTURES`;
//! `tests/families/make.py` fills one with many variants of every family.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use candle_core::{DType, Device, Tensor};
use serde::Deserialize;
use surprisal::engine::{Engine, EngineOptions, FinishReason, GenerateRequest, ScoreRequest};
use surprisal::model::{Checkpoint, KvStore, ModelError, Rows, Run, Segment};

/// Largest difference from transformers' surprisals, in nats.
const NLL_TOLERANCE: f32 = 2e-4;
/// Largest difference from transformers' logits.
const LOGIT_TOLERANCE: f32 = 2e-3;
/// Greedy choices closer than this may go either way.
const LEAST_MARGIN: f32 = 1e-3;

#[derive(Deserialize)]
struct Expected {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    text: String,
    ids: Vec<u32>,
    nll: Vec<f32>,
    last_top5: Vec<(usize, f32)>,
    greedy: Vec<u32>,
    greedy_margin: f32,
}

enum Outcome {
    Passed,
    Failed(String),
    NotYet(String),
}

#[test]
fn model_fixtures_agree_with_transformers() {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(fixtures())
        .expect("the folder of model fixtures is there")
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("expected.json").is_file())
        .collect();
    folders.sort();
    assert!(!folders.is_empty(), "no model fixtures in {}", fixtures().display());

    let mut families: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    let mut failures = String::new();
    for folder in &folders {
        let name = folder.file_name().unwrap_or_default().display();
        let [passed, failed, not_yet] = families.entry(model_type(folder)).or_default();
        match run(folder) {
            Outcome::Passed => *passed += 1,
            Outcome::NotYet(reason) => {
                *not_yet += 1;
                println!("not yet {name}: {reason}");
            }
            Outcome::Failed(reason) => {
                *failed += 1;
                writeln!(failures, "FAILED {name}: {reason}").unwrap();
            }
        }
    }
    for (family, [passed, failed, not_yet]) in &families {
        println!("{family}: {passed} passed, {failed} failed, {not_yet} not yet");
    }
    let [passed, failed, not_yet] =
        families.values().fold([0; 3], |sums, counts| [0, 1, 2].map(|at| sums[at] + counts[at]));
    println!("model fixtures: {passed} passed, {failed} failed, {not_yet} not yet");
    assert!(failures.is_empty(), "\n{failures}");
}

fn model_type(folder: &Path) -> String {
    let config = std::fs::read(folder.join("config.json")).unwrap_or_default();
    let config: serde_json::Value = serde_json::from_slice(&config).unwrap_or_default();
    config["model_type"].as_str().unwrap_or("no model_type").to_owned()
}

fn fixtures() -> PathBuf {
    std::env::var_os("SURPRISAL_MODEL_FIXTURES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models"),
        PathBuf::from,
    )
}

fn run(folder: &Path) -> Outcome {
    let checkpoint = match Checkpoint::open_folder(folder) {
        Ok(checkpoint) => checkpoint,
        Err(error @ ModelError::Unsupported { .. }) => return Outcome::NotYet(error.to_string()),
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    match compare(folder, &checkpoint) {
        Ok(()) => Outcome::Passed,
        Err(error) => Outcome::Failed(error.to_string().replace('\n', " ")),
    }
}

fn compare(folder: &Path, checkpoint: &Checkpoint) -> Result<(), Box<dyn Error>> {
    let expected: Expected = serde_json::from_slice(&std::fs::read(folder.join("expected.json"))?)?;
    let model = checkpoint.load(&Device::Cpu, DType::F32)?;
    // transformers' numbers were made without a stop at end-of-sequence tokens.
    let engine = Engine::new(model, EngineOptions { ignore_eos: true, ..EngineOptions::default() });

    for case in &expected.cases {
        let ids = engine.tokenizer().encode(&case.text, true)?;
        if ids != case.ids {
            return Err(format!("ids of {:?}: {ids:?}", case.text).into());
        }
    }
    let requests: Vec<ScoreRequest> = expected
        .cases
        .iter()
        .map(|case| ScoreRequest { ids: case.ids.as_slice().into(), first_target: 0 })
        .collect();
    for (case, score) in expected.cases.iter().zip(engine.score(&requests, &mut |_| ())) {
        let nlls = score?.nlls;
        if nlls.len() != case.nll.len() {
            return Err(format!("{} nlls of {:?}", nlls.len(), case.text).into());
        }
        if let Some((place, difference)) = furthest(&nlls, &case.nll) {
            return Err(format!("nll {place} of {:?} differs by {difference}", case.text).into());
        }
        let logits = last_logits(&engine, &case.ids)?;
        for &(id, expected) in &case.last_top5 {
            let found = *logits.get(id).ok_or("too few logits")?;
            if (found - expected).abs() > LOGIT_TOLERANCE {
                return Err(
                    format!("logit {id} of {:?}: {found}, not {expected}", case.text).into()
                );
            }
        }
    }
    let requests: Vec<GenerateRequest> = expected
        .cases
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
    for (case, generation) in expected.cases.iter().zip(engine.generate(&requests, &mut |_| ())) {
        let generation = generation?;
        assert_eq!(generation.finish, FinishReason::Length);
        if generation.ids != case.greedy && case.greedy_margin > LEAST_MARGIN {
            return Err(format!("greedy after {:?}: {:?}", case.text, generation.ids).into());
        }
    }
    // What transformers goes on with is the likeliest at each place, as far as the whole is computed as
    // its beginning is.
    let reach = |tokens: usize| engine.model().decoder.spec().reach(tokens);
    let clear = expected.cases.iter().filter(|case| case.greedy_margin > LEAST_MARGIN);
    let requests: Vec<ScoreRequest> = clear
        .map(|case| {
            let context = case.ids.len();
            let is_alike = |own: &usize| reach(context + own) == reach(context);
            let own = (1..=case.greedy.len()).take_while(is_alike).count();
            let ids = [case.ids.as_slice(), &case.greedy[..own]].concat().into();
            ScoreRequest { ids, first_target: context }
        })
        .collect();
    for (request, score) in requests.iter().zip(engine.score(&requests, &mut |_| ())) {
        let likeliest = score?.likeliest;
        if likeliest.contains(&false) {
            return Err(format!("likeliest after {:?}: {likeliest:?}", request.ids).into());
        }
    }
    Ok(())
}

/// The place of the largest difference, and the difference, if it is too large.
fn furthest(found: &[f32], expected: &[f32]) -> Option<(usize, f32)> {
    let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).enumerate();
    differences
        .filter(|(_, difference)| difference.is_nan() || *difference > NLL_TOLERANCE)
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
}

fn last_logits(engine: &Engine, ids: &[u32]) -> Result<Vec<f32>, Box<dyn Error>> {
    let decoder = &engine.model().decoder;
    let mut kept = decoder.kv_store(KvStore::BLOCK_TOKENS, decoder.spec().reach(ids.len()))?;
    let block_tokens = kept.block_tokens();
    kept.grow(ids.len().div_ceil(block_tokens))?;
    let runs = (0u32..).zip(ids.chunks(block_tokens));
    let table = runs.map(|(block, ids)| Run { block, tokens: ids.len() as u32 }).collect();
    let segments = [Segment::causal(0..ids.len(), table)];
    // Blocks are filled in order, so a token's slot is its position.
    let positions: Vec<u32> = (0..ids.len() as u32).collect();
    let rows = Rows::of_tokens(ids, &positions, &positions, &segments);
    let hidden = decoder.hidden(&rows, &mut kept)?;
    let last = Tensor::new(&positions[positions.len() - 1..], &Device::Cpu)?;
    Ok(decoder.logits(&hidden.index_select(&last, 0)?)?.squeeze(0)?.to_vec1()?)
}
