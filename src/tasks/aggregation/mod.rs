//! Aggregations: how the values of documents become one figure, and what its standard error is.
//!
//! Sums go from the first value to the last, as Python's `sum` does before version 3.12, and where the original uses
//! `NumPy`, in its order. Errors come from a formula for means, and from the bootstrap for most others; some figures have
//! none, and then lm-eval writes `N/A`.

mod bootstrap;
mod classes;
mod numbers;
mod probabilities;
mod translations;

use serde_json::Value;

use super::{
    function::{Functions, ScoringFunction, reference},
    value::TaskValue,
};
use crate::{
    config::nearest,
    registry::{Registration, Registry},
};

/// How many resamples of a corpus's BLEU and its kin are drawn at most.
const MOST_OF_CORPORA: usize = 100;

/// A way to make one figure of many values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregation {
    /// Bits for each byte of documents.
    BitsPerByte,
    /// sacreBLEU's BLEU.
    Bleu,
    /// The squared error of probabilities.
    BrierScore,
    /// None: always 999.
    Bypass,
    /// sacreBLEU's chrF.
    Chrf,
    /// The same with words.
    ChrfPlusPlus,
    /// F1 of the class 1.
    F1,
    /// Matthews' correlation coefficient.
    MatthewsCorrcoef,
    /// The mean.
    Mean,
    /// The value in the middle, the upper one of two.
    Median,
    /// The mean of what is a number.
    NanMean,
    /// e to the negative mean of log-likelihoods.
    Perplexity,
    /// sacreBLEU's translation edit rate.
    Ter,
    /// The same for each unit of the documents.
    WeightedPerplexity,
}

/// All aggregations.
pub const AGGREGATIONS: Registry<Aggregation> = Registry {
    kind: "aggregation",
    registrations: &[
        Registration::new(
            "bits_per_byte",
            &[],
            "bits for each byte of all documents",
            Aggregation::BitsPerByte,
        ),
        Registration::new("bleu", &[], "sacreBLEU's BLEU of a corpus", Aggregation::Bleu),
        Registration::new(
            "brier_score",
            &[],
            "the squared error of probabilities",
            Aggregation::BrierScore,
        ),
        Registration::new("bypass", &[], "no figure: always 999", Aggregation::Bypass),
        Registration::new("chrf", &[], "sacreBLEU's chrF of a corpus", Aggregation::Chrf),
        Registration::new(
            "chrf++",
            &[],
            "sacreBLEU's chrF++ of a corpus",
            Aggregation::ChrfPlusPlus,
        ),
        Registration::new("f1", &[], "F1 of the class 1 among two", Aggregation::F1),
        Registration::new(
            "matthews_corrcoef",
            &[],
            "Matthews' correlation coefficient",
            Aggregation::MatthewsCorrcoef,
        ),
        Registration::new("mean", &[], "the mean", Aggregation::Mean),
        Registration::new(
            "median",
            &[],
            "the middle value, the upper one of two",
            Aggregation::Median,
        ),
        Registration::new("nanmean", &[], "the mean of what is a number", Aggregation::NanMean),
        Registration::new("perplexity", &[], "e to the negative mean", Aggregation::Perplexity),
        Registration::new("ter", &[], "sacreBLEU's edit rate of a corpus", Aggregation::Ter),
        Registration::new(
            "weighted_perplexity",
            &[],
            "perplexity for each unit of all documents",
            Aggregation::WeightedPerplexity,
        ),
    ],
};

/// Values that are read once, and made to a figure as often as a bootstrap asks.
trait Statistic: Sync {
    /// The figure of the values at these places; there is at least one.
    fn of(&self, places: &[usize]) -> Result<f64, String>;
}

/// Where a standard error comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ErrorFrom {
    Formula,
    Bootstrap,
    Nothing,
}

impl Aggregation {
    /// The one of a name.
    fn named(value: &Value) -> Result<Self, String> {
        let name = value.as_str().ok_or("`aggregation` is the name of an aggregation")?;
        // No alias, no dotted path: lm-eval knows them by these names alone.
        let found = AGGREGATIONS.registrations.iter().find(|one| one.name == name);
        found.map(|found| found.value).ok_or_else(|| {
            let near = nearest(name, AGGREGATIONS.names());
            let hint = near.map(|near| format!(" (did you mean '{near}'?)")).unwrap_or_default();
            format!("the aggregation '{name}' is not known{hint}")
        })
    }

    fn statistic(self, items: &[TaskValue]) -> Result<Box<dyn Statistic>, String> {
        Ok(match self {
            Self::Mean => Box::new(numbers::Mean::of(items)?),
            Self::NanMean => Box::new(numbers::NanMean::of(items)?),
            Self::Median => Box::new(numbers::Median::of(items)?),
            Self::Perplexity => Box::new(numbers::Perplexity::of(items)?),
            Self::WeightedPerplexity => Box::new(numbers::WeightedPerplexity::of(items)?),
            Self::BitsPerByte => Box::new(numbers::BitsPerByte::of(items)?),
            Self::F1 => Box::new(classes::F1::of(items)?),
            Self::MatthewsCorrcoef => Box::new(classes::Matthews::of(items)?),
            Self::BrierScore => Box::new(probabilities::Brier::of(items)?),
            Self::Bleu => Box::new(translations::Bleu::of(items)?),
            Self::Chrf => Box::new(translations::Chrf::of(items, 0)?),
            Self::ChrfPlusPlus => Box::new(translations::Chrf::of(items, 2)?),
            Self::Ter => Box::new(translations::Ter::of(items)?),
            Self::Bypass => Box::new(Bypassed),
        })
    }

    fn error_from(self) -> ErrorFrom {
        match self {
            Self::Mean => ErrorFrom::Formula,
            Self::Median
            | Self::MatthewsCorrcoef
            | Self::F1
            | Self::Perplexity
            | Self::Bleu
            | Self::Chrf
            | Self::ChrfPlusPlus
            | Self::Ter
            | Self::NanMean => ErrorFrom::Bootstrap,
            Self::WeightedPerplexity | Self::BitsPerByte | Self::BrierScore | Self::Bypass => {
                ErrorFrom::Nothing
            }
        }
    }

    /// The figure of all values, and its standard error if it has one, by so many resamples.
    ///
    /// # Errors
    ///
    /// Where lm-eval stops: values that are none of what is aggregated.
    fn figure(
        self,
        metric: &str,
        items: &[TaskValue],
        resamples: usize,
    ) -> Result<(TaskValue, Option<f64>), String> {
        let statistic = self.statistic(items)?;
        let places: Vec<usize> = (0..items.len()).collect();
        let value = statistic.of(&places)?;
        let value = match self {
            Self::Bypass => TaskValue::Whole(999),
            // The value in the middle stays what it is.
            Self::Median if items.iter().all(|item| item.whole().is_some()) => {
                TaskValue::Whole(value as i128)
            }
            _ => TaskValue::Float(value),
        };
        // What has one value has no spread.
        if resamples == 0 || items.len() < 2 {
            return Ok((value, None));
        }
        let error = match self.error_from() {
            ErrorFrom::Nothing => None,
            ErrorFrom::Formula => Some(numbers::standard_error(items)?),
            ErrorFrom::Bootstrap => {
                // It is the metric's name that counts here, not the aggregation's.
                let is_of_corpus = matches!(metric, "bleu" | "chrf" | "chrf++" | "ter");
                let most = if is_of_corpus { MOST_OF_CORPORA } else { usize::MAX };
                let resamples = resamples.min(most);
                Some(bootstrap::standard_error(&*statistic, items.len(), resamples)?)
            }
        };
        Ok((value, error))
    }
}

/// The aggregation of a metric: one that is known by name, or a function of Python.
#[derive(Clone, Debug)]
pub(super) enum PlannedAggregation {
    Known(Aggregation),
    Function(ScoringFunction),
}

impl PlannedAggregation {
    /// The one that a task file names.
    pub(super) fn of(value: &Value, functions: Functions<'_>) -> Result<Self, String> {
        match reference(value) {
            Some(reference) => functions.find(reference).map(Self::Function),
            None => Aggregation::named(value).map(Self::Known),
        }
    }

    /// The figure of all values, and its standard error if it has one, by so many resamples; a function's has none.
    pub(super) fn figure(
        &self,
        metric: &str,
        items: &[TaskValue],
        resamples: usize,
    ) -> Result<(TaskValue, Option<f64>), String> {
        match self {
            Self::Known(aggregation) => aggregation.figure(metric, items, resamples),
            Self::Function(function) => {
                Ok((function.call(&[TaskValue::List(items.to_vec())])?, None))
            }
        }
    }
}

struct Bypassed;

impl Statistic for Bypassed {
    fn of(&self, _: &[usize]) -> Result<f64, String> {
        Ok(999.0)
    }
}
