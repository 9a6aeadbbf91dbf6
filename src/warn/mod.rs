//! What makes a score wrong, or gives an answer away, without any score showing it.
//!
//! Every kind of warning is a check of one prepared sample: its row, its prompts, and the templates, rows
//! and ids behind them. `view` checks the sample it shows; `prepare` checks all samples and counts, so
//! that `check` and `run` say before weights are read what would be measured wrongly. Both call the same
//! checks. They are cheap on purpose: what only depends on the templates is found out once for all rows of
//! one shape (`OwnText`), and of a prompt only the few tokens are encoded again that
//! stand where its candidates part.
//!
//! A *warning* is wrong in nearly every benchmark; a *note* is worth knowing and often meant. Errors, after
//! which nothing can be run, are found elsewhere.

mod answer_in_user_turn;
mod answer_start;
mod bytes_as_text;
mod count;
mod departures;
mod different_lengths;
mod doubled_bos;
mod empty_candidate;
mod equal_answers;
mod fields;
mod filled_data;
mod identical_candidates;
mod image_word;
mod kind;
mod null_cell;
mod own_example;
mod own_text;
mod predictions;
mod repeated_key;
mod same_prompts;
mod sample_ranges;
mod shown_answer;
mod subject;
mod trailing_space;
mod truncated;
mod undecided;
mod unfilled_field;
mod unfinished_thinking;
mod unreachable_gold;
mod unread_tag;
mod unsent_media;
mod unshown_examples;
mod unshown_piece;
mod untagged_text;

pub(crate) use self::{
    count::count,
    departures::departures,
    equal_answers::equal_answers,
    predictions::predictions,
    subject::{Asked, Subject},
    undecided::undecided,
    unfinished_thinking::unfinished_thinking,
};
pub use self::{
    count::{WarningCount, has_warnings, lines},
    kind::{Kind, Severity, Warning},
    sample_ranges::SampleRanges,
};

use self::kind::Finding;

/// Looks for one kind of mistake in a sample; finds it at most once for each field.
type Check = fn(&Subject<'_>, &Asked<'_>) -> Vec<Finding>;

/// Every check of a prepared sample, in the order in which findings are told.
const CHECKS: &[(Kind, Check)] = &[
    (Kind::UnfilledField, unfilled_field::find),
    (Kind::ShownAnswer, shown_answer::find),
    (Kind::FilledData, filled_data::find),
    (Kind::OwnExample, own_example::find),
    (Kind::AnswerInUserTurn, answer_in_user_turn::find),
    (Kind::UnreachableGold, unreachable_gold::find),
    (Kind::NullCell, null_cell::find),
    (Kind::RepeatedKey, repeated_key::find),
    (Kind::UnshownExamples, unshown_examples::find),
    (Kind::EmptyCandidate, empty_candidate::find),
    (Kind::IdenticalCandidates, identical_candidates::find),
    (Kind::UnsentMedia, unsent_media::find),
    (Kind::UntaggedText, untagged_text::find),
    (Kind::UnreadTag, unread_tag::find),
    (Kind::UnshownPiece, unshown_piece::find),
    (Kind::BytesAsText, bytes_as_text::find),
    (Kind::ImageWord, image_word::find),
    (Kind::Truncated, truncated::find),
    (Kind::TrailingSpace, trailing_space::find),
    (Kind::DoubledBos, doubled_bos::find),
    (Kind::LabelInsideToken, answer_start::inside_token),
    (Kind::LabelJoinsSpace, answer_start::joins_space),
    (Kind::DifferentTokenLengths, different_lengths::find),
];

/// What is odd about one sample, warnings before notes.
pub(crate) fn of_sample(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Warning> {
    let found = CHECKS.iter().flat_map(|(kind, find)| {
        find(subject, asked).into_iter().map(|finding| Warning::new(*kind, finding))
    });
    let mut found: Vec<Warning> = found.collect();
    found.sort_by_key(|warning| warning.severity);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_a_sample_is_checked_once_and_warnings_come_first() {
        let kinds: Vec<Kind> = CHECKS.iter().map(|(kind, _)| *kind).collect();
        assert!(kinds.is_sorted_by_key(|kind| kind.severity()));
        for (index, kind) in kinds.iter().enumerate() {
            assert!(!kinds[..index].contains(kind), "{kind}");
        }
    }
}
