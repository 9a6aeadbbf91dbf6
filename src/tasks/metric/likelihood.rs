//! What the likelihood of a target, or of a whole document, is worth.

use super::Measured;
use crate::{python::is_blank, tasks::value::TaskValue};

/// The log-likelihood, and whether the text is the likeliest one.
pub(super) struct Likelihood {
    pub(super) log: f64,
    pub(super) is_greedy: bool,
}

/// What is left of a pair behind the filters.
pub(super) fn pair(answer: &TaskValue) -> Result<Likelihood, String> {
    let pair = match answer.list() {
        Some([log, TaskValue::Truth(is_greedy)]) => log.number().map(|log| (log, *is_greedy)),
        _ => None,
    };
    let (log, is_greedy) = pair.ok_or_else(|| {
        format!("a filter leaves no log-likelihood, but {}", answer.python_repr())
    })?;
    Ok(Likelihood { log, is_greedy })
}

/// Of a target behind its context.
pub(super) fn of_target(answers: &[TaskValue]) -> Result<Measured, String> {
    let Likelihood { log, is_greedy } = pair(answers.first().ok_or("there is no answer")?)?;
    Ok(Measured::from([
        ("perplexity".to_owned(), TaskValue::Float(log)),
        ("acc".to_owned(), TaskValue::Whole(is_greedy.into())),
    ]))
}

/// Of a document: its log-likelihood with its words, and with its bytes.
pub(super) fn of_document(document: &TaskValue, answers: &[TaskValue]) -> Result<Measured, String> {
    let [TaskValue::Float(log)] = answers else {
        return Err(
            "a document has one log-likelihood, and a filter leaves another value".to_owned()
        );
    };
    let text = document.text().ok_or("`doc_to_target` is no text")?;
    let with =
        |count: usize| TaskValue::Tuple(vec![(*log).into(), TaskValue::Whole(count as i128)]);
    let (words, bytes) = (words(text), text.len());
    Ok(Measured::from([
        ("word_perplexity".to_owned(), with(words)),
        ("byte_perplexity".to_owned(), with(bytes)),
        ("bits_per_byte".to_owned(), with(bytes)),
    ]))
}

/// `len(re.split(r"\s+", text))`: blanks at an end stand beside one more, empty word.
fn words(text: &str) -> usize {
    let mut is_in_blank = false;
    let mut words = 1;
    for letter in text.chars() {
        words += usize::from(is_blank(letter) && !is_in_blank);
        is_in_blank = is_blank(letter);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_stands_between_blanks() {
        let rows = [("", 1), ("a", 1), ("a b\n\nc", 3), (" a ", 3), ("\u{1f}", 2)];
        for (text, expected) in rows {
            assert_eq!(words(text), expected, "{text:?}");
        }
    }
}
