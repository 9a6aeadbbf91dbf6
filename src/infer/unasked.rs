//! Stages that ask no model: passages are found in a corpus, or the prediction stands in the row.
//!
//! As inferencers they say what there is to be found; it is found where rows are made ready, before there is anything to ask.

use serde::Deserialize;

use super::{
    InferError, Inferencer, ModelDefaults, Outcome, PassageSearch, Prepared, PreparedPrompt, Task,
};
use crate::{
    answer::Question,
    config::{Component, ConfigError},
    engine::ScoreRequest,
};

/// What is known of a sample without asking.
#[derive(Clone, Debug)]
pub enum Unasked {
    /// The passages that its query finds.
    Passages(Box<PassageSearch>),
    /// The value of a column.
    Column(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ColumnParams {
    column: String,
}

impl Unasked {
    /// Reads `dict(type='PassageSearch', …)`.
    pub fn search(component: &Component) -> Result<Self, ConfigError> {
        Ok(Self::Passages(Box::new(PassageSearch::from_component(component)?)))
    }

    /// Reads `dict(type='RowColumn', column='question')`.
    pub fn column(component: &Component) -> Result<Self, ConfigError> {
        let ColumnParams { column } = component.read()?;
        Ok(Self::Column(column))
    }
}

impl Inferencer for Unasked {
    fn mode(&self) -> &'static str {
        match self {
            Self::Passages(_) => "search",
            Self::Column(_) => "column",
        }
    }

    fn with_defaults(&self, _: ModelDefaults) -> Box<dyn Inferencer> {
        Box::new(self.clone())
    }

    fn needs_template(&self) -> bool {
        false
    }

    fn shows_examples(&self) -> bool {
        false
    }

    fn unasked(&self) -> Option<&Unasked> {
        Some(self)
    }

    fn check(&self, _: &Task<'_>) -> Result<Vec<String>, InferError> {
        Ok(Vec::new())
    }

    fn prepare(&self, _: &Task<'_>, sample: usize) -> Result<Prepared, InferError> {
        // Every row of such a data set is known by now.
        Err(InferError::Mismatch(format!("sample {sample}: nothing is asked about it")))
    }

    fn question(&self, prompt: &PreparedPrompt) -> Question {
        Question::Score(ScoreRequest { ids: prompt.ids.clone(), first_target: 1 })
    }

    fn outcome(&self, _: &Prepared) -> Outcome {
        Outcome::Failed { error: "nothing is asked about it".to_owned() }
    }
}
