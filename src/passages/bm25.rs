//! Passages by the words that they share with a query.

use rayon::prelude::*;

use super::{Hit, PassageError, PassageIndex, best::Best, search_words};
use crate::retrieve::{Okapi, OkapiTexts};

/// Texts whose words are held at once.
const SPLIT_TEXTS: usize = 16_384;

/// BM25 over the words of [`search_words`], by [`OkapiTexts::for_search`]: a passage is found if it has a word of the query.
#[derive(Clone, Debug)]
pub struct Bm25Index {
    okapi: Okapi,
}

impl Bm25Index {
    /// Indexes texts in the order of their passages.
    pub fn new(texts: &[String]) -> Result<Self, PassageError> {
        let mut indexed = OkapiTexts::default();
        for texts in texts.chunks(SPLIT_TEXTS) {
            let words: Vec<Vec<String>> =
                texts.par_iter().map(|text| search_words(text)).collect::<Result<_, _>>()?;
            for words in &words {
                indexed.add(words);
            }
        }
        Ok(Self { okapi: indexed.for_search().ok_or(PassageError::NoWords)? })
    }
}

impl PassageIndex for Bm25Index {
    fn search(&self, queries: &[String], top_k: usize) -> Result<Vec<Vec<Hit>>, PassageError> {
        let found = |query: &String| {
            let mut best = Best::of(top_k);
            let scores = self.okapi.scores(&search_words(query)?).into_iter().enumerate();
            // No word has a weight of zero, so whoever scores zero shares none.
            scores
                .filter(|(_, score)| *score > 0.0)
                .for_each(|(passage, score)| best.add(Hit { passage, score }));
            Ok(best.sorted())
        };
        queries.par_iter().map(found).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(texts: &[&str], query: &str) -> Vec<usize> {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        let hits = Bm25Index::new(&texts).unwrap().search(&[query.to_owned()], 10).unwrap();
        hits[0].iter().map(|hit| hit.passage).collect()
    }

    #[test]
    fn only_what_shares_a_word_is_found() {
        let texts = ["a red mill", "a blue river", "a red river in a red land"];
        assert_eq!(found(&texts, "red river"), [2, 0, 1]);
        assert_eq!(found(&texts, "green"), [0; 0]);
        assert_eq!(found(&texts, " ?! "), [0; 0]);
        // Even what most passages have, and equal passages in their order.
        assert_eq!(found(&["a", "a", "b a"], "a"), [0, 1, 2]);
    }

    #[test]
    fn a_corpus_without_a_word_is_refused() {
        let error = Bm25Index::new(&["...".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("no words"), "{error}");
    }
}
