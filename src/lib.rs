//! `surprisal` evaluates local language models by perplexity and by generation, from OpenCompass-style
//! configs.
//!
//! The program is a thin layer over this library; `ARCHITECTURE.md` at the root of the repository walks
//! through its modules in the order in which data moves. The shortest way through all of them:
//!
//! ```no_run
//! use surprisal::{hub::Silent, plan::RunPlan, run::{RunOptions, execute}};
//!
//! let plan = RunPlan::load(&["configs/demo.py".into()], &[])?;
//! let options = RunOptions {
//!     work_dir: "outputs".into(),
//!     limit: Some(20),
//!     devices: vec!["cpu".parse()?],
//!     dtype: None,
//!     most_tokens: None,
//!     has_page: true,
//!     is_fresh: false,
//!     with_posix: false,
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
pub mod bench;
pub mod benchmark;
pub mod chat;
pub mod cli;
pub mod compare;
pub mod compare_models;
pub mod config;
pub mod dataset;
pub mod engine;
pub mod evaluate;
pub mod fetch;
pub mod folder_sync;
pub mod hub;
pub mod infer;
pub mod inspect;
pub mod kept_run;
pub mod model;
pub mod ops;
pub mod origin;
pub mod panic_guard;
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
pub mod statistics;
pub mod store;
mod system;
pub mod tasks;
pub mod vary;
pub mod view;
pub mod warn;
mod wordnet;
