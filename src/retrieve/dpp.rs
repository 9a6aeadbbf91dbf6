//! Training rows that are near the asked one and unlike each other.

use serde::Deserialize;

use super::{
    Corpus, EncoderName, RetrieveError, Retriever,
    models::{default_encoder, gpt2},
    nearest::{EmbeddedRows, NO_ROW, inner_product},
    newline, one,
    ranking::ascending,
};

/// Takes the `candidate_num` nearest rows, chooses those of them that a determinantal point process finds likeliest
/// together (Ye et al. 2023; greedily, after Chen et al. 2018), and shows them by nearness.
///
/// The released class stops with a `TypeError` on any input, because it indexes a list with an array. This is what it
/// chooses once that is an array.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DppRetriever {
    /// Examples per row.
    #[serde(default = "one")]
    ice_num: usize,
    #[serde(default = "newline")]
    ice_separator: String,
    #[serde(default = "newline")]
    ice_eos_token: String,
    #[serde(default = "default_encoder")]
    sentence_transformers_model_name: String,
    #[serde(default = "gpt2")]
    tokenizer_name: String,
    /// Nearest rows that are chosen from.
    #[serde(default = "one")]
    candidate_num: usize,
    /// How little nearness counts beside difference.
    #[serde(default = "tenth")]
    scale_factor: f64,
    /// Nothing is drawn.
    #[serde(default, rename = "seed")]
    _seed: Option<u32>,
    /// Texts are batched by their tokens.
    #[serde(default, rename = "batch_size")]
    _batch_size: Option<usize>,
}

impl Retriever for DppRetriever {
    fn select(&self, corpus: &Corpus<'_>) -> Result<Vec<Vec<isize>>, RetrieveError> {
        let encoder = EncoderName {
            encoder: &self.sentence_transformers_model_name,
            tokenizer: &self.tokenizer_name,
        };
        let (ice_num, candidates) = (self.ice_num, self.candidate_num);
        if ice_num > candidates {
            return Err(RetrieveError::TooFewCandidates { ice_num, candidates });
        }
        let rows = EmbeddedRows::of(corpus, encoder)?;
        let choose = |test_row: usize| {
            let mut near = rows.nearest(test_row, candidates);
            near.retain(|row| *row != NO_ROW);
            let vectors: Vec<&[f32]> = near
                .iter()
                .filter_map(|row| rows.train.get(row.cast_unsigned()))
                .map(Vec::as_slice)
                .collect();
            let kernel = Kernel::new(&rows.test[test_row], &vectors, self.scale_factor);
            let mut chosen = kernel.likeliest(ice_num).ok_or(RetrieveError::TooAlike {
                ice_num,
                candidates: vectors.len(),
                test_row,
            })?;
            let farness: Vec<f64> =
                chosen.iter().map(|place| -f64::from(kernel.relevances[*place])).collect();
            let order = ascending(&farness);
            chosen = order.into_iter().map(|place| chosen[place]).collect();
            Ok(chosen.into_iter().map(|place| near[place]).collect())
        };
        (0..rows.test.len()).map(choose).collect()
    }

    fn notes(&self, _: &Corpus<'_>) -> Vec<String> {
        vec![
            "OpenCompass's DPPRetriever stops with a TypeError on any data; the examples here are what it chooses \
             with that slip repaired"
                .to_owned(),
        ]
    }

    fn models(&self) -> Vec<&str> {
        vec![&self.sentence_transformers_model_name, &self.tokenizer_name]
    }

    fn ice_separator(&self) -> &str {
        &self.ice_separator
    }

    fn ice_eos_token(&self) -> &str {
        &self.ice_eos_token
    }
}

/// How near candidates are to the test row, and how alike to each other: all in f32, as NumPy has it.
#[derive(Debug)]
struct Kernel {
    relevances: Vec<f32>,
    /// relevanceᵢ · likenessᵢⱼ · relevanceⱼ, row by row.
    matrix: Vec<Vec<f32>>,
}

impl Kernel {
    fn new(query: &[f32], candidates: &[&[f32]], scale_factor: f64) -> Self {
        let query = divided(query);
        let units: Vec<Vec<f32>> = candidates.iter().map(|row| divided(row)).collect();
        let share = |one: &[f32], other: &[f32]| f32::midpoint(inner_product(one, other), 1.0);
        let mut relevances: Vec<f32> = units.iter().map(|unit| share(&query, unit)).collect();
        let highest = relevances.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let scale = (2.0 * scale_factor) as f32;
        for relevance in &mut relevances {
            *relevance = f64::from((*relevance - highest) / scale).exp() as f32;
        }
        let row = |(one, own): (&Vec<f32>, &f32)| {
            let others = units.iter().zip(&relevances);
            others.map(|(other, relevance)| relevance * share(one, other) * own).collect()
        };
        let matrix = units.iter().zip(&relevances).map(row).collect();
        Self { relevances, matrix }
    }

    /// `count` places that together have a large determinant, found greedily; nothing where what is left adds none.
    fn likeliest(&self, count: usize) -> Option<Vec<usize>> {
        let size = self.matrix.len();
        let mut left: Vec<f32> = (0..size).map(|place| self.matrix[place][place]).collect();
        let mut parts: Vec<Vec<f64>> = Vec::with_capacity(count);
        let mut chosen = Vec::with_capacity(count);
        while chosen.len() < count {
            let next = first_largest(&left)?;
            if left[next] <= 0.0 || chosen.contains(&next) {
                return None;
            }
            chosen.push(next);
            let root = f64::from(left[next]).sqrt();
            let part: Vec<f64> = (0..size)
                .map(|place| {
                    let known: f64 = parts.iter().map(|part| part[next] * part[place]).sum();
                    (f64::from(self.matrix[next][place]) - known) / root
                })
                .collect();
            for (left, part) in left.iter_mut().zip(&part) {
                *left = (f64::from(*left) - part * part) as f32;
            }
            parts.push(part);
        }
        Some(chosen)
    }
}

/// The first place of the largest number; nothing if there is none, or one that is not a number.
fn first_largest(numbers: &[f32]) -> Option<usize> {
    let mut best: Option<(usize, f32)> = None;
    for (place, number) in numbers.iter().copied().enumerate() {
        if number.is_nan() {
            return None;
        }
        if best.is_none_or(|(_, largest)| number > largest) {
            best = Some((place, number));
        }
    }
    best.map(|(place, _)| place)
}

/// A vector divided by its length.
fn divided(row: &[f32]) -> Vec<f32> {
    let length = inner_product(row, row).sqrt();
    row.iter().map(|number| number / length).collect()
}

/// OpenCompass's scale.
fn tenth() -> f64 {
    0.1
}
