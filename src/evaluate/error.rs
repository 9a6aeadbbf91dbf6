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
    /// The row lacks a column that the metric reads.
    #[error(
        "row {row}: {evaluator} reads the column {column}, which this row does not have; name the data \
         set's own class, which writes it"
    )]
    NoColumn {
        /// Index of the row, from 0.
        row: usize,
        /// The metric.
        evaluator: &'static str,
        /// The column.
        column: &'static str,
    },
    /// The answers to a task of lm-evaluation-harness cannot be scored.
    #[error("{what}")]
    Task {
        /// Why not.
        what: String,
    },
    /// There is no WordNet.
    #[error(
        "METEOR compares meanings by WordNet, which is not here; {}",
        crate::evaluate::WORDNET_HINT
    )]
    NoWordNet,
    /// There is no such figure of these rows.
    #[error("{evaluator} is not defined here: {reason}")]
    Undefined {
        /// The metric.
        evaluator: &'static str,
        /// Why not.
        reason: &'static str,
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
    /// A judge was to say something of a row, and has not.
    #[error(
        "row {row}: the judge has not replied{}; `surprisal evaluate RUN --judge MODEL` asks one",
        .why.as_ref().map_or_else(String::new, |why| format!(" ({why})"))
    )]
    NotJudged {
        /// Index of the row, from 0.
        row: usize,
        /// Why there is no reply, if that is known.
        why: Option<String>,
    },
    /// The encoder that a metric compares texts by cannot be asked.
    #[error(
        "{reason}; `surprisal evaluate RUN` asks it again, and evaluator=dict(…, encoder='FOLDER') names another"
    )]
    Encoder {
        /// Which one, and why not.
        reason: String,
    },
    /// The texts of a row were not embedded.
    #[error("row {row}: its texts have no vectors; `surprisal evaluate RUN` makes them")]
    NotEmbedded {
        /// Index of the row, from 0.
        row: usize,
    },
    /// The programs of a row were not run.
    #[error("row {row}: its program was not run; `surprisal evaluate RUN --allow-code` runs it")]
    NotRun {
        /// Index of the row, from 0.
        row: usize,
    },
    /// Python lacks what the programs of a data set take for granted.
    #[error(
        "its programs need the Python modules {modules}, which python3 does not find; install them for it, and evaluate again \
         with `surprisal evaluate RUN --allow-code`"
    )]
    NoModules {
        /// Their names.
        modules: String,
    },
    /// The system or Python lacks what the programs of a data set are compiled, run or tested with.
    #[error(
        "its programs need {tools}, which the sandbox does not find; install compilers below /usr and modules for python3, and \
         evaluate again with `surprisal evaluate RUN --allow-code`"
    )]
    NoTools {
        /// Their names.
        tools: String,
    },
    /// Nothing is known of how programs of a language are run.
    #[error(
        "row {row}: programs in {language:?} are not run here, but those in {known} are; leave the evaluator out to keep predictions"
    )]
    NoLanguage {
        /// Index of the row, from 0.
        row: usize,
        /// The language, as the row names it.
        language: String,
        /// The languages that are run.
        known: String,
    },
    /// The tasks that a metric reads beside the data set are not there.
    #[error("the tasks that answers are tested with are missing: {why}")]
    NoTasks {
        /// What is missing, and what to do.
        why: String,
    },
    /// The rule of a cascade cannot look at a row.
    #[error("sample {row}, which the rule of the cascade looks at alone: {source}")]
    Cascade {
        /// Index of the row, from 0.
        row: usize,
        /// Why.
        source: Box<EvaluateError>,
    },
    /// The record of a row holds no perplexity.
    #[error("row {row}: the record has no ppl; {evaluator} goes with PPLOnlyInferencer")]
    NoPpl {
        /// Index of the row, from 0.
        row: usize,
        /// The metric.
        evaluator: &'static str,
    },
    /// The record of a row holds other measurements than the metric reads.
    #[error("row {row}: the record has no {fields}; {evaluator} goes with {inferencer}")]
    NotMeasured {
        /// Index of the row, from 0.
        row: usize,
        /// The metric.
        evaluator: &'static str,
        /// What is missing.
        fields: &'static str,
        /// What records it.
        inferencer: &'static str,
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
