//! What silently costs accuracy, or gives it away.
//!
//! Every rule is a pure function of what is viewed. A *warning* is wrong in nearly every benchmark; a
//! *note* is worth knowing and often meant.

use serde::Serialize;

use super::{FirstDifference, PieceKind, ViewedPiece, ViewedPrompt, tokens::ViewedToken};
use crate::dataset::Sample;

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
    fn bad(kind: &'static str, message: String) -> Self {
        Self { kind, severity: Severity::Warning, message }
    }

    fn odd(kind: &'static str, message: String) -> Self {
        Self { kind, severity: Severity::Note, message }
    }
}

/// Two BOS tokens at the beginning: one from the markup, one from the tokenizer.
pub(super) fn doubled_bos(ids: &[u32], bos_id: Option<u32>) -> Option<Warning> {
    let bos_id = bos_id?;
    ids.starts_with(&[bos_id, bos_id]).then(|| {
        Warning::bad(
            "doubled_bos",
            "the prompt begins with two BOS tokens, one from the markup and one from the tokenizer; take it \
             out of the meta_template"
                .to_owned(),
        )
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

/// `{names}` that the template still has when all columns are filled.
pub(super) fn unfilled_fields(pieces: &[ViewedPiece], columns: &[&str]) -> Vec<Warning> {
    let mut found: Vec<&str> = Vec::new();
    for piece in pieces.iter().filter(|piece| piece.kind == PieceKind::Template) {
        for name in names_in_braces(&piece.text) {
            if !found.contains(&name) {
                found.push(name);
            }
        }
    }
    let told = found.into_iter().map(|name| {
        let hint = if columns.contains(&name) {
            "a column of that name exists, but is not filled in here".to_owned()
        } else {
            let near = columns.iter().filter(|column| strsim::jaro_winkler(column, name) > 0.8);
            match near.max_by(|left, right| {
                strsim::jaro_winkler(left, name).total_cmp(&strsim::jaro_winkler(right, name))
            }) {
                Some(column) => format!("did you mean {{{column}}}?"),
                None => format!("there are {}", columns.join(", ")),
            }
        };
        Warning::bad(
            "unfilled_field",
            format!("the text still says {{{name}}}, which is not filled in: {hint}"),
        )
    });
    told.collect()
}

/// Identifiers in braces. Those behind a letter or another brace are arguments in LaTeX.
fn names_in_braces(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for (open, _) in text.match_indices('{') {
        let (before, from) = text.split_at(open);
        let is_argument =
            before.chars().next_back().is_some_and(|c| c.is_alphanumeric() || "}^_\\".contains(c));
        let Some((name, _)) = from.get(1..).and_then(|inner| inner.split_once('}')) else {
            continue;
        };
        let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_')
            && name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
        if is_name && !is_argument {
            names.push(name);
        }
    }
    names
}

/// The output column, filled into what is asked: in the prompt that is continued, or in every
/// candidate. Examples show theirs rightly.
pub(super) fn shown_answer(
    prompts: &[ViewedPrompt],
    output_column: Option<&str>,
    generates: bool,
) -> Option<Warning> {
    let column = output_column?;
    let shows = |prompt: &ViewedPrompt| {
        prompt.pieces.iter().any(|piece| {
            piece.is_own()
                && piece.kind == PieceKind::Field
                && piece.column.as_deref() == Some(column)
                && !piece.text.trim().is_empty()
        })
    };
    if prompts.is_empty() || !prompts.iter().all(shows) {
        return None;
    }
    let message = if generates {
        format!(
            "the answer is in the prompt: {{{column}}} is filled in where the model is to give it"
        )
    } else {
        format!("the answer is in every candidate: {{{column}}} is filled in")
    };
    Some(Warning::bad("shown_answer", message))
}

/// An example that is the very row that is asked about.
pub(super) fn own_example(sample: &Sample, examples: &[&Sample]) -> Option<Warning> {
    // These two say where a row is from, not what it is.
    let content = |sample: &Sample| -> Vec<(String, serde_json::Value)> {
        let columns = sample.iter().filter(|(column, _)| !matches!(*column, "subdivision" | "idx"));
        columns.map(|(column, value)| (column.to_owned(), value.clone())).collect()
    };
    let own = content(sample);
    let number = examples.iter().position(|example| content(example) == own)?;
    Some(Warning::bad(
        "own_example",
        format!(
            "in-context example {} is the row that is asked about, with its answer",
            number + 1
        ),
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn piece(kind: PieceKind, text: &str, section: &'static str, column: &str) -> ViewedPiece {
        let column = (!column.is_empty()).then(|| column.to_owned());
        let section = Some(section);
        ViewedPiece { text: text.to_owned(), section, example: None, role: None, kind, column }
    }

    fn template(text: &str) -> Vec<ViewedPiece> {
        vec![piece(PieceKind::Template, text, "round", "")]
    }

    fn prompt(pieces: Vec<ViewedPiece>) -> ViewedPrompt {
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
        assert!(doubled_bos(&[1, 1, 5], Some(1)).is_some());
        assert!(doubled_bos(&[1, 5, 1, 1], Some(1)).is_none());
        assert!(doubled_bos(&[1, 1], None).is_none());
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

    #[test]
    fn names_in_braces_are_fields_and_latex_is_not() {
        let told = |text: &str| -> Vec<String> {
            let warnings = unfilled_fields(&template(text), &["question", "answer"]);
            warnings.into_iter().map(|warning| warning.message).collect()
        };
        let misspelt = told("Q: {qestion} {qestion}");
        assert_eq!(misspelt.len(), 1);
        assert!(misspelt[0].contains("did you mean {question}"), "{misspelt:?}");
        assert!(told("{answer}")[0].contains("is not filled in here"));
        assert!(told(r#"\boxed{answer} x_{i} {"a": 1} {1} {} {two words}"#).is_empty());
        let data = [piece(PieceKind::Field, "{qestion}", "round", "question")];
        assert!(unfilled_fields(&data, &["question"]).is_empty());
    }

    #[test]
    fn the_answer_may_stand_in_examples_and_in_some_candidates() {
        let shows = |section| vec![piece(PieceKind::Field, "4", section, "answer")];
        let told = |prompts: Vec<ViewedPrompt>| shown_answer(&prompts, Some("answer"), false);
        assert!(told(vec![prompt(shows("round")), prompt(shows("round"))]).is_some());
        assert!(told(vec![prompt(shows("ice"))]).is_none());
        assert!(told(vec![prompt(shows("round")), prompt(template("x"))]).is_none());
        assert!(shown_answer(&[prompt(shows("round"))], None, true).is_none());
    }

    #[test]
    fn a_row_is_its_own_example_whatever_its_number() {
        let row = |text: &str, idx: usize| {
            Sample::new(vec![("q".into(), json!(text)), ("idx".into(), json!(idx))])
        };
        let (one, two) = (row("a", 0), row("b", 1));
        assert!(own_example(&row("b", 7), &[&one, &two]).unwrap().message.contains("example 2"));
        assert!(own_example(&row("c", 0), &[&one, &two]).is_none());
    }
}
