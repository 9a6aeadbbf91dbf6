//! What can be wrong with a config, said so that it can be mended.
//!
//! There are two moments at which a config turns out wrong: while the file is read as a program
//! (then the message shows the source line with a caret), and while its values are read as a plan
//! (then it names the place where the value was written and the path of keys to it).

use std::{fmt, fmt::Write as _, io, path::PathBuf};

use super::value::Origin;
use crate::python::regex::PatternError;

/// A config that cannot be used, and why.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file could not be read.
    #[error("{}cannot read {}: {source}", imported_by(asked_at.as_ref()), path.display())]
    Read {
        /// The file that was to be read.
        path: PathBuf,
        /// The statement that asked for it, unless it was the user.
        asked_at: Option<Origin>,
        /// The system's reason.
        source: io::Error,
    },
    /// The file is not a program of the config language, or fails while it is evaluated.
    #[error("{0}")]
    Program(Box<ProgramError>),
    /// A value of the evaluated config is not what is needed at its place.
    #[error("{0}")]
    Value(Box<ValueError>),
}

/// A mistake in the text of a config, or in what it does.
#[derive(Debug)]
pub struct ProgramError {
    /// File and line.
    pub origin: Origin,
    /// Column in characters, from 1.
    pub column: u32,
    /// The line of source, without its line end.
    pub source_line: String,
    /// How many characters, from `column`, are marked.
    pub width: u32,
    /// What is wrong; a Python error starts with its name, as in `KeyError: 'x'`.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
    /// Statements that led here from other places, innermost first: calls and `read_base` imports.
    pub trace: Vec<Origin>,
}

/// A value that does not fit where it stands.
#[derive(Debug, Default)]
pub struct ValueError {
    /// Where the value, or the dict that lacks one, was written.
    pub origin: Option<Origin>,
    /// Keys and indices that lead to the value, outermost first.
    pub key_path: Vec<String>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl ConfigError {
    /// An error about a value that was written at `origin`.
    pub fn at(origin: &Origin, message: impl Into<String>) -> Self {
        Self::Value(Box::new(ValueError {
            origin: Some(origin.clone()),
            message: message.into(),
            ..ValueError::default()
        }))
    }

    /// An error whose message names its place itself.
    pub fn told(message: impl Into<String>) -> Self {
        Self::Value(Box::new(ValueError { message: message.into(), ..ValueError::default() }))
    }

    /// Adds what to do about it; the first hint stays.
    #[must_use]
    pub fn with_hint(mut self, text: impl Into<String>) -> Self {
        match &mut self {
            Self::Program(error) => _ = error.hint.get_or_insert_with(|| text.into()),
            Self::Value(error) => _ = error.hint.get_or_insert_with(|| text.into()),
            Self::Read { .. } => {}
        }
        self
    }

    /// Says that the value was found under `key`, for messages that name the whole path.
    #[must_use]
    pub fn under(mut self, key: impl Into<String>) -> Self {
        if let Self::Value(error) = &mut self {
            error.key_path.insert(0, key.into());
        }
        self
    }

    /// Names the place, unless one closer to the mistake is known.
    #[must_use]
    pub(super) fn found_at(mut self, origin: &Origin) -> Self {
        if let Self::Value(error) = &mut self {
            error.origin.get_or_insert_with(|| origin.clone());
        }
        self
    }
}

impl PatternError {
    /// The same as an error of the config that brought the pattern.
    pub(crate) fn at(&self, origin: &Origin) -> ConfigError {
        ConfigError::at(origin, self.to_string())
    }
}

fn imported_by(asked_at: Option<&Origin>) -> String {
    asked_at.map_or_else(String::new, |origin| format!("{origin}: "))
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, column, message, .. } = self;
        write!(f, "{origin}:{column}: {message}")?;
        let gutter = origin.line.to_string();
        let blank = " ".repeat(gutter.len());
        // Tabs are kept in the margin so that the caret stands under its character.
        let margin: String = self
            .source_line
            .chars()
            .take(column.saturating_sub(1) as usize)
            .map(|letter| if letter == '\t' { '\t' } else { ' ' })
            .collect();
        let carets = "^".repeat(self.width.max(1) as usize);
        write!(f, "\n{blank} |\n{gutter} | {}\n{blank} | {margin}{carets}", self.source_line)?;
        for place in &self.trace {
            write!(f, "\n{blank} = reached from {place}")?;
        }
        match &self.hint {
            Some(hint) => write!(f, "\n{blank} = help: {hint}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = self.origin.as_ref().filter(|origin| !origin.is_memory()) {
            write!(f, "{origin}: ")?;
        }
        if !self.key_path.is_empty() {
            write!(f, "{}: ", dotted(&self.key_path))?;
        }
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

/// `["a", "[0]", "b"]` as `a[0].b`.
fn dotted(key_path: &[String]) -> String {
    key_path.iter().fold(String::new(), |mut path, key| {
        if !path.is_empty() && !key.starts_with('[') {
            path.push('.');
        }
        let _ = write!(path, "{key}");
        path
    })
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc};

    use super::*;

    fn origin() -> Origin {
        Origin { file: Arc::from(Path::new("a.py")), line: 12 }
    }

    #[test]
    fn a_value_error_names_place_path_and_help() {
        let error = ConfigError::at(&origin(), "too small")
            .under("[1]")
            .under("datasets")
            .with_hint("use 2 or more");
        assert_eq!(error.to_string(), "a.py:12: datasets[1]: too small (use 2 or more)");
    }

    #[test]
    fn a_program_error_points_into_its_line() {
        let error = ProgramError {
            origin: origin(),
            column: 6,
            source_line: "\tx = yy".into(),
            width: 2,
            message: "NameError: name 'yy' is not defined".into(),
            hint: Some("did you mean `y`?".into()),
            trace: vec![],
        };
        let expected = "a.py:12:6: NameError: name 'yy' is not defined\n   |\n12 | \tx = yy\n   \
                        | \t    ^^\n   = help: did you mean `y`?";
        assert_eq!(error.to_string(), expected);
    }
}
