//! Why examples could not be chosen.

use crate::{model::ModelError, prompt::PromptError};

/// Why a retriever gave up.
#[derive(Debug, thiserror::Error)]
pub enum RetrieveError {
    /// An id that is no training row.
    #[error(
        "the retriever chose training row {id} for test row {test_row}, but the training split has {train_rows} rows; choose from 0 to {train_rows} (exclusive), or widen train_range"
    )]
    OutOfRange {
        /// The id as chosen; negative ones count from the end.
        id: isize,
        /// The number of training rows.
        train_rows: usize,
        /// The row that was to get it as an example.
        test_row: usize,
    },
    /// More examples are wanted than there are rows to draw from.
    #[error(
        "ice_num asks for {ice_num} different examples, but the training split has {train_rows} rows; lower ice_num or widen train_range"
    )]
    TooFewRows {
        /// The number of examples.
        ice_num: usize,
        /// The number of training rows.
        train_rows: usize,
    },
    /// Similarity of words needs words.
    #[error(
        "the training rows hold no words to compare; check that input_columns names the columns with text"
    )]
    NoWords,
    /// A text on which a pattern of the tokenizer gives up.
    #[error("cannot split a text into words: {0}")]
    Words(#[from] Box<fancy_regex::Error>),
    /// A column that the retriever needs is not what it must be.
    #[error(
        "the column `{column}` must be {wanted}, found {found}; another retriever needs no such column"
    )]
    Column {
        /// Its name.
        column: &'static str,
        /// What it must be.
        wanted: &'static str,
        /// What it is.
        found: String,
    },
    /// More examples are wanted than are chosen from.
    #[error(
        "ice_num asks for {ice_num} different examples, but they are chosen from {candidates}; lower ice_num, or \
         raise candidate_num where the training split has more rows"
    )]
    TooFewCandidates {
        /// The number of examples.
        ice_num: usize,
        /// What they are chosen from.
        candidates: usize,
    },
    /// The candidates do not span enough directions.
    #[error(
        "test row {test_row}: among {candidates} candidates there are not {ice_num} whose vectors differ; lower ice_num \
         or raise candidate_num"
    )]
    TooAlike {
        /// The number of examples.
        ice_num: usize,
        /// What they are chosen from.
        candidates: usize,
        /// The row that was to get them.
        test_row: usize,
    },
    /// There is no choice to make.
    #[error("MDLRetriever compares nothing: give labels, and a select_time of at least 1")]
    NothingToCompare,
    /// A template cannot write what a model is asked.
    #[error(transparent)]
    Prompt(Box<PromptError>),
    /// A checkpoint cannot be used.
    #[error("the {what} `{name}` cannot be used: {source}")]
    Checkpoint {
        /// What it is for.
        what: &'static str,
        /// As the config names it.
        name: String,
        /// Why.
        source: Box<ModelError>,
    },
    /// A model gave no answer.
    #[error("the retriever's model `{name}` gave no answer: {what}")]
    NoAnswer {
        /// As the config names it.
        name: String,
        /// Why.
        what: String,
    },
    /// What models say cannot be kept.
    #[error("what `{name}` says cannot be kept or found: {what}")]
    Keeping {
        /// As the config names it.
        name: String,
        /// Why.
        what: String,
    },
    /// Where retrievers are given no models.
    #[error("the retriever asks `{name}`, but there are no models here")]
    NoModels {
        /// As the config names it.
        name: String,
    },
    /// Whoever embeds gives something else than a vector for each text.
    #[error(
        "`{encoder}` gave {vectors} vectors for {texts} texts, or vectors of different lengths"
    )]
    Vectors {
        /// As the config names it.
        encoder: String,
        /// What was asked.
        texts: usize,
        /// What came.
        vectors: usize,
    },
}
