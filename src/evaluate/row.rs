//! What a metric compares.

use serde_json::{Map, Value};

use super::EvaluateError;
use crate::{dataset::Sample, infer::Record, sandbox::Ended};

/// One answered question, with all that is known about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row<'a> {
    /// The answer, after post-processing; null where the model was not asked for one.
    pub prediction: Value,
    /// The right answer, after its own post-processing: the value of the output column.
    pub reference: Value,
    /// The prompt as it is recorded (`origin_prompt`).
    pub prompt: Value,
    /// The recorded `ppl`: surprisal per token, in nats.
    pub ppl_nats: Option<f64>,
    /// How many tokens `ppl_nats` is the sum over, where it is recorded as a sum (`token_len`).
    pub tokens: Option<f64>,
    /// The recorded `loss`: surprisal of a window of a text, in nats.
    pub loss_nats: Option<f64>,
    /// The letters of the whole text that windows were taken of (`total_chr_num`).
    pub text_chars: Option<f64>,
    /// What an agent did on its way to the answer, step by step; null where none was asked.
    pub steps: Value,
    /// The row of the data set, where there is one.
    pub sample: Option<&'a Sample>,
    /// What was asked and answered, where there is a record.
    pub record: Option<&'a Record>,
    /// What a judge said of it: an entry of the judge's predictions file for each time that it was asked.
    pub judgements: Vec<Map<String, Value>>,
    /// The model whose answer it is, where that is known.
    pub model: Option<&'a str>,
    /// How the programs of its predictions ended, where they were run.
    pub ended: Vec<Ended>,
    /// The vectors of its texts ([`texts`](super::Evaluator::texts)), where they were embedded.
    pub vectors: Vec<Vec<f32>>,
}

impl Row<'_> {
    /// Rows of predictions and their references.
    pub fn zip(
        predictions: Vec<Value>,
        references: Vec<Value>,
    ) -> Result<Vec<Self>, EvaluateError> {
        if predictions.len() != references.len() {
            return Err(EvaluateError::LengthMismatch {
                predictions: predictions.len(),
                references: references.len(),
            });
        }
        let pairs = predictions.into_iter().zip(references);
        Ok(pairs
            .map(|(prediction, reference)| Self { prediction, reference, ..Self::default() })
            .collect())
    }
}
