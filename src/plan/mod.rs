//! What a config asks for, understood: every name resolved, every default filled.
//!
//! A [`RunPlan`] is made of values alone. No row is read here and no checkpoint opened; `prepare` does
//! that.

mod abbr;
mod borrowed_parameters;
mod chat_settings;
mod comparison_plan;
mod config_entries;
mod custom_dataset;
mod custom_prompts;
mod custom_remarks;
mod data_entry;
mod dataset_plan;
mod error;
mod evaluation_plan;
mod judge_plan;
mod model_classes;
mod model_entry;
mod model_plan;
mod reasoning_plan;
mod repeats_plan;
mod row_source;
mod run_plan;
mod served_budget;
mod served_classes;
mod served_entry;
mod stage;
mod stage_chains;
mod task_choice;
mod unread_fields;
mod variant;

pub use chat_settings::ChatSettings;
pub use comparison_plan::{BaseModel, ComparisonPlan};
pub use config_entries::ConfigEntries;
pub use custom_dataset::{CustomDataset, DataType, InferMethod, entry_of_file};
pub use data_entry::DataEntry;
pub use dataset_plan::DatasetPlan;
pub use error::PlanError;
pub use evaluation_plan::EvaluationPlan;
pub use judge_plan::RunJudge;
pub use model_classes::{MODEL_CLASSES, PromptForm};
pub use model_plan::ModelPlan;
pub use reasoning_plan::ReasoningPlan;
pub use repeats_plan::RepeatsPlan;
pub use run_plan::{PlanSources, RunPlan};
pub use served_classes::{SERVED_CLASSES, ServedClass};
pub use stage::{ChainLink, Condition, EarlierStage, Stage};
pub(crate) use stage_chains::STAGE_MARK;
pub use task_choice::{AskedTasks, TaskChoice};
pub use variant::Variant;
