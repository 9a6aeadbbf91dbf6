//! What a retriever chooses from and for.

use super::RetrievalModels;
use crate::dataset::{Dataset, Reader, Sample};

/// The rows of a data set, with the reader that knows which of their columns to compare.
#[derive(Clone, Copy, Debug)]
pub struct Corpus<'a> {
    /// Training rows, which examples are taken from, and test rows, which get examples.
    pub dataset: &'a Dataset,
    /// The reader that chose them.
    pub reader: &'a Reader,
    /// Whom retrievers ask that compare by more than words.
    pub models: &'a dyn RetrievalModels,
}

impl<'a> Corpus<'a> {
    /// The texts of the training rows by which they are found.
    pub fn train_texts(self) -> impl Iterator<Item = String> + 'a {
        self.texts(&self.dataset.train)
    }

    /// The texts of the test rows by which examples are sought.
    pub fn test_texts(self) -> impl Iterator<Item = String> + 'a {
        self.texts(&self.dataset.test)
    }

    fn texts(self, rows: &'a [Sample]) -> impl Iterator<Item = String> + 'a {
        rows.iter().map(move |row| self.reader.corpus_text(row))
    }
}
