//! All tests of the library and of the built binary, one module for each subject, in one program: it is linked once.
//!
//! `cargo test --release --test all NAME` runs those whose names hold `NAME`, such as a module's. Only `fuzz` and `soak` are programs of their
//! own: they may run for hours, and `soak` measures the memory of its process. So a test here must not change its environment
//! variables or its folder, which all share.

mod adapters;
mod architecture;
mod bench_served;
mod chat_documented;
mod chat_fixtures;
mod cli;
mod config_language;
mod config_parts;
mod dialogue_data;
mod embedding_fixtures;
mod emulated_gpu;
mod encoded_prompt;
mod engine_invariants;
mod engine_numerics;
mod function_language;
mod gguf;
mod gguf_tokenizers;
mod golden_ais_multimodal;
mod golden_ais_multiturn;
mod golden_code;
mod golden_encoded;
mod golden_evaluators;
mod golden_inferencers;
mod golden_judges;
mod golden_mathpairs;
mod golden_postprocessors;
mod golden_prompt_hash;
mod golden_prompt_pipeline;
mod golden_reader;
mod golden_retrievers;
mod golden_summary;
mod hub;
mod kernels;
mod lmeval_diff;
mod lmeval_fixtures;
mod lmeval_rules;
mod loader_fixtures;
mod model_fixtures;
mod parquet;
mod ranking_fixtures;
mod ready_benchmarks;
mod rewriting_answers;
mod sandbox;
mod sentencepiece_models;
#[cfg(feature = "serve")]
mod serve;
mod served;
mod shared_text;
mod statistics_fixtures;
mod statistics_simulations;
mod vision_fixtures;
