//! Everything of a run that needs no weights: rows, examples, checkpoints, prompts, ids.
//!
//! A `ReadyRun` only lacks its weights. What can be wrong with a run is found while it is made, for all
//! models and data sets, so that a mistake costs seconds and not hours. [`check`] tells what a run would
//! compute.

mod chat_checkpoint;
mod check;
mod cost;
mod error;
mod given_predictions;
mod loaded_dataset;
mod markup;
mod media_parts;
mod model_source;
mod passage_encoder;
mod passage_graphs;
mod passage_searches;
mod prefix_prompt;
mod progress;
mod ready;
mod retrieval_models;
mod scoring_model;
mod served_tokenizer;
mod stage_rows;
mod task_rows;
mod tokenizer;
mod unit;

pub use chat_checkpoint::ChatCheckpoint;
pub use check::{CheckRow, check};
pub use cost::MemoryCost;
pub use error::PrepareError;
pub use passage_encoder::CheckpointEncoder;
pub use passage_graphs::PassageGraphs;
pub use progress::Progress;
pub use retrieval_models::CheckpointModels;
pub(crate) use {
    loaded_dataset::LoadedDataset,
    markup::ModelMarkup,
    model_source::ModelSource,
    passage_searches::PassageSearches,
    ready::{ReadyModel, ReadyRun, chat_failed, max_seq_len_tokens, model_failed, ready_judge},
    served_tokenizer::ServedTokenizer,
    stage_rows::{RowSources, StageColumn, passage_values},
    tokenizer::ModelTokenizer,
    unit::{Unit, prepare, task},
};
