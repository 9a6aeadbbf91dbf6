//! Near training rows after which a language model is surest.

use serde::Deserialize;

use super::{
    Corpus, EncoderName, RetrieveError, Retriever, ScoredText, ScorerName,
    models::{default_encoder, gpt2},
    nearest::EmbeddedRows,
    newline, one,
};
use crate::{
    config::{Component, Node},
    dataset::Sample,
    prompt::{self, Label, Prompt, PromptAssembly, PromptError},
    python::NumpyRandom,
};

/// Tries the `ice_num` nearest rows and `select_time` − 1 random choices among the `candidate_num` nearest, and shows
/// the rows after which a model's probabilities of the labels have the lowest entropy (Wu et al. 2022).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MdlRetriever {
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
    /// The model that is asked.
    #[serde(default = "gpt2")]
    ce_model_name: String,
    /// Choices that are tried.
    #[serde(default = "five")]
    select_time: usize,
    ice_template: Component,
    #[serde(default)]
    prompt_template: Option<Component>,
    /// The labels; those of the templates or of the data without it.
    #[serde(default)]
    labels: Option<Vec<Node>>,
    /// As given to `np.random.seed`.
    #[serde(default = "first_seed")]
    seed: u32,
    /// Texts are batched by their tokens.
    #[serde(default, rename = "batch_size")]
    _batch_size: Option<usize>,
}

impl MdlRetriever {
    fn assembly(&self) -> Result<PromptAssembly, PromptError> {
        let ice_template = prompt::build(&self.ice_template)?.with_sorted_labels();
        let prompt_template = self.prompt_template.as_ref().map(prompt::build).transpose()?;
        let prompt_template = prompt_template.map(prompt::PromptTemplate::with_sorted_labels);
        let (separator, eos_token) = (&self.ice_separator, &self.ice_eos_token);
        PromptAssembly::new(Some(ice_template), prompt_template, separator, eos_token)
    }

    fn labels(&self, assembly: &PromptAssembly, corpus: &Corpus<'_>) -> Vec<Label> {
        if let Some(given) = &self.labels {
            return given.iter().map(|label| Label::new(label.to_json())).collect();
        }
        let column = corpus.reader.output_column();
        let gold = |row: &Sample| column.and_then(|column| row.get(column)).cloned();
        let golds: Vec<_> = corpus.dataset.test.iter().filter_map(gold).collect();
        assembly.labels(golds.iter())
    }

    /// The choices that are tried for each test row; all random ones come from one generator, in order.
    fn tries(&self, rows: &EmbeddedRows) -> Result<Vec<Vec<Vec<isize>>>, RetrieveError> {
        let (ice_num, candidates) = (self.ice_num, self.candidate_num.min(rows.train.len()));
        let mut random = NumpyRandom::from_seed(self.seed);
        let tries = |test_row| {
            let near = rows.nearest(test_row, candidates);
            let first = near.iter().take(ice_num).copied().collect();
            let drawn = (1..self.select_time).map(|_| {
                let places = random.choose(near.len(), ice_num);
                let places =
                    places.ok_or(RetrieveError::TooFewCandidates { ice_num, candidates })?;
                Ok(places.into_iter().filter_map(|place| near.get(place).copied()).collect())
            });
            std::iter::once(Ok(first)).chain(drawn).collect()
        };
        (0..rows.test.len()).map(tries).collect()
    }
}

impl Retriever for MdlRetriever {
    fn select(&self, corpus: &Corpus<'_>) -> Result<Vec<Vec<isize>>, RetrieveError> {
        let failed = |source: PromptError| RetrieveError::Prompt(Box::new(source));
        let assembly = self.assembly().map_err(failed)?;
        let labels = self.labels(&assembly, corpus);
        if labels.is_empty() || self.select_time == 0 {
            return Err(RetrieveError::NothingToCompare);
        }
        let encoder = EncoderName {
            encoder: &self.sentence_transformers_model_name,
            tokenizer: &self.tokenizer_name,
        };
        let rows = EmbeddedRows::of(corpus, encoder)?;
        let tries = self.tries(&rows)?;
        let output_column = corpus.reader.output_column();
        let mut asked = Vec::new();
        for (test_row, tries) in corpus.dataset.test.iter().zip(&tries) {
            for ids in tries {
                let train = |id: &isize| corpus.dataset.train.get(id.cast_unsigned());
                let examples: Vec<&Sample> = ids.iter().filter_map(train).collect();
                let examples = assembly.examples(&examples, output_column).map_err(failed)?.plain();
                let uncounted = format!("{examples}{}", self.ice_eos_token);
                let examples = Prompt::Text(examples);
                for label in &labels {
                    let candidate = assembly.candidate(test_row, &examples, label, false);
                    let text = candidate.map_err(failed)?.plain();
                    asked.push(ScoredText { text, uncounted: uncounted.clone() });
                }
            }
        }
        let scorer = ScorerName { model: &self.ce_model_name, tokenizer: &self.tokenizer_name };
        let losses = corpus.models.cross_entropies(scorer, &asked)?;
        let mut of_tries = losses.chunks(labels.len()).map(sureness);
        let surest = |tries: Vec<Vec<isize>>| {
            let mut best: Option<(f64, Vec<isize>)> = None;
            for (ids, sureness) in tries.into_iter().zip(&mut of_tries) {
                if best.as_ref().is_none_or(|(most, _)| sureness > *most) {
                    best = Some((sureness, ids));
                }
            }
            best.map(|(_, ids)| ids).unwrap_or_default()
        };
        Ok(tries.into_iter().map(surest).collect())
    }

    fn models(&self) -> Vec<&str> {
        vec![&self.sentence_transformers_model_name, &self.tokenizer_name, &self.ce_model_name]
    }

    fn ice_separator(&self) -> &str {
        &self.ice_separator
    }

    fn ice_eos_token(&self) -> &str {
        &self.ice_eos_token
    }
}

/// Σ p·ln p of the labels' probabilities, which are as e to the minus their losses.
fn sureness(losses: &[f64]) -> f64 {
    let weights: Vec<f64> = losses.iter().map(|loss| (-loss).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).map(|share| share * share.ln()).sum()
}

/// OpenCompass's number of tries.
fn five() -> usize {
    5
}

/// OpenCompass's seed.
fn first_seed() -> u32 {
    1
}
