//! What can keep a metric from being computed.

use crate::postprocess::PostprocessError;

/// Why a set of answers could not be scored.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// There are not as many predictions as references.
    #[error(
        "{predictions} predictions but {references} references; infer and evaluate the same rows"
    )]
    LengthMismatch {
        /// How many predictions.
        predictions: usize,
        /// How many references.
        references: usize,
    },
    /// The metric compares another kind of value.
    #[error("row {row}: {evaluator} needs {expected}, but {what} is {found}")]
    WrongKind {
        /// Index of the row, from 0.
        row: usize,
        /// The metric.
        evaluator: &'static str,
        /// Which value of the row.
        what: &'static str,
        /// The kind that is needed.
        expected: &'static str,
        /// What is there, as JSON.
        found: String,
    },
    /// A question that was asked with its options turned round was not asked as it was written.
    #[error(
        "question {question} has no row with its options in the order ABCD; circular needs the data set \
         with all turns of each question"
    )]
    NoPlainTurn {
        /// Which question, from 0, in the order of the rows.
        question: usize,
    },
    /// The record of a row holds no perplexity.
    #[error("row {row}: the record has no ppl; {evaluator} goes with PPLOnlyInferencer")]
    NoPpl {
        /// Index of the row, from 0.
        row: usize,
        /// The metric.
        evaluator: &'static str,
    },
    /// Text could not be normalised before it was compared.
    #[error("row {row}: {source}")]
    Normalization {
        /// Index of the row, from 0.
        row: usize,
        /// Why.
        source: Box<PostprocessError>,
    },
    /// A post-processor cannot read a value of a row.
    #[error("row {row}, {what}: {source}")]
    Postprocessing {
        /// Index of the row, from 0.
        row: usize,
        /// Which value.
        what: &'static str,
        /// Why.
        source: Box<PostprocessError>,
    },
    /// One of several runs could not be scored.
    #[error("run {run} of {runs}: {source}")]
    InRun {
        /// Which one, from 1.
        run: usize,
        /// How many there are.
        runs: usize,
        /// Why.
        source: Box<EvaluateError>,
    },
    /// A scoring rule looks at the answer, but no candidate has a context.
    #[error(
        "row {row}: the rule {rule} scores the answer after its context, but the candidates have no text in common before \
         their answers; use oc_ppl or text_sum, which score whole texts"
    )]
    NoContext {
        /// Index of the row, from 0.
        row: usize,
        /// The rule.
        rule: &'static str,
    },
    /// A scoring rule wants more than the candidates, and the run has not asked it.
    #[error(
        "row {row}: the rule {rule} wants more than this run has asked; run the config again with \
         eval_cfg=dict(rule='{rule}', …): what it has asked is not asked again"
    )]
    NotAsked {
        /// Index of the row, from 0.
        row: usize,
        /// The rule.
        rule: &'static str,
    },
}
