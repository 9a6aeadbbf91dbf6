//! Evaluators whose figures cannot be had here: named, with the reason and what to do instead.

use super::Evaluator;
use crate::config::{Component, ConfigError};

/// The error for a config that names one of them.
pub(super) fn refuse(
    component: &Component,
    reason: &str,
    hint: &str,
) -> Result<Box<dyn Evaluator>, ConfigError> {
    Err(ConfigError::at(&component.origin, reason).with_hint(hint))
}

/// What can be done without a figure.
pub(super) const PREDICTIONS: &str =
    "leave out eval_cfg to keep the predictions, and compare them where the original runs";
