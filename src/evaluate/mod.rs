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
mod postprocessed;
mod row;
mod scores;

use serde::Deserialize;
use serde_json::Value;

pub(crate) use self::scores::STATISTICS;
use self::{
    acc::Acc, acc_with_details::AccWithDetails, average_ppl::AveragePpl, em::ExactMatch,
    postprocessed::Postprocessed,
};
pub use self::{
    error::EvaluateError,
    row::Row,
    scores::{Metric, Scores, Unit},
};
use crate::{
    config::{Component, ConfigError},
    postprocess,
    registry::{Registration, Registry},
};

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
    /// Scores all rows of a data set, each row for itself and all together.
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError>;

    /// Whether a prediction counts as right, for a metric that compares each with its reference for
    /// equality; nothing for all others.
    fn accepts(&self, _prediction: &Value, _reference: &Value) -> Option<bool> {
        None
    }
}

/// Makes an evaluator from its parameters in a config.
pub type Constructor = fn(&Component) -> Result<Box<dyn Evaluator>, ConfigError>;

/// All evaluators.
// An evaluator is a line, however long.
#[rustfmt::skip]
pub const EVALUATORS: Registry<Constructor> = Registry {
    kind: "evaluator",
    registrations: &[
        Registration::new("acc", &["AccEvaluator"], "share of predictions that equal the gold as text", |component| plain(component, Acc)),
        Registration::new("acc_with_details", &["AccwithDetailsEvaluator"], "acc by value instead of by text: 1 equals 1.0 and not '1'; every comparison is kept", |component| plain(component, AccWithDetails)),
        Registration::new("average_ppl", &["AveragePPLEvaluator"], "mean of what ppl_only measures, in nats a token", |component| plain(component, AveragePpl)),
        Registration::new("em", &["EMEvaluator"], "share of predictions that equal one of the golds, in normalised spelling", |component| plain(component, ExactMatch)),
    ],
};

/// The evaluator that a config names, with the post-processor that it may have of its own.
pub fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
    let construct = EVALUATORS.get(component)?;
    let mut component = component.clone();
    let rule = component.params.remove("pred_postprocessor").filter(|rule| !rule.is_none());
    let rule = rule.map(|rule| postprocess::build(&Component::parse(&rule)?)).transpose();
    let rule = rule.map_err(|error| error.under("pred_postprocessor"))?;
    let evaluator = construct(&component)?;
    Ok(match rule {
        None => evaluator,
        Some(rule) => Box::new(Postprocessed { evaluator, rule }),
    })
}

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
