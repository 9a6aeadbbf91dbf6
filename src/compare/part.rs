//! In what the members of a comparison differ.

use std::{fmt, str::FromStr};

use serde::Serialize;

/// A part of what a member is. All others are equal in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// How the question is put.
    Variant,
    /// Who is asked.
    Model,
    /// How candidates are scored.
    Rule,
    /// When it was asked, with all that a config may have changed meanwhile.
    Run,
}

impl Part {
    /// Every part, in the order in which they are tried where none is named.
    pub const ALL: [Self; 4] = [Self::Variant, Self::Model, Self::Rule, Self::Run];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Variant => "variant",
            Self::Model => "model",
            Self::Rule => "rule",
            Self::Run => "run",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|part| part.name() == name);
        found.ok_or_else(|| "expected variant, model, run or rule".to_owned())
    }
}
