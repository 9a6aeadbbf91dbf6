//! From answers to figures.
//!
//! An evaluator compares predictions with references and gives metrics, each with its unit and, since
//! it speaks for more questions than were asked, its standard error. Evaluators are pure functions of
//! stored records: they run without the model, and as often as wanted. How a prediction is made out
//! of a generation is `postprocess`'s business, not theirs.

mod acc;
mod acc_with_details;
mod average_ppl;
pub mod details;
mod em;
mod error;
mod row;
mod scores;

use serde::Deserialize;

pub(crate) use self::scores::STATISTICS;
use self::{acc::Acc, acc_with_details::AccWithDetails, average_ppl::AveragePpl, em::ExactMatch};
pub use self::{
    error::EvaluateError,
    row::Row,
    scores::{Metric, Scores, Unit},
};
use crate::config::{Component, ConfigError, unknown_name};

/// A metric, or several that belong together.
///
/// ```
/// use surprisal::{config::{Component, Node}, evaluate::{self, Row}};
///
/// let component = Component::parse(&Node::from_json(&"AccEvaluator".into()))?;
/// let evaluator = evaluate::build(&component)?;
/// let rows = Row::zip(vec!["A".into(), "B".into()], vec!["A".into(), "C".into()])?;
/// assert_eq!(evaluator.evaluate(&rows)?.metrics[0].value, 50.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Evaluator: Send + Sync {
    /// Scores all rows of a data set.
    fn evaluate(&self, rows: &[Row]) -> Result<Scores, EvaluateError>;
}

/// The evaluator that a config names.
pub fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
    let name = component.type_name.as_str();
    if let Some(entry) = find(name) {
        return (entry.build)(component);
    }
    let known = EVALUATORS.iter().flat_map(|entry| [entry.alias, entry.name]);
    Err(unknown_name("evaluator", name, known, &component.origin))
}

/// The names of all evaluators, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    EVALUATORS.iter().map(|entry| entry.name)
}

/// Whether there is an evaluator of this name, ours or OpenCompass's.
pub fn is_known(name: &str) -> bool {
    find(name).is_some()
}

fn find(name: &str) -> Option<&'static Entry> {
    EVALUATORS.iter().find(|entry| entry.name == name || entry.alias == name)
}

/// One line of the registry.
struct Entry {
    name: &'static str,
    /// OpenCompass's class.
    alias: &'static str,
    build: fn(&Component) -> Result<Box<dyn Evaluator>, ConfigError>,
}

/// All evaluators, sorted by name.
const EVALUATORS: &[Entry] = &[
    Entry { name: "acc", alias: "AccEvaluator", build: |component| plain(component, Acc) },
    Entry {
        name: "acc_with_details",
        alias: "AccwithDetailsEvaluator",
        build: |component| plain(component, AccWithDetails),
    },
    Entry {
        name: "average_ppl",
        alias: "AveragePPLEvaluator",
        build: |component| plain(component, AveragePpl),
    },
    Entry { name: "em", alias: "EMEvaluator", build: |component| plain(component, ExactMatch) },
];

/// What an evaluator without parameters accepts in its dict besides `type`: nothing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoParameters {}

fn plain(
    component: &Component,
    evaluator: impl Evaluator + 'static,
) -> Result<Box<dyn Evaluator>, ConfigError> {
    component.read::<NoParameters>()?;
    Ok(Box::new(evaluator))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_sorted() {
        assert!(names().is_sorted());
    }
}
