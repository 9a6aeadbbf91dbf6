//! Vectors that came with a corpus instead of being made here.

use std::{collections::HashMap, path::Path};

use super::{PassageEncoder, PassageError, TextRole, Vectors};
use crate::ops::dot::dot;

/// Passages whose vectors are made again to see whether an encoder made the given ones.
const TRIED: usize = 8;

/// The least cosine of a given vector and the encoder's own. Numbers that were kept in 16 bits stay above 0.9999, and
/// different encoders are near 0.
const LEAST_COSINE: f32 = 0.99;

impl Vectors {
    /// Reads the vectors of texts, in their order; `what` is what messages call the texts.
    pub fn read_for(path: &Path, texts: usize, what: &'static str) -> Result<Self, PassageError> {
        let vectors = Self::read_npy(path)?;
        if vectors.len() != texts {
            let found = vectors.len();
            let problem = format!(
                "it has {found} vectors for {texts} {what}; expected one for each, in their order"
            );
            return Err(PassageError::VectorFile { path: path.to_owned(), problem });
        }
        Ok(vectors)
    }

    /// Whether an encoder made the vectors of these passages: an error if those of a few are other ones.
    pub fn check_encoder(
        &self,
        texts: &[String],
        encoder: &dyn PassageEncoder,
        path: &Path,
    ) -> Result<(), PassageError> {
        let step = texts.len().div_ceil(TRIED).max(1);
        let tried: Vec<usize> = (0..texts.len()).step_by(step).collect();
        let tried_texts: Vec<String> =
            tried.iter().filter_map(|number| texts.get(*number).cloned()).collect();
        let own = Self::of_texts(&tried_texts, encoder, TextRole::Passage)?;
        let problem = if own.width() == self.width() {
            let cosines =
                tried.iter().zip(own.rows()).map(|(&at, row)| (at, dot(self.row(at), row)));
            let Some((at, cosine)) = cosines.min_by(|one, other| one.1.total_cmp(&other.1)) else {
                return Ok(());
            };
            if cosine >= LEAST_COSINE {
                return Ok(());
            }
            format!("the cosine of row {} and the encoder's own vector is {cosine:.2}", at + 1)
        } else {
            format!("its vectors have {} numbers and the encoder's {}", self.width(), own.width())
        };
        let problem = format!(
            "{problem}: it was made by another encoder, with another prompt, or of other passages"
        );
        Err(PassageError::VectorFile { path: path.to_owned(), problem })
    }
}

/// The given vectors of queries.
#[derive(Debug)]
pub struct GivenQueries {
    vectors: Vectors,
    by_text: HashMap<String, usize>,
}

impl GivenQueries {
    /// Queries with a vector for each, in their order. A text that is there twice has one vector, or it is an error.
    pub fn new(queries: &[String], vectors: Vectors) -> Result<Self, PassageError> {
        let mut by_text = HashMap::new();
        for (number, text) in queries.iter().enumerate() {
            let first = *by_text.entry(text.clone()).or_insert(number);
            if vectors.row(first) != vectors.row(number) {
                let (first, number) = (first + 1, number + 1);
                return Err(PassageError::Encoder {
                    problem: format!(
                        "the queries {first} and {number} are the same text and were given different vectors; give one"
                    ),
                });
            }
        }
        Ok(Self { vectors, by_text })
    }
}

impl PassageEncoder for GivenQueries {
    fn vectors(&self, texts: &[String], _: TextRole) -> Result<Vec<Vec<f32>>, PassageError> {
        let vector = |text: &String| {
            let number = self.by_text.get(text).ok_or_else(|| PassageError::Encoder {
                problem: format!("no vector was given for the query `{text}`"),
            })?;
            Ok(self.vectors.row(*number).to_vec())
        };
        texts.iter().map(vector).collect()
    }
}
