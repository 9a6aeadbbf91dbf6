//! What silently costs accuracy, or gives it away.
//!
//! Every rule is a pure function of what is viewed. A *warning* is wrong in nearly every benchmark; a
//! *note* is worth knowing and often meant.

use serde::Serialize;

use super::{FirstDifference, ViewedPrompt, tokens::ViewedToken};
use crate::{prepare::doubled_bos, prompt::Markup};

/// Something about a prompt that the model's score depends on and that no score shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// A stable name.
    pub kind: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// For people.
    pub message: String,
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Wrong in nearly every benchmark.
    Warning,
    /// Worth knowing, often meant.
    Note,
}

impl Warning {
    pub(super) fn bad(kind: &'static str, message: String) -> Self {
        Self { kind, severity: Severity::Warning, message }
    }

    fn odd(kind: &'static str, message: String) -> Self {
        Self { kind, severity: Severity::Note, message }
    }
}

/// Two BOS tokens at the beginning.
pub(super) fn doubled_bos(ids: &[u32], bos_id: Option<u32>, markup: &Markup) -> Option<Warning> {
    doubled_bos::begins_with_two(ids, bos_id).then(|| {
        let message = format!("the prompt {}", doubled_bos::explanation(markup));
        Warning::bad("doubled_bos", message)
    })
}

/// The candidates' own text begins inside a token.
pub(super) fn joined_label(text: &str, difference: Option<&FirstDifference>) -> Option<Warning> {
    let FirstDifference { char, token_start_char, .. } = *difference?;
    let start = token_start_char.filter(|start| *start < char)?;
    let joined: String = text.chars().skip(start).take(char - start).collect();
    if joined.chars().all(char::is_whitespace) {
        return Some(Warning::odd(
            "label_joins_space",
            format!(
                "what differs is tokenised together with the {joined:?} before it; with the space in the label \
                 the texts are the same"
            ),
        ));
    }
    Some(Warning::bad(
        "label_inside_token",
        format!(
            "what differs does not begin a token: {joined:?} before it, which all candidates share, is tokenised \
             together with it"
        ),
    ))
}

/// Candidates of different length: their mean surprisal is over different numbers of tokens.
pub(super) fn different_lengths(lengths_tokens: &[usize]) -> Option<Warning> {
    let least = lengths_tokens.iter().min()?;
    let most = lengths_tokens.iter().max()?;
    (least < most).then(|| {
        Warning::odd(
            "different_token_lengths",
            format!(
                "candidates have {least} to {most} tokens: surprisal is divided by the length of the whole text, \
                 so longer ones share the easy beginning among more tokens"
            ),
        )
    })
}

/// A prompt that was cut: it was too long even without examples.
pub(super) fn truncated(prompts: &[ViewedPrompt]) -> Option<Warning> {
    let prompt = prompts.iter().max_by_key(|prompt| prompt.truncated_tokens)?;
    (prompt.truncated_tokens > 0).then(|| {
        Warning::bad(
            "truncated",
            format!(
                "{} of {} tokens are cut off, since they do not fit",
                prompt.truncated_tokens,
                prompt.token_count.unwrap_or_default()
            ),
        )
    })
}

/// Two candidates are the same text.
pub(super) fn identical_candidates(prompts: &[ViewedPrompt]) -> Option<Warning> {
    let (index, prompt) = prompts.iter().enumerate().find(|(index, prompt)| {
        prompts.iter().take(*index).any(|earlier| earlier.text == prompt.text)
    })?;
    let earlier = prompts.iter().take(index).find(|earlier| earlier.text == prompt.text)?;
    let name = |prompt: &ViewedPrompt| prompt.label.clone().unwrap_or_default();
    Some(Warning::bad(
        "identical_candidates",
        format!(
            "candidates {} and {} are the same text: the first always wins",
            name(earlier),
            name(prompt)
        ),
    ))
}

/// A prompt that is continued ends in a space: tokenizers put the space into the next word, so the model
/// has hardly ever seen such an end.
pub(super) fn trailing_space(text: &str) -> Option<Warning> {
    text.ends_with([' ', '\t', '\u{a0}']).then(|| {
        Warning::bad(
            "trailing_space",
            "the prompt ends in a space, and models write theirs at the beginning of a word; end the template \
             before it"
                .to_owned(),
        )
    })
}

/// The same before a candidate's own text, when the space is a token of its own.
pub(super) fn lone_space(
    text: &str,
    tokens: &[ViewedToken],
    difference: Option<&FirstDifference>,
) -> Option<Warning> {
    let difference = difference?;
    let before = difference.token?.checked_sub(1)?;
    let token = tokens.get(before)?;
    let shared: String =
        text.chars().skip(token.start_char).take(token.end_char - token.start_char).collect();
    let is_lone = token.end_char == difference.char
        && !shared.is_empty()
        && shared.trim_matches(' ').is_empty();
    is_lone.then(|| {
        Warning::bad(
            "trailing_space",
            "before what differs stands a space that is a token of its own; models read it as part of the next \
             word"
                .to_owned(),
        )
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::view::{PieceKind, ViewedPiece};

    pub(in crate::view) fn piece(
        kind: PieceKind,
        text: &str,
        section: &'static str,
        column: &str,
    ) -> ViewedPiece {
        let column = (!column.is_empty()).then(|| column.to_owned());
        let section = Some(section);
        ViewedPiece { text: text.to_owned(), section, example: None, role: None, kind, column }
    }

    pub(in crate::view) fn template(text: &str) -> Vec<ViewedPiece> {
        vec![piece(PieceKind::Template, text, "round", "")]
    }

    pub(in crate::view) fn prompt(pieces: Vec<ViewedPiece>) -> ViewedPrompt {
        let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        ViewedPrompt {
            label: None,
            without_markup: text.clone(),
            text,
            token_count: None,
            truncated_tokens: 0,
            truncated_from_token: None,
            scored_from_token: None,
            sections: Vec::new(),
            pieces,
            tokens: None,
        }
    }

    fn difference(char: usize, token: usize, token_start_char: usize) -> FirstDifference {
        FirstDifference { char, token: Some(token), token_start_char: Some(token_start_char) }
    }

    #[test]
    fn a_doubled_bos_is_two_at_the_beginning() {
        let doubled = |ids: &[u32], bos_id| doubled_bos(ids, bos_id, &Markup::Lines);
        assert!(
            doubled(&[1, 1, 5], Some(1)).is_some_and(|found| found.message.contains("its text"))
        );
        assert!(doubled(&[1, 5, 1, 1], Some(1)).is_none());
        assert!(doubled(&[1, 1], None).is_none());
    }

    #[test]
    fn a_label_joined_to_a_space_is_noted_and_to_a_letter_warned_of() {
        let severity = |text, difference| {
            joined_label(text, Some(&difference)).map(|warning| (warning.kind, warning.severity))
        };
        let note = ("label_joins_space", Severity::Note);
        assert_eq!(severity("A: yes", difference(3, 2, 2)), Some(note));
        let warning = ("label_inside_token", Severity::Warning);
        assert_eq!(severity("A:yes", difference(2, 1, 1)), Some(warning));
        assert_eq!(severity("A: yes", difference(3, 2, 3)), None);
    }

    #[test]
    fn a_space_alone_before_the_label_is_told() {
        let token = |id, start_char, end_char| ViewedToken { id, start_char, end_char };
        let tokens = [token(1, 0, 2), token(2, 2, 3), token(3, 3, 6)];
        assert!(lone_space("A: yes", &tokens, Some(&difference(3, 2, 3))).is_some());
        let tokens = [token(1, 0, 3), token(3, 3, 6)];
        assert!(lone_space("A: yes", &tokens, Some(&difference(3, 1, 3))).is_none());
        assert!(trailing_space("Answer: ").is_some());
        assert!(trailing_space("Answer:\n").is_none());
    }

    #[test]
    fn lengths_and_texts_of_candidates_are_compared() {
        assert!(different_lengths(&[3, 3]).is_none());
        assert!(different_lengths(&[3, 4]).unwrap().message.contains("3 to 4"));
        let same = [prompt(template("a")), prompt(template("b")), prompt(template("a"))];
        assert!(identical_candidates(&same).is_some());
        assert!(identical_candidates(&same[..2]).is_none());
        let cut = ViewedPrompt { truncated_tokens: 3, ..prompt(template("a")) };
        assert!(truncated(&same).is_none() && truncated(&[cut]).is_some());
    }
}
