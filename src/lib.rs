//! `surprisal` measures how surprised a local language model is by each candidate answer, and what it writes when it
//! is let go on. The program of that name is a thin layer over this library.
//!
//! Which of two answers does the model expect? A candidate's surprisal is the sum of −ln p over its tokens:
//!
//! ```
//! use candle_core::{DType, Device};
//! use surprisal::engine::{Engine, EngineOptions, ScoreRequest};
//! use surprisal::model::Checkpoint;
//!
//! let checkpoint = Checkpoint::open_folder("models/pocket".as_ref())?;
//! let model = checkpoint.load(&Device::Cpu, DType::F32)?;
//! let engine = Engine::new(model, EngineOptions::default());
//! let context = engine.tokenizer().encode("20+22=?\n", true)?;
//! let mut surprisals = Vec::new();
//! for answer in ["42", "43"] {
//!     let text = format!("20+22=?\n{answer}\n");
//!     let ids = engine.tokenizer().encode(&text, true)?.into();
//!     let request = ScoreRequest { ids, first_target: context.len() };
//!     let score = engine.score(&[request], &mut |_| ()).remove(0)?;
//!     surprisals.push(score.nlls.iter().sum::<f32>());
//! }
//! assert!(surprisals[0] < surprisals[1], "in nats: {surprisals:?}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Put many requests into one list: what they share is computed once.
//!
//! # Where to go on
//!
//! | to … | look at |
//! |---|---|
//! | read a checkpoint, a tokenizer, a GGUF file | [`model`] |
//! | score and continue token ids | [`engine`] |
//! | read a config | [`config`], and [`plan`] for what it asks for |
//! | read rows | [`dataset`] |
//! | write prompts | [`prompt`], [`chat`], [`retrieve`] |
//! | ask and keep answers | [`infer`], [`answer`], [`store`] |
//! | score candidates and answers | [`score`], [`postprocess`], [`evaluate`] |
//! | know how sure a figure is | [`statistics`] |
//! | run everything | [`run`] |
//! | compare what came out | [`compare`], [`diff`], [`vary`] |
//!
//! `ARCHITECTURE.md` at the root of the repository walks through these modules in the order in which data moves; the
//! book in `docs/` says what the program does. The shortest way through all of them:
//!
//! ```no_run
//! use surprisal::{hub::Silent, model::Activations, plan::RunPlan, run::{RunOptions, execute}};
//!
//! let plan = RunPlan::load(&["configs/demo.py".into()], &[])?;
//! let options = RunOptions {
//!     work_dir: "outputs".into(),
//!     limit: Some(20),
//!     devices: vec!["cpu".parse()?],
//!     dtype: None,
//!     activations: Activations::Exact,
//!     most_tokens: None,
//!     has_page: true,
//!     is_fresh: false,
//!     reuses_served: false,
//!     with_posix: false,
//!     keeps_image_rows: false,
//!     allows_code: false,
//!     strict: false,
//!     batch_tokens: None,
//!     kv_bytes: None,
//!     now: jiff::civil::date(2026, 1, 1).at(12, 0, 0, 0),
//!     clock: || jiff::Zoned::now().datetime(),
//!     command_line: Vec::new(),
//!     machine: String::new(),
//! };
//! for result in execute(&plan, &options, &Silent)?.results {
//!     assert!(result.value >= 0.0, "{} on {}", result.metric, result.dataset);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// What clippy.toml lists: files, the environment, the network. Rooms that may use them say so at their head.
#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod algebra;
pub mod answer;
pub mod audio;
pub mod bench;
pub mod benchmark;
pub mod chat;
pub mod cli;
pub mod compare;
pub mod compare_models;
pub mod config;
pub mod dataset;
pub mod diff;
pub mod engine;
pub mod evaluate;
pub mod fetch;
pub mod folder_sync;
pub mod hub;
pub mod image;
pub mod infer;
pub mod inspect;
pub mod kept_run;
pub mod model;
pub mod ops;
pub mod origin;
pub mod panic_guard;
pub mod pass_trace;
pub mod passages;
pub mod plan;
pub mod postprocess;
pub mod prepare;
pub mod prompt;
pub mod python;
pub mod registry;
pub mod regular_file;
pub mod report;
pub mod retrieve;
pub mod run;
pub mod run_page;
pub mod sandbox;
pub mod score;
pub mod selftest;
#[cfg(feature = "serve")]
pub mod serve;
pub mod shipped;
pub mod starter;
pub mod statistics;
pub mod store;
mod system;
pub mod tasks;
mod translation;
pub mod vary;
pub mod view;
pub mod warn;
mod wordnet;
