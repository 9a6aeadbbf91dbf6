//! Passages by the vectors of a sentence encoder.

use std::fmt::Debug;

use candle_core::{Device, Tensor};
use rayon::prelude::*;

use super::{Hit, PassageError, PassageIndex, best::Best, index::is_empty};
use crate::ops::{
    host,
    linear::{Weight, linear},
};

/// Passages that are compared at once.
const BLOCK_PASSAGES: usize = 16_384;
/// Queries that are compared at once: what comes of a block takes 16 MiB.
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
        let vectors = unit_vectors(encoder, texts, TextRole::Passage, None)?;
        let width = vectors.first().map_or(0, Vec::len);
        let blocks = vectors.chunks(BLOCK_PASSAGES).map(|block| packed(block, width));
        let blocks = blocks.collect::<Result<_, _>>();
        Ok(Self { encoder, blocks: blocks.map_err(|error| failed(&error))?, width })
    }

    /// The best passages for vectors of length 1.
    fn nearest(&self, queries: &[Vec<f32>], top_k: usize) -> candle_core::Result<Vec<Vec<Hit>>> {
        let input = tensor(queries, self.width)?;
        let mut best: Vec<Best> = queries.iter().map(|_| Best::of(top_k)).collect();
        let mut first = 0;
        for block in &self.blocks {
            add_products(&input, block, &|at| first + at, &mut best)?;
            first += block.output_size();
        }
        Ok(best.into_iter().map(Best::sorted).collect())
    }
}

/// Vectors of length 1 of these texts, of `width` numbers each or of as many as the first one has.
pub(super) fn unit_vectors(
    encoder: &dyn PassageEncoder,
    texts: &[String],
    role: TextRole,
    width: Option<usize>,
) -> Result<Vec<Vec<f32>>, PassageError> {
    let mut vectors = encoder.vectors(texts, role)?;
    let width = width.unwrap_or_else(|| vectors.first().map_or(0, Vec::len));
    check(&vectors, texts.len(), width)?;
    vectors.par_iter_mut().for_each(|vector| normalise(vector));
    Ok(vectors)
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
    let compared =
        || add_products(&tensor(queries, width)?, &packed(vectors, width)?, passage, best);
    compared().map_err(|error| failed(&error))
}

/// Tells `best` of each query of `input` what the passages of a block score; `passage` is the number of the one at a
/// place of the block.
fn add_products(
    input: &Tensor,
    block: &Weight,
    passage: &(dyn Fn(usize) -> usize + Sync),
    best: &mut [Best],
) -> candle_core::Result<()> {
    host::read(&linear(input, block, None, None)?, |products| {
        let rows = products.par_chunks(block.output_size()).zip(best);
        rows.for_each(|(products, best)| {
            for (at, product) in products.iter().enumerate() {
                best.add(Hit { passage: passage(at), score: f64::from(*product) });
            }
        });
    })
}

impl PassageIndex for DenseIndex<'_> {
    fn search(&self, queries: &[String], top_k: usize) -> Result<Vec<Vec<Hit>>, PassageError> {
        let asked: Vec<String> = queries.iter().filter(|query| !is_empty(query)).cloned().collect();
        let vectors = unit_vectors(self.encoder, &asked, TextRole::Query, Some(self.width))?;
        let mut found = Vec::with_capacity(asked.len());
        for queries in vectors.chunks(BLOCK_QUERIES) {
            found.extend(self.nearest(queries, top_k).map_err(|error| failed(&error))?);
        }
        let mut found = found.into_iter();
        let mut hits = |query: &String| if is_empty(query) { None } else { found.next() };
        Ok(queries.iter().map(|query| hits(query).unwrap_or_default()).collect())
    }
}

fn check(vectors: &[Vec<f32>], texts: usize, width: usize) -> Result<(), PassageError> {
    let problem = if vectors.len() != texts {
        format!("{} vectors for {texts} texts", vectors.len())
    } else if let Some(other) = vectors.iter().find(|vector| vector.len() != width) {
        format!("vectors of different lengths, {width} and {}", other.len())
    } else if vectors.iter().flatten().all(|number| number.is_finite()) {
        return Ok(());
    } else {
        "a vector with numbers that are not finite".to_owned()
    };
    Err(PassageError::Vectors { problem })
}

/// Makes a vector's length 1; one of zeros stays as it is, and is as near to everything.
fn normalise(vector: &mut [f32]) {
    let square: f64 = vector.iter().map(|number| f64::from(*number).powi(2)).sum();
    if square > 0.0 {
        let length = square.sqrt();
        for number in vector {
            *number = (f64::from(*number) / length) as f32;
        }
    }
}

fn packed(vectors: &[Vec<f32>], width: usize) -> candle_core::Result<Weight> {
    Weight::from_tensor(&tensor(vectors, width)?)
}

fn tensor(vectors: &[Vec<f32>], width: usize) -> candle_core::Result<Tensor> {
    Tensor::from_vec(vectors.concat(), (vectors.len(), width), &Device::Cpu)
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

        #[test]
        fn a_score_does_not_depend_on_the_passages_beside(
            vectors in proptest::collection::vec(proptest::collection::vec(-1.0_f32..1.0, 40), 2..60),
            kept in proptest::collection::vec(proptest::bool::ANY, 60),
        ) {
            let encoder = Given(vectors.clone());
            let all = names(0..vectors.len());
            let some = names((0..vectors.len()).filter(|&number| kept[number]));
            let found = |texts: &[String]| -> std::collections::BTreeMap<String, u64> {
                let index = DenseIndex::new(texts, &encoder).unwrap();
                let hits = index.search(&all[..1], texts.len()).unwrap().remove(0);
                hits.into_iter().map(|hit| (texts[hit.passage].clone(), hit.score.to_bits())).collect()
            };
            prop_assume!(!some.is_empty());
            let among_all = found(&all);
            prop_assert!(found(&some).iter().all(|(text, bits)| among_all[text] == *bits));
        }
    }
}
