//! The kinds of warnings, and one warning.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What is wrong. Its name in JSON and on the terminal is stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The text still says `{name}`, because no column fills it in.
    UnfilledField,
    /// The gold answer stands in the prompt, or in every candidate.
    ShownAnswer,
    /// A row's own text has a field, which another column fills in.
    FilledData,
    /// An in-context example is the row that is asked about.
    OwnExample,
    /// In-context examples were retrieved, and no prompt has a place for them.
    UnshownExamples,
    /// Candidates of a chat model differ in what the user says, not in what the assistant says.
    AnswerInUserTurn,
    /// No prediction can equal the gold answer.
    UnreachableGold,
    /// A cell that a prompt or the gold answer needs is null.
    NullCell,
    /// A key stands twice in the object of a row.
    RepeatedKey,
    /// A candidate has no text of its own.
    EmptyCandidate,
    /// Two candidates are the same text.
    IdenticalCandidates,
    /// Every sample is asked with the same text.
    SamePrompts,
    /// A prompt shows or plays something, and the model is sent text alone.
    UnsentMedia,
    /// A row of images, videos, sounds and texts says something that is none of them.
    UntaggedText,
    /// A prompt says the tag of an image, a video, a sound or a text as text.
    UnreadTag,
    /// An image, a video, a sound or a text of a row is in no prompt.
    UnshownPiece,
    /// A prompt says the bytes of an image or a sound as text.
    BytesAsText,
    /// A text beside images says a word that stands for an image to some models.
    ImageWord,
    /// A prompt was cut, since it did not fit even without examples.
    Truncated,
    /// A prompt that is continued ends in a space that belongs to the next token.
    TrailingSpace,
    /// A prompt begins with two BOS tokens.
    DoubledBos,
    /// The candidates' own text begins inside of a token.
    LabelInsideToken,
    /// Almost no prediction is one of the labels.
    UnlikePredictions,
    /// A row is scored that has no score, or may have another, in the original tool.
    ScoredOtherwise,
    /// It is not worked out whether a prediction is right, so it counts as wrong.
    UndecidedAnswer,
    /// The candidates' own text is tokenised together with the space before it.
    LabelJoinsSpace,
    /// Candidates have different numbers of tokens.
    DifferentTokenLengths,
    /// A sample is asked several times and answered the same each time.
    EqualAnswers,
    /// A reply ended before its thinking did.
    UnfinishedThinking,
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Wrong in nearly every benchmark.
    Warning,
    /// Worth knowing, often meant.
    Note,
}

/// Something about one sample that the model's score depends on and that no score shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// What it is.
    pub kind: Kind,
    /// How bad it is.
    pub severity: Severity,
    /// The field of a template or the column that it is about, if it is about one.
    pub field: Option<String>,
    /// For people.
    pub message: String,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    /// The field or column.
    pub(super) field: Option<String>,
    /// What is wrong and what to do; a sentence about one sample.
    pub(super) message: String,
}

impl Kind {
    /// How bad it is.
    pub fn severity(self) -> Severity {
        match self {
            Self::LabelJoinsSpace | Self::DifferentTokenLengths => Severity::Note,
            _ => Severity::Warning,
        }
    }

    /// Its name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::UnfilledField => "unfilled_field",
            Self::ShownAnswer => "shown_answer",
            Self::FilledData => "filled_data",
            Self::OwnExample => "own_example",
            Self::UnshownExamples => "unshown_examples",
            Self::AnswerInUserTurn => "answer_in_user_turn",
            Self::UnreachableGold => "unreachable_gold",
            Self::NullCell => "null_cell",
            Self::RepeatedKey => "repeated_key",
            Self::EmptyCandidate => "empty_candidate",
            Self::IdenticalCandidates => "identical_candidates",
            Self::SamePrompts => "same_prompts",
            Self::UnsentMedia => "unsent_media",
            Self::UntaggedText => "untagged_text",
            Self::UnreadTag => "unread_tag",
            Self::UnshownPiece => "unshown_piece",
            Self::BytesAsText => "bytes_as_text",
            Self::ImageWord => "image_word",
            Self::Truncated => "truncated",
            Self::TrailingSpace => "trailing_space",
            Self::DoubledBos => "doubled_bos",
            Self::LabelInsideToken => "label_inside_token",
            Self::UnlikePredictions => "unlike_predictions",
            Self::ScoredOtherwise => "scored_otherwise",
            Self::UndecidedAnswer => "undecided_answer",
            Self::LabelJoinsSpace => "label_joins_space",
            Self::DifferentTokenLengths => "different_token_lengths",
            Self::EqualAnswers => "equal_answers",
            Self::UnfinishedThinking => "unfinished_thinking",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warning => "warning",
            Self::Note => "note",
        })
    }
}

impl Warning {
    /// A finding of that kind.
    pub(super) fn new(kind: Kind, Finding { field, message }: Finding) -> Self {
        Self { kind, severity: kind.severity(), field, message }
    }
}

impl Finding {
    /// Something about the sample as a whole.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { field: None, message: message.into() }
    }

    /// Something about a field or column.
    pub(super) fn about(field: &str, message: impl Into<String>) -> Self {
        Self { field: Some(field.to_owned()), message: message.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_one_name() {
        for kind in [Kind::UnfilledField, Kind::DoubledBos, Kind::DifferentTokenLengths] {
            assert_eq!(serde_json::json!(kind), kind.name());
        }
    }
}
