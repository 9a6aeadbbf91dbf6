//! Why evaluation stopped: what Python would raise, what is not known here, or a limit.

use std::rc::Rc;

use ruff_text_size::TextRange;

use super::{dialect::Dialect, object::SourceLine};
use crate::config::error::ConfigError;

/// The outcome of evaluating something.
pub(super) type Eval<T> = Result<T, Box<Failure>>;

/// A failure on its way out. It gets its site from the innermost expression or statement it passes.
#[derive(Debug)]
pub(super) struct Failure {
    /// What sort of failure.
    pub(super) kind: Kind,
    /// What is wrong, without the name of the exception.
    pub(super) message: String,
    /// Whether the message is the program's own: those of Python's own errors are not known to the word.
    pub(super) is_own: bool,
    /// What to do.
    pub(super) hint: Option<String>,
    /// File and range of the text at fault.
    pub(super) site: Option<(u32, TextRange)>,
    /// Calls and imports that led there, innermost first.
    pub(super) trace: Vec<SourceLine>,
}

/// The sorts of failure.
#[derive(Debug)]
pub(super) enum Kind {
    /// An exception of Python, by name; `except` can catch it.
    Raised(Rc<str>),
    /// Python could do it, this evaluator does not.
    Unsupported,
    /// A limit was reached.
    Limit,
    /// An error that is complete already.
    Outside(ConfigError),
    /// The exception that is being handled, raised once more.
    Again,
}

impl Failure {
    fn new(kind: Kind, message: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            kind,
            message: message.into(),
            is_own: false,
            hint: None,
            site: None,
            trace: vec![],
        })
    }

    /// A Python exception.
    pub(super) fn raised(exception: &str, message: impl Into<String>) -> Box<Self> {
        Self::new(Kind::Raised(exception.into()), message)
    }

    /// A `TypeError`.
    pub(super) fn type_error(message: impl Into<String>) -> Box<Self> {
        Self::raised("TypeError", message)
    }

    /// A `ValueError`.
    pub(super) fn value_error(message: impl Into<String>) -> Box<Self> {
        Self::raised("ValueError", message)
    }

    /// Something Python can do and configs here, or functions, cannot.
    pub(super) fn unsupported(what: impl std::fmt::Display) -> Box<Self> {
        Self::new(Kind::Unsupported, what.to_string())
    }

    /// The exception that is being handled.
    pub(super) fn again() -> Box<Self> {
        Self::new(Kind::Again, "RuntimeError: No active exception to reraise")
    }

    /// A limit.
    pub(super) fn limit(message: impl Into<String>) -> Box<Self> {
        Self::new(Kind::Limit, message)
    }

    /// A number that needs more than 64 bits.
    pub(super) fn too_big() -> Box<Self> {
        Self::limit("this int does not fit into 64 bits, the limit here")
    }

    /// An error that needs no place.
    pub(super) fn outside(error: ConfigError) -> Box<Self> {
        Self::new(Kind::Outside(error), "")
    }

    /// Adds what to do.
    pub(super) fn with_hint(mut self: Box<Self>, hint: impl Into<String>) -> Box<Self> {
        self.hint = Some(hint.into());
        self
    }

    /// Gives the failure its site, unless it has one.
    pub(super) fn located(mut self: Box<Self>, file: u32, range: TextRange) -> Box<Self> {
        self.site.get_or_insert((file, range));
        self
    }

    /// The whole message, led by the name of the exception.
    pub(super) fn headline(&self, dialect: Dialect) -> String {
        match &self.kind {
            Kind::Raised(name) if self.message.is_empty() => name.to_string(),
            Kind::Raised(name) => format!("{name}: {}", self.message),
            Kind::Outside(error) => error.to_string(),
            Kind::Unsupported => format!("{} cannot use {}", dialect.subject(), self.message),
            Kind::Limit | Kind::Again => self.message.clone(),
        }
    }
}
