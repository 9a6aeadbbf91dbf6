//! The built binary, run in scratch folders as a person would run it.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod adapter;
mod asking_rules;
mod assistant_only;
mod bad_input;
mod benchmarks;
mod chat_template;
mod code;
mod compare;
mod compare_models;
mod demo;
mod dialogue;
mod evaluation;
mod gguf;
mod inspect;
mod judges;
mod list;
mod loaders;
mod long_rows;
mod meanwhile;
mod message_columns;
mod metric_encoders;
mod models;
mod never_silent;
mod opencompass_runs;
mod own_file;
mod posix;
mod read_page;
#[path = "../ready_benchmarks/mod.rs"]
mod ready_benchmarks;
mod repeats;
mod report;
mod resume;
mod retrieval;
mod rules;
mod scratch;
mod selftest;
mod store;
mod streams;
mod terminal;
mod variants;
mod vary;
mod view;
mod warnings;
