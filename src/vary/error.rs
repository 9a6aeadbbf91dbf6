//! Why formats cannot be tried.

use std::path::PathBuf;

use crate::{
    kept_run::RunError, plan::PlanError, prepare::PrepareError, report::grouped, store::StoreError,
};

/// An error that ends the search, or the search under one model.
#[derive(Debug, thiserror::Error)]
pub enum VaryError {
    /// The prompts of a data set hold what another stage of it says.
    #[error(
        "data set {dataset} is a stage of another: its prompts hold what other stages say, so its formats cannot be tried \
         by themselves; write the other prompts as variants"
    )]
    Staged {
        /// The stage.
        dataset: String,
    },
    /// A run of formats failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Rows cannot be read.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// The entry of a format makes no plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The best format cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// All data sets are variants that the config names.
    #[error(
        "only variants are left ({names}); their formats are those of the data set before the @"
    )]
    OnlyVariants {
        /// Their names.
        names: String,
    },
    /// The data set is asked in a way whose prompts are no question with an answer.
    #[error(
        "data set {dataset}: formats are tried of PPLInferencer and GenInferencer, and this is {inferencer}; --dataset \
         chooses others"
    )]
    Inferencer {
        /// The data set.
        dataset: String,
        /// Its inferencer.
        inferencer: String,
    },
    /// Nothing says which format is better.
    #[error("data set {dataset}: {why}, so no format is better than another")]
    NoMetric {
        /// The data set.
        dataset: String,
        /// What is missing.
        why: String,
    },
    /// Nothing in the data set's prompts may vary.
    #[error("data set {dataset}: nothing in its prompts can be varied:\n{}", reasons.join("\n"))]
    NothingVaries {
        /// The data set.
        dataset: String,
        /// Why, for each element.
        reasons: Vec<String>,
    },
    /// The first step is too large.
    #[error(
        "model {model}: {formats} formats on {samples} samples may compute {} tokens, and the budget leaves {}; give \
         --budget-tokens more, or fewer --formats",
        grouped(*needed), grouped(*budget)
    )]
    Budget {
        /// The model.
        model: String,
        /// Formats of the first step, of all data sets.
        formats: usize,
        /// Samples of it.
        samples: usize,
        /// Tokens that it may compute.
        needed: usize,
        /// Tokens that it may.
        budget: usize,
    },
    /// The best format would be written over what it was made of.
    #[error("{} is the config itself; give --output another name", path.display())]
    OverConfig {
        /// The file.
        path: PathBuf,
    },
    /// What was written is read as something else.
    #[error(
        "{} was written, and is not read as the format that was found: {why}",
        path.display()
    )]
    ReadsOtherwise {
        /// The file.
        path: PathBuf,
        /// What differs.
        why: String,
    },
}
