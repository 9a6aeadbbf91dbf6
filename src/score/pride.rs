//! `PriDe`: what a model thinks of labels as such is learnt from a few samples and taken off all others.
//!
//! Zheng et al. 2024, "Large Language Models Are Not Robust Multiple Choice Selectors": the prior of a sample is
//! the softmax of the labels' mean log-probability over the cyclic permutations of its options, the prior of the
//! data set the mean of those. A sample whose permutations were asked is scored by them; of any other, the
//! probability of a label is divided by its prior. Samples for the prior are taken at equal distances, not at random.

use serde::Deserialize;

use super::{
    Rule,
    cyclic::{Cyclic, rounds},
    label_probability::{answer_nats, mean_of_probabilities, normalized_nats},
};
use crate::{
    config::{ConfigError, Origin},
    infer::{Choice, OptionColumns, Wanted},
};

/// The share of samples whose permutations are asked, as in the paper's main experiments.
const SHARE: f64 = 0.05;

/// What a config says of the rule: where the options are, as of [`Cyclic`], and the share of samples whose
/// permutations are asked.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PrideSettings {
    options: Option<OptionColumns>,
    share: f64,
}

/// The rule.
#[derive(Clone)]
pub(super) struct Pride {
    options: Option<OptionColumns>,
    /// Permutations are asked of every so-manieth sample.
    every: usize,
    /// −ln of each label's prior, in nats, once it is known.
    prior: Option<Vec<f64>>,
}

impl Default for PrideSettings {
    fn default() -> Self {
        Self { options: None, share: SHARE }
    }
}

impl Pride {
    /// The rule of these settings; `origin` is where they stand.
    pub(super) fn of(settings: PrideSettings, origin: &Origin) -> Result<Self, ConfigError> {
        let PrideSettings { options, share } = settings;
        if !(share > 0.0 && share <= 1.0) {
            return Err(ConfigError::at(
                origin,
                format!("share must be above 0 and at most 1, found {share}"),
            ));
        }
        Ok(Self { options, every: (1.0 / share).round().max(1.0) as usize, prior: None })
    }
}

impl Rule for Pride {
    fn scores(&self, choice: Choice<'_>) -> Option<Vec<f64>> {
        if rounds(choice).is_some() {
            return Cyclic::default().scores(choice);
        }
        let prior = self.prior.as_ref().filter(|prior| prior.len() == choice.candidates.len())?;
        let own = normalized_nats(&answer_nats(choice.candidates));
        Some(own.iter().zip(prior).map(|(own, prior)| own - prior).collect())
    }

    fn needs_context(&self) -> bool {
        true
    }

    fn wanted(&self) -> Wanted {
        Wanted::Rotations { options: self.options.clone(), every: self.every }
    }

    fn fitted(&self, choices: &[Choice<'_>]) -> Option<Box<dyn Rule>> {
        let priors: Vec<Vec<f64>> =
            choices.iter().filter_map(|choice| Some(prior(&rounds(*choice)?))).collect();
        let first = priors.first()?;
        if priors.iter().any(|other| other.len() != first.len()) {
            return None;
        }
        let prior = mean_of_probabilities(&priors);
        Some(Box::new(Self { prior: Some(prior), ..self.clone() }))
    }
}

/// −ln of a sample's prior of each label: softmax of the mean log-probability over the rounds.
fn prior(rounds: &[Vec<f64>]) -> Vec<f64> {
    let labels = rounds.first().map_or(0, Vec::len);
    let mean =
        |label: usize| rounds.iter().map(|round| round[label]).sum::<f64>() / rounds.len() as f64;
    normalized_nats(&(0..labels).map(mean).collect::<Vec<f64>>())
}
