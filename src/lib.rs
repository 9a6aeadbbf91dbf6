//! `surprisal` evaluates local language models by perplexity and by generation.
pub mod cli;
pub mod config;
pub mod dataset;
pub mod engine;
pub mod evaluate;
pub mod infer;
pub mod model;
pub mod ops;
pub mod postprocess;
pub mod prompt;
pub mod report;
pub mod retrieve;
pub mod run;
pub mod store;
