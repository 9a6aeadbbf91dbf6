//! What formats differ in.

use std::{fmt, str::FromStr};

use serde::Serialize;

/// A part of a format that can be another one without the question meaning anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Element {
    /// What stands between a descriptor and its text: `Question: …`, `Question - …`.
    Separator,
    /// What stands between two fields: a new line, a blank line, a blank.
    Spacing,
    /// How descriptors are written: `Question`, `question`, `QUESTION`.
    Casing,
    /// Which words descriptors are: `Question` and `Answer`, `Problem` and `Solution`.
    Words,
    /// What options are counted with: `A`, `a`, `1`, `i`.
    Numerals,
    /// What stands around that: `A.`, `(A)`, `A)`, `[A]`.
    Brackets,
    /// What stands between two options.
    Options,
    /// In which order in-context examples stand.
    Order,
    /// How many in-context examples there are.
    Shots,
    /// Which training rows are the examples.
    Draw,
}

impl Element {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 10] = [
        Self::Separator,
        Self::Spacing,
        Self::Casing,
        Self::Words,
        Self::Numerals,
        Self::Brackets,
        Self::Options,
        Self::Order,
        Self::Shots,
        Self::Draw,
    ];

    /// Its name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Separator => "separator",
            Self::Spacing => "spacing",
            Self::Casing => "casing",
            Self::Words => "words",
            Self::Numerals => "numerals",
            Self::Brackets => "brackets",
            Self::Options => "options",
            Self::Order => "order",
            Self::Shots => "shots",
            Self::Draw => "draw",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Separator => "between a descriptor and its text",
            Self::Spacing => "between two fields",
            Self::Casing => "of descriptors",
            Self::Words => "that descriptors are",
            Self::Numerals => "that count options",
            Self::Brackets => "around them",
            Self::Options => "between two options",
            Self::Order => "of in-context examples",
            Self::Shots => "how many examples",
            Self::Draw => "which training rows they are",
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Element {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|element| element.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|element| element.name()).collect();
            format!("there is no element {name:?}; there are {}", names.join(", "))
        })
    }
}
