//! Whatever a config, a template, a chat template, a task file with its functions, a data file or a GGUF file
//! says: an answer or an error, never a panic, a hang or all of the memory.
//!
//! Each target first replays what was found before (`tests/fixtures/fuzz/<target>/`), then tries texts
//! and values that a grammar makes up. By default these are a few hundred, the same ones each time;
//! `SURPRISAL_FUZZ_SECONDS` lets every target run that long, with new ones each time:
//!
//! ```sh
//! SURPRISAL_FUZZ_SECONDS=600 cargo test --release --test fuzz -- --nocapture
//! ```
//!
//! A case that fails is printed, made as small as it goes; it belongs into the target's folder.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails here")]

mod chat;
mod checkpoint;
mod config;
mod dataset;
mod functions;
mod gguf;
mod grammar;
mod node;
mod prompt;
mod row_template;
mod tasks;

use std::{
    env,
    fmt::Debug,
    fs,
    path::Path,
    time::{Duration, Instant},
};

use proptest::{
    strategy::Strategy,
    test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner},
};

/// Cases of a target when no time is given.
const CASES: u32 = 300;

/// Tries cases of a strategy.
#[expect(clippy::print_stdout, reason = "a long run says how far it came")]
fn explore<S>(strategy: S, try_out: impl Fn(&S::Value))
where
    S: Strategy,
    S::Value: Debug,
{
    let seconds = env::var("SURPRISAL_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let mut tried = 0;
    loop {
        let mut runner = match end {
            Some(_) => TestRunner::new(config.clone()),
            None => TestRunner::new_with_rng(
                config.clone(),
                TestRng::deterministic_rng(RngAlgorithm::ChaCha),
            ),
        };
        let outcome = runner.run(&strategy, |case| {
            try_out(&case);
            Ok(())
        });
        match outcome {
            Ok(()) => {}
            Err(TestError::Fail(reason, case)) => panic!("{reason}\nthe case: {case:?}"),
            Err(error) => panic!("{error}"),
        }
        tried += u64::from(CASES);
        if end.is_none_or(|end| Instant::now() >= end) {
            println!("{tried} cases tried");
            return;
        }
    }
}

/// Tries what was found before.
fn replay(target: &str, try_out: impl Fn(&str)) {
    replay_bytes(target, |bytes| try_out(std::str::from_utf8(bytes).unwrap()));
}

/// As [`replay`], for files that are no text.
#[expect(clippy::print_stdout, reason = "a test that hangs says where")]
fn replay_bytes(target: &str, try_out: impl Fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/fuzz").join(target);
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        println!("{}", path.display());
        try_out(&fs::read(path).unwrap());
    }
}
