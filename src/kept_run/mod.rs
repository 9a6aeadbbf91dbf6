//! A run as the store keeps it: found by its name, read, evaluated, exported.
//!
//! Whatever is said of a run after it was asked is said from here: the run itself evaluates what it has just
//! kept in the same way as `surprisal evaluate` does a year later. No weights and no data files are needed.
//!
//! Nothing here asks a model; that is `run`.

pub(crate) mod chosen_rule;
mod error;
pub(crate) mod evaluation;
mod export;
pub(crate) mod facts;
pub(crate) mod families;
pub(crate) mod find;
mod given_answers;
mod gold;
pub(crate) mod judgements;
pub(crate) mod kept_sample;
mod listing;
pub(crate) mod means;
mod outcome;
mod reevaluation;
pub(crate) mod row_content;
mod rule_rows;
pub(crate) mod run;
mod task_files;
mod unscored;

pub use error::RunError;
pub use export::{ExportOptions, export, format_of};
pub use facts::{PosixFacts, RunFacts, ServedAsking, UnitFacts, WorkDone};
pub use find::own_name;
pub use given_answers::given_answers;
pub use judgements::JudgedFacts;
pub use listing::{ListedRun, list};
pub use outcome::RunOutcome;
pub(crate) use reevaluation::Reevaluation;
pub use reevaluation::{ReevaluationOptions, reevaluate};
pub use rule_rows::{RuleRow, by_rule};
pub use task_files::{TaskFilesOptions, write_task_files};
pub use unscored::{Missing, Unscored};
