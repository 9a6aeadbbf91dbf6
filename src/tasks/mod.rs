//! Tasks of lm-evaluation-harness: its YAML files as they are, and the requests that it makes of them.
//!
//! A folder is read into a [`TaskIndex`] of tasks, groups and tags; a name selects [`Member`]s; a task is a [`TaskPlan`]
//! with every default filled in, which makes [`Request`]s of rows, equal to lm-eval's to the character. What is asked
//! and how it is drawn follows version 0.4.13, its order of random draws included.
//!
//! Nothing here loads a data set, asks a model, or runs Python: functions that files name are called by the evaluator of
//! [`crate::config::functions`], and what it does not know is refused with the function's file and line.

#![expect(clippy::disallowed_methods, reason = "tasks are files, and a variable says where")]

mod aggregation;
mod answer;
mod asking;
mod config;
mod error;
mod fewshot;
mod fewshot_plan;
mod field;
mod files;
mod filter;
mod function;
mod function_digests;
mod index;
mod json;
mod keys;
mod metric;
mod place;
mod plan;
mod pooling;
mod request;
mod response;
mod results;
mod rows;
mod scalar;
mod scored;
mod scoring;
mod selection;
mod task_file;
mod turn;
mod unreachable_answer;
mod value;
mod yaml;

pub use self::{
    aggregation::{AGGREGATIONS, Aggregation},
    error::TaskError,
    fewshot::FEWSHOT_SEED,
    fewshot_plan::{Examples, FewshotPlan, Sampler},
    field::{Field, Row, Template},
    files::{RunFacts, folder_name, results_file, results_value, samples_file},
    filter::{FILTERS, Filter, FilterConstructor},
    index::{Entry, Kind, TaskIndex},
    metric::{METRICS, Measured, MetricDefaults},
    place::tasks_folder,
    plan::{OutputType, TaskPlan},
    request::{Arguments, Chat, ChatWriter, Request, RequestOptions},
    response::Response,
    results::{Reported, TaskResults},
    rows::{ANSWER_COLUMN, TaskRows, document},
    scored::{ScoredSample, ScoredTask, TaskFigure},
    scoring::{Answered, RESAMPLES, ScoreOptions, Scoring},
    selection::{Aggregate, Group, Member},
    turn::Turn,
    value::TaskValue,
};
