//! Why examples could not be chosen.

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
}
