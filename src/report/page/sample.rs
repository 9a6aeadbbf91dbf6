//! A sample as the page shows it.

use std::ops::{BitOr, BitOrAssign, Range};

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value as Json;

use super::Note;

/// What can be said of a sample in a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u16);

impl Flags {
    /// The prediction is right.
    pub const RIGHT: Self = Self(1);
    /// It is not.
    pub const WRONG: Self = Self(2);
    /// There is no answer.
    pub const FAILED: Self = Self(4);
    /// Two candidates are equally good.
    pub const TIE: Self = Self(8);
    /// The two best candidates are closer than the noise of the number format.
    pub const NEAR_TIE: Self = Self(16);
    /// Something about the prompt is odd.
    pub const WARNED: Self = Self(32);
    /// Right in a group and wrong in another one of a comparison.
    pub const FLIPPED: Self = Self(64);

    /// Their sum.
    pub fn bits(self) -> u16 {
        self.0
    }

    /// Whether all of `others` are set.
    pub fn has(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }
}

impl BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// A figure of each sample, by which they can be sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// Its name in links.
    pub name: String,
    /// Its heading.
    pub title: String,
    /// Its unit.
    pub unit: String,
}

/// A sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Row of the data set, from 0. Within a group they rise.
    pub row: u32,
    /// At most one of right, wrong and failed.
    pub flags: Flags,
    /// The right answer.
    pub gold: Option<String>,
    /// What was answered.
    pub prediction: Option<String>,
    /// What the list shows and the search reads.
    pub line: String,
    /// A number for each of the page's columns.
    pub figures: Vec<Option<f32>>,
    /// Gold and prediction as the metric compares them.
    pub compared: Option<[Option<String>; 2]>,
    /// Why there is no answer.
    pub error: Option<String>,
    /// What is odd.
    pub warnings: Vec<Note>,
    /// Its score under each metric.
    pub scores: IndexMap<String, Option<f64>>,
    /// Examples that were dropped to fit.
    pub dropped_examples: usize,
    /// Tokens that were cut off.
    pub truncated_tokens: usize,
    /// Columns of the row that no text shows.
    pub columns: IndexMap<String, Json>,
    /// What else is known of it, by name.
    pub facts: IndexMap<String, String>,
    /// What the stages up to its own have said, if it is one of several.
    pub stages: Vec<StageSaid>,
    /// What was scored or continued.
    pub texts: Vec<SampleText>,
}

/// What a stage has said of a row.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StageSaid {
    /// The stage.
    pub name: String,
    /// Whether its gold stood for it.
    #[serde(skip_serializing_if = "is_false")]
    pub is_gold: bool,
    /// What it should have said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gold: Option<String>,
    /// What later stages read of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// The whole reply, where that is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// What was searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// What was found, the best one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<FoundPassage>,
}

/// A passage that a stage has found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FoundPassage {
    /// Its id.
    pub id: String,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it says.
    pub text: String,
    /// How well it matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Whether it should be found.
    #[serde(skip_serializing_if = "is_false")]
    pub is_relevant: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// A text of a sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampleText {
    /// Its last segment.
    pub segment: usize,
    /// Of a candidate.
    pub label: Option<String>,
    /// In which other way the candidate of that label is asked here, in words.
    pub asked_as: Option<String>,
    /// Whether choosing it is right.
    pub is_gold: bool,
    /// Whether it was chosen.
    pub is_chosen: bool,
    /// What the rule says.
    pub score: Option<f64>,
    /// Σ −ln p over its scored tokens.
    pub sum_nats: Option<f64>,
    /// The same over the answer.
    pub answer_nats: Option<f64>,
    /// Which tokens are the answer, or were generated.
    pub answer: Option<Range<usize>>,
    /// Which tokens are cut off and not read.
    pub cut: Option<Range<usize>>,
    /// Last segment of the normalizing text.
    pub normalizer: Option<usize>,
    /// Of a dialogue, from 0.
    pub turn: Option<usize>,
    /// The generated text.
    pub reply: Option<String>,
    /// Which of the reply's bytes are the answer.
    pub extracted: Option<Range<usize>>,
    /// Why generation ended.
    pub finish: Option<String>,
}
