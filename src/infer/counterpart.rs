//! A sample's candidates asked once more in another way, for scoring rules that compare.
//!
//! A rule may want to know how likely an answer is whatever is asked (`BareAnswer`, `ContentFree`), or what the
//! model says when the options stand in another order (`Rotated`). Such prompts come after those of the
//! candidates, in the same order, and are only asked where a rule wants them.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{
    Candidate, InferError, Outcome, PreparedPrompt, RankedForm, Task, answer_place,
    examples::Examples, fit::fit,
};
use crate::{
    dataset::Sample,
    prompt::{Label, piece_tag, text_piece},
};

/// What a scoring rule wants asked beside the candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// Nothing.
    #[default]
    Nothing,
    /// The answers after this text, or after the last line before them that is not empty.
    BareAnswers(Option<String>),
    /// The candidates of a row whose input columns all hold this text, for each of these texts.
    ContentFree(Vec<String>),
    /// The candidates with their options moved on by one place, by two, ….
    Rotations {
        /// Where the options are; without it, in the columns that are named as the labels.
        options: Option<OptionColumns>,
        /// Of every so-manieth sample, beginning with the first; 1 is all.
        every: usize,
    },
}

/// Where a row's options are.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum OptionColumns {
    /// One column holds a list of them.
    List(String),
    /// Each has a column of its own, in the order of the labels.
    Columns(Vec<String>),
}

/// In which way candidates were asked once more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asking {
    /// The answers without their question.
    BareAnswer,
    /// The input columns all held this text.
    ContentFree(String),
    /// Candidate `i` showed the option of candidate `i + n`, counted around.
    Rotated(usize),
}

impl fmt::Display for Asking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BareAnswer => write!(f, "the answer without its question"),
            Self::ContentFree(text) => write!(f, "{text:?} in the place of the question"),
            Self::Rotated(1) => write!(f, "options moved on by one place"),
            Self::Rotated(places) => write!(f, "options moved on by {places} places"),
        }
    }
}

/// A sample's candidates asked once more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counterpart {
    /// In which way.
    pub asking: Asking,
    /// In the order of the sample's candidates.
    pub candidates: Vec<Candidate>,
}

/// What a scoring rule chooses among.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// What is asked about the candidates.
    pub form: RankedForm,
    /// The candidates.
    pub candidates: &'a [Candidate],
    /// Them again, in other ways.
    pub counterparts: &'a [Counterpart],
}

impl<'a> Choice<'a> {
    /// A text on its own, which is the only one there is.
    pub fn single(candidate: &'a Candidate) -> Self {
        let form = RankedForm::Perplexity;
        Self { form, candidates: std::slice::from_ref(candidate), counterparts: &[] }
    }
}

impl Outcome {
    /// What there is to choose among; nothing unless candidates were scored.
    pub fn choice(&self) -> Option<Choice<'_>> {
        match self {
            Self::Ranked { form, candidates, counterparts, .. } => {
                Some(Choice { form: *form, candidates, counterparts })
            }
            _ => None,
        }
    }
}

/// The prompts that a rule wants beside `own`, those of the candidates, one round for each way of asking.
pub(super) fn prompts(
    task: &Task<'_>,
    examples: &mut Examples,
    labels: &[Label],
    own: &[PreparedPrompt],
) -> Result<Vec<(Asking, Vec<PreparedPrompt>)>, InferError> {
    let sample = examples.sample();
    let row = &task.test[sample];
    match &task.wanted {
        Wanted::Nothing => Ok(Vec::new()),
        Wanted::BareAnswers(lead) => {
            let texts = own.iter().map(|prompt| bare(prompt, lead.as_deref())).collect();
            Ok(vec![(Asking::BareAnswer, bare_prompts(task, sample, texts)?)])
        }
        Wanted::ContentFree(texts) => texts
            .iter()
            .map(|text| {
                let row = content_free(task, row, text);
                let prompts = of_row(task, examples, labels, &row)?;
                if prompts.iter().all(|prompt| prompt.text == prompts[0].text) {
                    return refused(
                        sample,
                        "once the input columns say nothing, all candidates read the same: their answers stand in \
                         the row; take the rule pmi, or leave the answers' columns out of input_columns",
                    );
                }
                Ok((Asking::ContentFree(text.clone()), prompts))
            })
            .collect(),
        Wanted::Rotations { every, .. } if !sample.is_multiple_of(*every) => Ok(Vec::new()),
        Wanted::Rotations { options, .. } => (1..labels.len())
            .map(|by| {
                let row = rotated(row, labels, options.as_ref(), by)
                    .map_err(|what| InferError::Mismatch(format!("sample {sample}: {what}")))?;
                let prompts = of_row(task, examples, labels, &row)?;
                if row != task.test[sample]
                    && prompts.iter().zip(own).all(|(moved, own)| moved.text == own.text)
                {
                    return refused(sample, "the prompt does not show the options that are to be moved");
                }
                Ok((Asking::Rotated(by), prompts))
            })
            .collect(),
    }
}

fn refused<T>(sample: usize, what: &str) -> Result<T, InferError> {
    Err(InferError::Mismatch(format!("sample {sample}: {what}")))
}

/// A candidate's answer after no more than what leads to it.
fn bare(prompt: &PreparedPrompt, lead: Option<&str>) -> String {
    let (context, answer) = prompt.text.split_at(prompt.text.len() - prompt.answer_bytes);
    let lead = lead.unwrap_or_else(|| {
        let end = context.trim_end().len();
        let line = context[..end].rfind('\n').map_or(0, |at| at + 1);
        &context[line..]
    });
    format!("{lead}{answer}")
}

fn bare_prompts(
    task: &Task<'_>,
    sample: usize,
    texts: Vec<String>,
) -> Result<Vec<PreparedPrompt>, InferError> {
    let mut prompts = Vec::with_capacity(texts.len());
    for text in texts {
        let mut none = Examples::none(task, sample)?;
        let fitted = fit(task, &mut none, task.max_seq_len_tokens, |_| Ok(text.clone()))?;
        prompts.push(PreparedPrompt::of(fitted));
    }
    answer_place::mark(task, &mut prompts);
    if prompts.iter().any(|prompt| prompt.answer_start == 0) {
        return refused(
            sample,
            "pmi needs a token before the answers: give it a text, as in rule=dict(type='pmi', prefix='Answer:')",
        );
    }
    Ok(prompts)
}

/// The row with a text in all input columns but the one that holds the answer. A column of images, videos, sounds and texts has the text alone.
fn content_free(task: &Task<'_>, row: &Sample, text: &str) -> Sample {
    let mut row = row.clone();
    for column in task.input_columns.iter().filter(|own| Some(own.as_str()) != task.output_column) {
        let has_pieces =
            row.get(column).and_then(Json::as_str).is_some_and(|own| piece_tag(own).is_some());
        let said = if has_pieces { text_piece(text) } else { text.to_owned() };
        row.set(column, said.into());
    }
    row
}

/// The row with its options moved on by so many places.
fn rotated(
    row: &Sample,
    labels: &[Label],
    options: Option<&OptionColumns>,
    by: usize,
) -> Result<Sample, String> {
    let mut row = row.clone();
    let found = |column: &str| {
        row.get(column).cloned().ok_or_else(|| {
            format!(
                "there is no column {column:?} with an option; say where the options are, as in \
                 rule=dict(type='cyclic', options=['A', 'B']) or options='choices' for a list"
            )
        })
    };
    let columns: Vec<String> = match options {
        Some(OptionColumns::List(column)) => {
            let mut cell = found(column)?;
            match &mut cell {
                Json::Array(items) if items.len() == labels.len() => items.rotate_left(by),
                other => {
                    let count = labels.len();
                    return Err(format!(
                        "column {column:?} holds {other}, no list of {count} options"
                    ));
                }
            }
            row.set(column, cell);
            return Ok(row);
        }
        Some(OptionColumns::Columns(columns)) => columns.clone(),
        None => labels.iter().map(ToString::to_string).collect(),
    };
    if columns.len() != labels.len() {
        return Err(format!(
            "{} columns of options, but {} candidates",
            columns.len(),
            labels.len()
        ));
    }
    let cells = columns.iter().map(|column| found(column)).collect::<Result<Vec<Json>, _>>()?;
    for (place, column) in columns.iter().enumerate() {
        row.set(column, cells[(place + by) % cells.len()].clone());
    }
    Ok(row)
}

/// The prompts of another row's candidates, after the examples of the sample.
fn of_row(
    task: &Task<'_>,
    examples: &mut Examples,
    labels: &[Label],
    row: &Sample,
) -> Result<Vec<PreparedPrompt>, InferError> {
    let mut prompts = Vec::with_capacity(labels.len());
    for label in labels {
        let fitted = fit(task, examples, task.max_seq_len_tokens, |ice| {
            task.candidate_text_of(row, ice, label)
        })?;
        prompts.push(PreparedPrompt::of(fitted));
    }
    answer_place::mark(task, &mut prompts);
    Ok(prompts)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row() -> Sample {
        let columns = [("q", json!("?")), ("A", json!("x")), ("B", json!("y")), ("C", json!("z"))];
        let list = ("all", json!(["x", "y", "z"]));
        Sample::new(
            columns.into_iter().chain([list]).map(|(name, cell)| (name.to_owned(), cell)).collect(),
        )
    }

    #[test]
    fn options_move_around_in_columns_and_in_a_list() {
        let labels: Vec<Label> = ["A", "B", "C"].map(|name| Label::new(name.into())).to_vec();
        let moved = rotated(&row(), &labels, None, 1).unwrap();
        assert_eq!(["A", "B", "C"].map(|name| moved.get(name).unwrap().clone()), ["y", "z", "x"]);
        let list = OptionColumns::List("all".to_owned());
        let moved = rotated(&row(), &labels, Some(&list), 2).unwrap();
        assert_eq!(moved.get("all"), Some(&json!(["z", "x", "y"])));
        let columns = OptionColumns::Columns(vec!["B".to_owned(), "D".to_owned(), "C".to_owned()]);
        let error = rotated(&row(), &labels, Some(&columns), 1).unwrap_err();
        assert!(error.contains("no column \"D\""), "{error}");
    }
}
