//! `surprisal` evaluates local language models by perplexity and by generation.
pub mod config;
pub mod dataset;
pub mod prompt;
pub mod retrieve;
