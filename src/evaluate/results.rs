//! What a results file holds: the scores, and what OpenCompass writes beside them.

use serde_json::{Map, Value};

use super::Scores;

/// Scores with fields that say more of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// The figures of the table, with their errors.
    pub scores: Scores,
    /// Fields of OpenCompass's that are no mean over all rows, such as counts: they are in the results file alone.
    pub beside: Map<String, Value>,
}

impl Results {
    /// Scores with nothing beside them.
    pub fn of(scores: Scores) -> Self {
        Self { scores, beside: Map::new() }
    }

    /// The content of a results file.
    pub fn to_json(&self, details: Option<Value>) -> Value {
        self.scores.to_results(self.beside.clone(), details)
    }
}
