//! `cot_output`: the rewritten question at the end of a chain of thought.
//!
//! A rewriting model first says whether the question has to change, then thinks, then writes the new
//! question behind a marker: `Yes => THOUGHT: … => OUTPUT QUESTION: …`. The answer of such a step is a question: the
//! new one, or, when nothing had to change, the one that was asked, whatever stands behind a `No`. An answer in another
//! form is kept as it is: it stays visible, and the metric `rewriting` counts it.

use serde::Deserialize;
use serde_json::Value;

use super::{PostprocessError, Postprocessor, blank::strip, jieba_words::is_unspaced};
use crate::{
    config::{Component, ConfigError},
    dataset::Sample,
    python::python_str,
};

/// What an answer says of the question that it was to rewrite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict<'t> {
    /// It has to change, into this.
    Changed(&'t str),
    /// It stays as it was asked.
    Kept,
    /// The answer is in another form. Its first line stands for a question.
    Unreadable(&'t str),
}

impl<'t> Verdict<'t> {
    /// Reads an answer: the word it begins with and, after a `Yes`, the rest of the line behind the marker. Lines that
    /// follow are another dialogue's. Of several markers in that line the last counts, because a thought may name it.
    pub(crate) fn read(text: &'t str, marker: &str) -> Self {
        let answer = strip(text);
        let unreadable = Self::Unreadable(strip(answer.lines().next().unwrap_or_default()));
        match first_word(answer) {
            word if word.eq_ignore_ascii_case("no") => Self::Kept,
            word if word.eq_ignore_ascii_case("yes") => {
                let behind = answer.lines().find_map(|line| behind_last(line, marker));
                behind.map_or(unreadable, |question| Self::Changed(strip(question)))
            }
            _ => unreadable,
        }
    }
}

/// The letters and digits that a text begins with; a Chinese letter is a word of its own.
fn first_word(text: &str) -> &str {
    let is_part = |letter: char| letter.is_alphanumeric() && !is_unspaced(letter);
    text.split(|letter| !is_part(letter)).next().unwrap_or_default()
}

/// What follows the last marker of a line. Signs in full width, as Chinese is typed, are those of ASCII: `：` is `:`.
fn behind_last<'t>(line: &'t str, marker: &str) -> Option<&'t str> {
    let marker: Vec<char> = marker.chars().map(half_width).collect();
    if marker.is_empty() {
        return None;
    }
    let letters: Vec<(usize, char)> =
        line.char_indices().map(|(place, letter)| (place, half_width(letter))).collect();
    let stands_at = |window: &[(usize, char)]| window.iter().map(|(_, own)| own).eq(&marker);
    let start = letters.windows(marker.len()).rposition(stands_at)?;
    let end = letters.get(start + marker.len()).map_or(line.len(), |(place, _)| *place);
    line.get(end..)
}

/// The letter of ASCII that a letter in full width is.
fn half_width(letter: char) -> char {
    match letter {
        '\u{3000}' => ' ',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter),
        other => other,
    }
}

/// The marker of a rewritten question, unless a config names another.
pub(crate) fn default_marker() -> String {
    "OUTPUT QUESTION:".to_owned()
}

/// The column that holds the question as it was asked, unless a config names another.
pub(crate) fn default_question_column() -> String {
    "question".to_owned()
}

/// A sample's question as it was asked.
pub(crate) fn asked_question(
    sample: &Sample,
    column: &str,
    processor: &'static str,
) -> Result<String, PostprocessError> {
    let question = sample.get(column).ok_or_else(|| PostprocessError::NoColumn {
        processor,
        column: column.to_owned(),
        available: sample.iter().map(|(name, _)| name).collect::<Vec<_>>().join(", "),
    })?;
    Ok(python_str(question))
}

/// Takes the text behind the marker after a `Yes`, the sample's own question after a `No`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CotOutput {
    #[serde(default = "default_marker")]
    marker: String,
    #[serde(default = "default_question_column")]
    question_column: String,
}

impl CotOutput {
    /// Reads `marker` (default `'OUTPUT QUESTION:'`) and `question_column` (default `'question'`).
    pub(super) fn build(component: &Component) -> Result<Box<dyn Postprocessor>, ConfigError> {
        Ok(Box::new(component.read::<Self>()?))
    }
}

impl Postprocessor for CotOutput {
    fn process(&self, text: &str, sample: &Sample) -> Result<Value, PostprocessError> {
        match Verdict::read(text, &self.marker) {
            Verdict::Changed(question) | Verdict::Unreadable(question) => Ok(question.into()),
            Verdict::Kept => {
                Ok(asked_question(sample, &self.question_column, "cot_output")?.into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn processed(text: &str, sample: &Sample) -> Result<Value, PostprocessError> {
        let processor =
            CotOutput { marker: default_marker(), question_column: default_question_column() };
        processor.process(text, sample)
    }

    fn sample() -> Sample {
        Sample::new(vec![("question".into(), json!("Who was she?"))])
    }

    #[test]
    fn a_missing_column_is_named() {
        let sample = Sample::new(vec![("q".into(), json!("x"))]);
        let error = processed("No", &sample).unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"cot_output needs the column "question"; the sample has q"#
        );
    }

    proptest! {
        #[test]
        fn every_text_is_read(text in any::<String>(), marker in any::<String>()) {
            let read = Verdict::read(&text, &marker);
            if let Verdict::Changed(own) | Verdict::Unreadable(own) = read {
                prop_assert!(text.contains(own) && !own.contains('\n'));
            }
        }

        #[test]
        fn a_question_in_the_format_comes_out_as_it_went_in(
            question in "[a-zA-Z水它？？ ,.'=>:：]{0,40}",
            thought in "[a-zA-Z水它 ,.'=>]{0,40}",
            more in "(\n[ -~水]{0,40})?",
        ) {
            let text = format!("Yes => THOUGHT: {thought} => OUTPUT QUESTION: {question}{more}");
            prop_assume!(!more.contains("OUTPUT QUESTION"));
            prop_assert_eq!(processed(&text, &sample()).unwrap(), json!(strip(&question)));
            let text = format!("No => THOUGHT: {thought} => OUTPUT QUESTION: {question}{more}");
            prop_assert_eq!(processed(&text, &sample()).unwrap(), json!("Who was she?"));
        }
    }
}
