//! Which of two languages a file is written in: the small one of configs, or the larger one of functions.
//!
//! Both are the same walk over the same values. A config may not define classes or keep iterators, an import in it is
//! only ever a name, and a set in it has the order in which it was written; a file of functions may do more, and what
//! is not exactly Python's in it is refused.

/// The language of the files that are evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Configs.
    #[default]
    Config,
    /// Files of functions that tasks name.
    Functions,
}

impl Dialect {
    /// Who cannot use something, in messages.
    pub(super) fn subject(self) -> &'static str {
        match self {
            Self::Config => "a config",
            Self::Functions => "a function",
        }
    }
}
