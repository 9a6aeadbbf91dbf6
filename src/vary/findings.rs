//! What came of a search.

use std::path::PathBuf;

use serde::Serialize;

use super::{Effect, Element, Find, NotVaried};
use crate::{evaluate::Unit, warn::WarningCount};

/// Everything that was found, for each data set under each model.
#[derive(Debug, Serialize)]
pub struct Findings {
    /// They.
    pub searches: Vec<SearchFindings>,
    /// The runs that asked, in order.
    pub runs: Vec<RungRun>,
    /// Tokens that were computed in all.
    pub computed_tokens: usize,
    /// Tokens of questions whose answers were known, each question in full.
    pub reused_tokens: usize,
    /// Tokens that could be computed, if that was bounded.
    pub budget_tokens: Option<usize>,
    /// The seed of everything that was drawn.
    pub seed: u64,
    /// What was looked for.
    pub find: Find,
    /// Configs with the best formats.
    pub configs: Vec<PathBuf>,
    /// Samples without an answer, in the last run of each model.
    pub failed_samples: usize,
    /// What was measured wrongly, in all runs.
    pub warnings: Vec<WarningCount>,
    /// What else is to be known, such as steps that the budget did not allow.
    pub notes: Vec<String>,
    /// Why a model or a data set has no findings; those of others are there.
    pub errors: Vec<String>,
}

/// A run that asked about some formats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RungRun {
    /// Its name, as `runs` lists it.
    pub run: String,
    /// The model.
    pub model: String,
    /// Which step of the search, from 1.
    pub rung: usize,
    /// How many steps there were to be.
    pub rungs: usize,
    /// Formats that were asked about, of all data sets.
    pub formats: usize,
    /// Samples that each of them was asked about; of several data sets the most.
    pub samples: usize,
    /// Distinct questions.
    pub questions: usize,
    /// Those whose answers were known.
    pub reused_questions: usize,
    /// Tokens that were computed.
    pub computed_tokens: usize,
    /// Tokens of questions whose answers were known, each question in full.
    pub reused_tokens: usize,
}

/// The formats of one data set under one model.
#[derive(Debug, Serialize)]
pub struct SearchFindings {
    /// The data set.
    pub dataset: String,
    /// The model.
    pub model: String,
    /// The metric.
    pub metric: String,
    /// Its unit.
    pub unit: Unit,
    /// Whether the larger figure is the better one.
    pub is_more_better: bool,
    /// All samples of the data set.
    pub samples: usize,
    /// Formats that there are, those that come out equal counted apart.
    pub possible_formats: f64,
    /// What was varied, with all values.
    pub elements: Vec<VariedElement>,
    /// What was not, and why.
    pub not_varied: Vec<NotVaried>,
    /// The formats, the config's own first.
    pub formats: Vec<FormatFindings>,
    /// The place of the best format, of those asked about most samples.
    pub best: usize,
    /// The place of the worst: of those asked about most samples where the worst was looked for, or else of all.
    pub worst: usize,
    /// The median of all formats' figures, each over the samples that it was asked about.
    pub median: Option<f64>,
    /// Fewest samples behind one of these figures.
    pub median_samples: usize,
    /// The best format against the worst.
    pub spread: Option<Confirmation>,
    /// The best format against the config's own.
    pub gain: Option<Confirmation>,
    /// What each element does, over the samples of the first step, which all formats were asked about.
    pub effects: Vec<Effect>,
    /// How many samples that are.
    pub effect_samples: usize,
    /// The texts of the best format's template.
    pub best_template: Vec<String>,
    /// The texts of the worst format's template.
    pub worst_template: Vec<String>,
    /// What else is to be known.
    pub notes: Vec<String>,
}

/// An element that was varied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VariedElement {
    /// Which.
    pub element: Element,
    /// What it may be; the first is what the config says.
    pub values: Vec<String>,
}

/// A format and its figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FormatFindings {
    /// `base`, `f01`, …
    pub name: String,
    /// The value of each element.
    pub values: Vec<ElementValue>,
    /// The figure over the samples that it was asked about; null without any.
    pub value: Option<f64>,
    /// Lower bound of its 95 % interval.
    pub low: Option<f64>,
    /// Its upper bound.
    pub high: Option<f64>,
    /// How many samples it was asked about.
    pub samples: usize,
    /// How many of them have no answer.
    pub failed: usize,
    /// Whether it stopped before others did.
    pub stopped_early: bool,
}

/// What a format has for an element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ElementValue {
    /// The element.
    pub element: Element,
    /// Its value.
    pub value: String,
}

/// Two formats against each other: on all samples, and on those that had no part in choosing formats.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Confirmation {
    /// The place of one format.
    pub left: usize,
    /// The place of the other.
    pub right: usize,
    /// Left less right over all samples that both were asked about.
    pub value: f64,
    /// Samples that chose no format: those that are new in the last step.
    pub fresh_samples: usize,
    /// Left less right over these.
    pub fresh_value: Option<f64>,
    /// Lower bound of its 95 % interval, which holds together with those of all pairs of the last step (max-T).
    pub low: Option<f64>,
    /// Its upper bound.
    pub high: Option<f64>,
    /// p, corrected for these pairs.
    pub p: Option<f64>,
    /// How many pairs that are.
    pub pairs: usize,
    /// Why there is no interval.
    pub unstated: Option<String>,
}
