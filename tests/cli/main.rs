//! The built binary, run in scratch folders as a person would run it.

mod bad_input;
mod demo;
mod opencompass_runs;
mod resume;
mod scratch;
