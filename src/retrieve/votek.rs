//! The training rows that stand for most others, the same ones for every row.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde::Deserialize;

use super::{
    Corpus, EncoderName, RetrieveError, Retriever,
    models::{default_encoder, gpt2},
    nearest::{EmbeddedRows, inner_product},
    newline, one,
    ranking::ascending,
};
use crate::python::PythonRandom;

/// Lets every training row vote for those most like it, and shows the rows with the most votes that others do not
/// stand for already (Su et al. 2022, as OpenCompass has it). Where these are too few, the rest is drawn at random.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VotekRetriever {
    /// Examples.
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
    /// Votes of a row.
    #[serde(default = "three")]
    votek_k: usize,
    /// Of the rows that are drawn, as given to `random.seed`. Ours alone: OpenCompass draws others in every run.
    #[serde(default)]
    seed: u64,
    /// Texts are batched by their tokens.
    #[serde(default, rename = "batch_size")]
    _batch_size: Option<usize>,
}

impl Retriever for VotekRetriever {
    fn select(&self, corpus: &Corpus<'_>) -> Result<Vec<Vec<isize>>, RetrieveError> {
        let encoder = EncoderName {
            encoder: &self.sentence_transformers_model_name,
            tokenizer: &self.tokenizer_name,
        };
        let (train_rows, ice_num) = (corpus.dataset.train.len(), self.ice_num);
        let rows = EmbeddedRows::of(corpus, encoder)?;
        let mut chosen = elected(&votes(&rows.train, self.votek_k), ice_num);
        let taken: HashSet<usize> = chosen.iter().copied().collect();
        let left: Vec<usize> = (0..train_rows).filter(|row| !taken.contains(row)).collect();
        if chosen.len() < ice_num {
            let mut random = PythonRandom::from_seed(self.seed);
            let drawn = random.sample(left.len(), ice_num - chosen.len());
            let drawn = drawn.ok_or(RetrieveError::TooFewRows { ice_num, train_rows })?;
            chosen.extend(drawn.into_iter().filter_map(|place| left.get(place)));
        }
        let chosen: Vec<isize> = chosen.into_iter().map(usize::cast_signed).collect();
        Ok(vec![chosen; corpus.dataset.test.len()])
    }

    fn notes(&self, _: &Corpus<'_>) -> Vec<String> {
        vec![format!(
            "VotekRetriever draws the examples that votes do not decide with seed={}; OpenCompass draws others in \
             every run",
            self.seed
        )]
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

/// Who votes for a row, by row, in the order of the first votes.
type Votes = IndexMap<usize, Vec<usize>>;

/// Each row votes for `count` rows: those before the last in the order of their cosine with it. The last one is
/// the row itself, or one that is the same.
fn votes(rows: &[Vec<f32>], count: usize) -> Votes {
    let units: Vec<Vec<f32>> = rows.iter().map(|row| unit(row)).collect();
    let mut votes = Votes::new();
    for (voter, own) in units.iter().enumerate() {
        let cosines: Vec<f64> =
            units.iter().map(|other| f64::from(inner_product(other, own))).collect();
        let order = ascending(&cosines);
        let before_last = &order[..order.len().saturating_sub(1)];
        let nearest = &before_last[before_last.len().saturating_sub(count)..];
        for &row in nearest.iter().filter(|row| **row != voter) {
            votes.entry(row).or_default().push(voter);
        }
    }
    votes
}

/// The rows with the most votes, without those whose voters all vote for one that has more, be it chosen or not.
fn elected(votes: &Votes, count: usize) -> Vec<usize> {
    let mut candidates: Vec<(usize, HashSet<usize>)> =
        votes.iter().map(|(row, voters)| (*row, voters.iter().copied().collect())).collect();
    candidates.sort_by_key(|(_, voters)| std::cmp::Reverse(voters.len()));
    let stands = |place: &usize| {
        let (_, voters) = &candidates[*place];
        !candidates[..*place].iter().any(|(_, before)| voters.is_subset(before))
    };
    (0..candidates.len()).filter(stands).take(count).map(|place| candidates[place].0).collect()
}

/// A vector of length one; one without length stays as it is.
fn unit(row: &[f32]) -> Vec<f32> {
    let length = inner_product(row, row).sqrt();
    let length = if length == 0.0 { 1.0 } else { length };
    row.iter().map(|number| number / length).collect()
}

/// OpenCompass's votes.
fn three() -> usize {
    3
}
