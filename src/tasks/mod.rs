//! Tasks of lm-evaluation-harness: its YAML files as they are, and the requests that it makes of them.
//!
//! A folder is read into a [`TaskIndex`] of tasks, groups and tags; a name selects [`Member`]s; a task is a [`TaskPlan`]
//! with every default filled in, which makes [`Request`]s of rows, equal to lm-eval's to the character. What is asked
//! and how it is drawn follows version 0.4.13, its order of random draws included.
//!
//! Nothing here loads a data set, asks a model, or runs Python: a task whose text is made by a function is refused when
//! that text is needed, by the function's name.

#![expect(clippy::disallowed_methods, reason = "tasks are files, and a variable says where")]

mod error;
mod fewshot;
mod field;
mod index;
mod place;
mod plan;
mod request;
mod rows;
mod scalar;
mod selection;
mod task_file;
mod turn;
mod yaml;

pub use self::{
    error::TaskError,
    fewshot::FEWSHOT_SEED,
    field::{Field, Row, Template},
    index::{Entry, Kind, TaskIndex},
    place::tasks_folder,
    plan::{Examples, FewshotPlan, OutputType, Sampler, TaskPlan},
    request::{Arguments, Chat, ChatWriter, Request, RequestOptions},
    rows::TaskRows,
    selection::{Aggregate, Group, Member},
    turn::Turn,
};
