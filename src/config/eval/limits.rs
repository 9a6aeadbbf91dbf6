//! How much one config may cost.
//!
//! A config is someone else's program. It cannot reach anything, and with these limits it cannot
//! hang or exhaust the machine either. Of the 2,142 configs of OpenCompass 0.5.4 none needs more than
//! 160 thousand steps, 230 thousand elements and 2 MB of text.

use std::cell::Cell;

use super::{
    dialect::Dialect,
    failure::{Eval, Failure},
};

/// Evaluated expressions, compared values and the like, over all files of a config.
const STEPS: u64 = 10_000_000;
/// List items, dict entries and variables ever made.
const ELEMENTS: u64 = 2_000_000;
/// Bytes of strings ever made.
const TEXT_BYTES: u64 = 64 << 20;
/// Bytes of config files, and of texts that are evaluated. Their syntax trees are some fifty times as
/// large.
const SOURCE_BYTES: u64 = 8 << 20;
/// Values inside values: deeper is most likely a list that holds itself.
pub(super) const VALUE_DEPTH: usize = 200;
/// Expressions, statements and calls inside each other while they are evaluated.
pub(super) const CALL_DEPTH: usize = 4_000;
/// Brackets, operators and indentation inside each other in a file's text.
pub(super) const SYNTAX_DEPTH: usize = 1_500;
/// Bytes of one config file.
pub(super) const FILE_BYTES: usize = 4 << 20;
/// Steps that a question to the file system counts for.
pub(super) const FILE_STEPS: usize = 200;
/// Bytes of text that are gone through in a step.
const STEP_BYTES: usize = 64;
/// Bytes of a function's text that count as an element: its syntax tree is copied.
const ELEMENT_SOURCE_BYTES: usize = 4;
/// Stack of the evaluating thread, in bytes: enough for the depths above.
pub(super) const STACK_BYTES: usize = 256 << 20;

/// As [`STEPS`], for a file of functions while it is loaded, and then anew for each call and each row.
const FUNCTION_STEPS: u64 = 100_000_000;

/// What has been spent.
#[derive(Debug, Default)]
pub(super) struct Limits {
    dialect: Dialect,
    steps: Cell<u64>,
    elements: Cell<u64>,
    text_bytes: Cell<u64>,
    source_bytes: Cell<u64>,
}

/// What had been spent at some time, of what a call takes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    steps: u64,
    elements: u64,
    text_bytes: u64,
}

impl Limits {
    /// Nothing spent yet.
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, ..Self::default() }
    }

    /// The language of what is limited.
    pub(super) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// What has been spent so far.
    pub(super) fn spent(&self) -> Spent {
        Spent {
            steps: self.steps.get(),
            elements: self.elements.get(),
            text_bytes: self.text_bytes.get(),
        }
    }

    /// Counts from here again: all that was made since is gone.
    pub(super) fn return_to(&self, spent: Spent) {
        self.steps.set(spent.steps);
        self.elements.set(spent.elements);
        self.text_bytes.set(spent.text_bytes);
    }

    /// Gives a new call its own steps.
    pub(super) fn renew_steps(&self) {
        self.steps.set(0);
    }

    fn spend(&self, spent: &Cell<u64>, count: usize, limit: u64, what: &str) -> Eval<()> {
        spent.set(spent.get().saturating_add(count as u64));
        if spent.get() <= limit {
            return Ok(());
        }
        let subject = match self.dialect {
            Dialect::Config => "this config",
            Dialect::Functions => "this function",
        };
        Err(Failure::limit(format!("{subject} needs more than {limit} {what}")))
    }

    /// Counts `count` steps of work.
    pub(super) fn steps(&self, count: usize) -> Eval<()> {
        let most = match self.dialect {
            Dialect::Config => STEPS,
            Dialect::Functions => FUNCTION_STEPS,
        };
        self.spend(&self.steps, count, most, "steps of evaluation")
    }

    /// Counts `count` bytes of text that are compared, hashed or searched.
    pub(super) fn reading(&self, count: usize) -> Eval<()> {
        self.steps(count / STEP_BYTES)
    }

    /// Counts `count` new elements of containers.
    pub(super) fn elements(&self, count: usize) -> Eval<()> {
        self.spend(&self.elements, count, ELEMENTS, "values in lists, dicts and variables")
    }

    /// Counts `count` new bytes of text.
    pub(super) fn text(&self, count: usize) -> Eval<()> {
        self.spend(&self.text_bytes, count, TEXT_BYTES, "bytes of text")
    }

    /// Counts `count` bytes of text that are parsed.
    pub(super) fn source(&self, count: usize) -> Eval<()> {
        self.spend(&self.source_bytes, count, SOURCE_BYTES, "bytes of files and evaluated text")
    }

    /// Counts the copy of a syntax tree of `count` bytes of text.
    pub(super) fn syntax(&self, count: usize) -> Eval<()> {
        self.steps(count)?;
        self.elements(count / ELEMENT_SOURCE_BYTES)
    }
}
