//! How much one config may cost.
//!
//! A config is someone else's program. It cannot reach anything, and with these limits it cannot
//! hang or exhaust the machine either. Of the 2,142 configs of OpenCompass 0.5.4 none needs more than
//! 160 thousand steps, 230 thousand elements and 2 MB of text.

use std::cell::Cell;

use super::failure::{Eval, Failure};

/// Evaluated expressions, compared values and the like, over all files of a config.
const STEPS: u64 = 10_000_000;
/// List items, dict entries and variables ever made.
const ELEMENTS: u64 = 5_000_000;
/// Bytes of strings ever made.
const TEXT_BYTES: u64 = 256 << 20;
/// Values inside values: deeper is most likely a list that holds itself.
pub(super) const VALUE_DEPTH: usize = 200;
/// Expressions, statements and calls inside each other while they are evaluated.
pub(super) const CALL_DEPTH: usize = 4_000;
/// Brackets, operators and indentation inside each other in a file's text.
pub(super) const SYNTAX_DEPTH: usize = 1_500;
/// Bytes of one config file.
pub(super) const FILE_BYTES: usize = 16 << 20;
/// Stack of the evaluating thread, in bytes: enough for the depths above.
pub(super) const STACK_BYTES: usize = 256 << 20;

/// What has been spent.
#[derive(Debug, Default)]
pub(super) struct Limits {
    steps: Cell<u64>,
    elements: Cell<u64>,
    text_bytes: Cell<u64>,
}

impl Limits {
    /// Counts `count` steps of work.
    pub(super) fn steps(&self, count: usize) -> Eval<()> {
        spend(&self.steps, count, STEPS, "steps of evaluation")
    }

    /// Counts `count` new elements of containers.
    pub(super) fn elements(&self, count: usize) -> Eval<()> {
        spend(&self.elements, count, ELEMENTS, "values in lists, dicts and variables")
    }

    /// Counts `count` new bytes of text.
    pub(super) fn text(&self, count: usize) -> Eval<()> {
        spend(&self.text_bytes, count, TEXT_BYTES, "bytes of text")
    }
}

fn spend(spent: &Cell<u64>, count: usize, limit: u64, what: &str) -> Eval<()> {
    spent.set(spent.get().saturating_add(count as u64));
    if spent.get() <= limit {
        return Ok(());
    }
    Err(Failure::limit(format!("this config needs more than {limit} {what}")))
}
