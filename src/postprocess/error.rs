//! What can go wrong while an answer is read.

use serde_json::Value;

use super::python_regex::PatternError;

/// Why an answer could not be processed. The sample fails; the run goes on.
#[derive(Debug, thiserror::Error)]
pub enum PostprocessError {
    /// The matcher gave up on this text.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The text has no part that the processor could take, and there is no agreed stand-in.
    #[error("{processor} found no {missing} in {text:?}")]
    NothingFound {
        /// The post-processor.
        processor: &'static str,
        /// What it looked for.
        missing: String,
        /// The text it was given.
        text: String,
    },
    /// The processor needs a column that the sample does not have.
    #[error("{processor} needs the column {column:?}; the sample has {available}")]
    NoColumn {
        /// The post-processor.
        processor: &'static str,
        /// The column it was told to use.
        column: String,
        /// The columns there are, joined by commas.
        available: String,
    },
    /// The answer is a molecule, and would have to be written in one form to be compared.
    #[error(
        "{processor} would compare the molecule {smiles:?} in RDKit's canonical form, which is not \
         written here; leave this task out, or compare the texts with the post-processor 'retrosynthesis'"
    )]
    NoChemistry {
        /// The post-processor.
        processor: &'static str,
        /// The molecule.
        smiles: String,
    },
    /// The answer is a formula that OpenCompass would have computed, and that is not computed here.
    #[error("{processor} does not work out what {text:?} comes to")]
    Undecided {
        /// The post-processor.
        processor: &'static str,
        /// The formula.
        text: String,
    },
    /// Predictions are texts or lists of texts.
    #[error("a post-processor works on text, but this is {0}")]
    NotText(Value),
}
