//! Passages by the vectors of a sentence encoder.

use std::fmt::Debug;

use candle_core::{Device, Tensor};
use rayon::prelude::*;

use super::{Hit, PassageError, PassageIndex, Vectors, best::Best, index::is_empty};
use crate::ops::{
    host,
    linear::{Weight, linear},
};

/// Queries that are compared at once with a block of passages: what comes of it takes 16 MiB.
const BLOCK_QUERIES: usize = 256;

/// On which side of a search a text is: encoders may be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextRole {
    /// What is searched for.
    Query,
    /// What is found.
    Passage,
}

/// Makes vectors of texts.
pub trait PassageEncoder: Debug {
    /// A vector for each text, all of one length.
    fn vectors(&self, texts: &[String], role: TextRole) -> Result<Vec<Vec<f32>>, PassageError>;
}

/// Every query's vector is compared with every passage's: the score is the cosine of the two.
///
/// Products are those of the models' layers (`ops`), so a score has the same bits whatever is searched beside it.
#[derive(Debug)]
pub struct DenseIndex<'a> {
    encoder: &'a dyn PassageEncoder,
    /// Vectors of length 1, in blocks.
    blocks: Vec<Weight>,
    /// Numbers of a vector.
    width: usize,
}

impl<'a> DenseIndex<'a> {
    /// Indexes texts in the order of their passages.
    pub fn new(texts: &[String], encoder: &'a dyn PassageEncoder) -> Result<Self, PassageError> {
        Self::of(Vectors::of_texts(texts, encoder, TextRole::Passage)?, encoder)
    }

    /// Indexes the vectors of passages; `encoder` makes those of queries.
    pub fn of(vectors: Vectors, encoder: &'a dyn PassageEncoder) -> Result<Self, PassageError> {
        let width = vectors.width();
        // Each block is freed as soon as it is packed.
        let pack = |block| Weight::from_tensor(&tensor(block, width)?);
        let blocks = vectors.into_blocks().map(pack).collect::<Result<_, _>>();
        Ok(Self { encoder, blocks: blocks.map_err(|error| failed(&error))?, width })
    }

    /// The best passages for vectors of length 1.
    fn nearest(&self, queries: &[&[f32]], top_k: usize) -> candle_core::Result<Vec<Vec<Hit>>> {
        let input = tensor(queries.concat(), self.width)?;
        let mut best: Vec<Best> = queries.iter().map(|_| Best::of(top_k)).collect();
        let mut first = 0;
        for block in &self.blocks {
            let size = block.output_size();
            host::read(&linear(&input, block, None, None)?, |products| {
                let rows = products.par_chunks(size).zip(&mut best);
                rows.for_each(|(products, best)| {
                    for (at, product) in products.iter().enumerate() {
                        best.add(Hit { passage: first + at, score: f64::from(*product) });
                    }
                });
            })?;
            first += size;
        }
        Ok(best.into_iter().map(Best::sorted).collect())
    }
}

impl PassageIndex for DenseIndex<'_> {
    fn search(&self, queries: &[String], top_k: usize) -> Result<Vec<Vec<Hit>>, PassageError> {
        let asked = AskedVectors::of(queries, self.encoder, self.width)?;
        let vectors: Vec<&[f32]> = asked.vectors.rows().collect();
        let mut found = Vec::with_capacity(vectors.len());
        for queries in vectors.chunks(BLOCK_QUERIES) {
            found.extend(self.nearest(queries, top_k).map_err(|error| failed(&error))?);
        }
        Ok(asked.placed(found))
    }
}

/// The vectors of queries that are not empty.
#[derive(Debug)]
pub(super) struct AskedVectors {
    pub(super) vectors: Vectors,
    /// Of each query, whether it has one.
    has_one: Vec<bool>,
}

impl AskedVectors {
    /// Asks an encoder whose vectors of passages have `width` numbers.
    pub(super) fn of(
        queries: &[String],
        encoder: &dyn PassageEncoder,
        width: usize,
    ) -> Result<Self, PassageError> {
        let asked: Vec<String> = queries.iter().filter(|query| !is_empty(query)).cloned().collect();
        let vectors = Vectors::of_texts(&asked, encoder, TextRole::Query)?;
        if !vectors.is_empty() && vectors.width() != width {
            return Err(PassageError::OtherEncoder {
                queries_width: vectors.width(),
                passages_width: width,
            });
        }
        Ok(Self { vectors, has_one: queries.iter().map(|query| !is_empty(query)).collect() })
    }

    /// What was found, beside nothing for empty queries.
    pub(super) fn placed(self, found: Vec<Vec<Hit>>) -> Vec<Vec<Hit>> {
        let mut found = found.into_iter();
        let hits = |has_one| if has_one { found.next().unwrap_or_default() } else { Vec::new() };
        self.has_one.into_iter().map(hits).collect()
    }
}

/// The cosines of a query and some passages, to the bit those that a [`DenseIndex`] gives: passages and query are
/// rows of length 1.
pub(super) fn cosines(query: &[f32], passages: &[&[f32]]) -> Result<Vec<f64>, PassageError> {
    let cosines = || {
        let weight = Weight::from_tensor(&tensor(passages.concat(), query.len())?)?;
        let input = tensor(query.to_vec(), query.len())?;
        host::read(&linear(&input, &weight, None, None)?, |products| {
            products.iter().map(|product| f64::from(*product)).collect()
        })
    };
    cosines().map_err(|error| failed(&error))
}

/// Vectors of length 1 of these texts, of `width` numbers each or of as many as the first one has.
#[cfg(feature = "milvus")]
pub(super) fn unit_vectors(
    encoder: &dyn PassageEncoder,
    texts: &[String],
    role: TextRole,
    width: Option<usize>,
) -> Result<Vec<Vec<f32>>, PassageError> {
    let vectors = Vectors::of_texts(texts, encoder, role)?;
    match width {
        Some(width) if !vectors.is_empty() && vectors.width() != width => {
            let problem = format!("vectors of different lengths, {width} and {}", vectors.width());
            Err(PassageError::Vectors { problem })
        }
        _ => Ok(vectors.rows().map(<[f32]>::to_vec).collect()),
    }
}

/// Tells `best` of each query what some passages score, all by vectors of length 1; `passage` is the number of the one at
/// a place. The bits are those of [`DenseIndex`].
#[cfg(feature = "milvus")]
pub(super) fn compare(
    queries: &[Vec<f32>],
    vectors: &[Vec<f32>],
    passage: &(dyn Fn(usize) -> usize + Sync),
    best: &mut [Best],
) -> Result<(), PassageError> {
    let width = vectors.first().map_or(0, Vec::len);
    let compared = || {
        let block = Weight::from_tensor(&tensor(vectors.concat(), width)?)?;
        let input = tensor(queries.concat(), width)?;
        host::read(&linear(&input, &block, None, None)?, |products| {
            let rows = products.par_chunks(block.output_size()).zip(best);
            rows.for_each(|(products, best)| {
                for (at, product) in products.iter().enumerate() {
                    best.add(Hit { passage: passage(at), score: f64::from(*product) });
                }
            });
        })
    };
    compared().map_err(|error| failed(&error))
}

/// Rows of a matrix.
fn tensor(numbers: Vec<f32>, width: usize) -> candle_core::Result<Tensor> {
    let rows = numbers.len() / width.max(1);
    Tensor::from_vec(numbers, (rows, width), &Device::Cpu)
}

fn failed(error: &candle_core::Error) -> PassageError {
    PassageError::Vectors { problem: format!("vectors that cannot be compared: {error}") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Texts are numbers of vectors.
    #[derive(Debug)]
    struct Given(Vec<Vec<f32>>);

    impl PassageEncoder for Given {
        fn vectors(&self, texts: &[String], _: TextRole) -> Result<Vec<Vec<f32>>, PassageError> {
            Ok(texts.iter().map(|text| self.0[text.parse::<usize>().unwrap()].clone()).collect())
        }
    }

    fn names(numbers: impl IntoIterator<Item = usize>) -> Vec<String> {
        numbers.into_iter().map(|number| number.to_string()).collect()
    }

    fn cosine(one: &[f32], other: &[f32]) -> f64 {
        let product = |a: &[f32], b: &[f32]| -> f64 {
            a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        let lengths = (product(one, one) * product(other, other)).sqrt();
        if lengths > 0.0 { product(one, other) / lengths } else { 0.0 }
    }

    #[test]
    fn equal_passages_come_in_their_order_and_nothing_finds_nothing() {
        let encoder = Given(vec![vec![0.0, 2.0], vec![3.0, 0.0], vec![5.0, 0.0], vec![0.0, 0.0]]);
        let index = DenseIndex::new(&names([0, 1, 2, 3]), &encoder).unwrap();
        let queries = [" ".to_owned(), "1".to_owned()];
        let hits = index.search(&queries, 3).unwrap();
        let passages = |hits: &[Hit]| hits.iter().map(|hit| hit.passage).collect::<Vec<_>>();
        assert_eq!(
            hits.iter().map(|hits| passages(hits)).collect::<Vec<_>>(),
            [vec![], vec![1, 2, 0]]
        );
        assert_eq!(hits[1][0], Hit { passage: 1, score: 1.0 });
    }

    #[test]
    fn vectors_that_do_not_fit_are_refused() {
        for (vectors, expected) in [
            (vec![vec![1.0], vec![1.0, 2.0]], "different lengths, 1 and 2"),
            (vec![vec![f32::NAN], vec![1.0]], "not finite"),
        ] {
            let error = DenseIndex::new(&names([0, 1]), &Given(vectors)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn exact_search_is_sorting_all(
            vectors in proptest::collection::vec(proptest::collection::vec(-1.0_f32..1.0, 7), 2..90),
            top_k in 1_usize..12,
        ) {
            let encoder = Given(vectors.clone());
            let all = names(0..vectors.len());
            let index = DenseIndex::new(&all, &encoder).unwrap();
            let found = index.search(&all, top_k).unwrap();
            for (query, hits) in found.iter().enumerate() {
                let mut cosines: Vec<f64> =
                    vectors.iter().map(|vector| cosine(&vectors[query], vector)).collect();
                for hit in hits {
                    prop_assert!((hit.score - cosines[hit.passage]).abs() < 1e-5);
                }
                cosines.sort_by(|one, other| other.total_cmp(one));
                prop_assert_eq!(hits.len(), top_k.min(vectors.len()));
                for (hit, best) in hits.iter().zip(cosines) {
                    prop_assert!((hit.score - best).abs() < 1e-5);
                }
                // What is asked beside a query changes no bit.
                prop_assert_eq!(&index.search(&all[query..=query], top_k).unwrap()[0], hits);
            }
        }
    }
}
