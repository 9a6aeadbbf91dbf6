//! `korbench`: answers in double brackets, each rule of the benchmark with a comparison of its own.
//!
//! The original tells questions apart by their number and passes none, so comparisons that hang on it are
//! never made there, nor here.

use std::sync::LazyLock;

use super::{
    EvaluateError,
    by_row::{Asked, Grade},
};
use crate::{
    postprocess::{PatternError, PythonRegex, python_value},
    python::{blank::strip, parse_integer, python_str},
};

/// What stands for an answer without brackets.
const NONE: &str = "NULL";

/// How much of an answer in brackets does not count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cleaning {
    Basic,
    /// Quotes, blanks and brackets.
    Clean,
    /// Quotes, blanks and full stops.
    Logic,
}

/// Compares an answer in the manner of its category and rule.
pub(super) fn grade(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let (prediction, answer) = (asked.prediction()?, &asked.row.reference);
    let mode = asked.column("prompt_mode")?;
    match mode.as_str() {
        Some("0_shot" | "3_shot") => {}
        Some("Multi-Q" | "Multi-R" | "Multi-RQ" | "mixed") => {
            return Err(asked.wrong(
                "prompt_mode",
                "0_shot or 3_shot (the answers to mixed questions stand in other files of the benchmark)",
                mode,
            ));
        }
        _ => {
            return Ok(Grade::of(false).noted([
                ("is_correct", false.into()),
                ("pred", prediction.into()),
                ("answer", answer.clone()),
            ]));
        }
    }
    let text = |name| asked.row.sample.and_then(|sample| sample.get(name)).map(python_str);
    let category = text("category").unwrap_or_default();
    let rule = text("rule_id").unwrap_or_default();
    let failed = |error: PatternError| asked.failed(error);
    let shown = bracketed(prediction, Cleaning::Basic).map_err(failed)?;
    let gold = asked.reference()?;
    let is_correct = is_right(prediction, gold, &category, &rule).map_err(failed)?;
    let Some(is_correct) = is_correct else {
        return Err(asked.unreadable_reference("an equation with a whole number behind it"));
    };
    let grade = Grade::of(is_correct).noted([
        ("idx", 0.into()),
        ("response", prediction.into()),
        ("response_text", shown.into()),
        ("answer", answer.clone()),
        ("is_correct", is_correct.into()),
        ("correct", is_correct.into()),
        ("pred", prediction.into()),
    ]);
    Ok(if category == "counterfactual" {
        // The data set does not pass what is so in real life.
        grade.with("real_life_answer", "").with("is_real_life", false)
    } else {
        grade
    })
}

/// Whether an answer is right; nothing where the gold is not written as its rule needs.
fn is_right(
    response: &str,
    answer: &str,
    category: &str,
    rule: &str,
) -> Result<Option<bool>, PatternError> {
    let text = |cleaning| bracketed(response, cleaning);
    let is_equal = match (category, rule) {
        ("logic", "5") => sorted(text(Cleaning::Logic)?.split(';')) == sorted(answer.split(';')),
        ("logic", _) => text(Cleaning::Logic)? == bracketed(answer, Cleaning::Logic)?,
        ("operation", "18") => letters(&text(Cleaning::Clean)?)? == letters(inner(answer)?)?,
        ("operation", "23" | "24" | "25") => numbers(&text(Cleaning::Clean)?)? == numbers(answer)?,
        ("operation", _) if answer.contains("or") => several(response, answer)?,
        ("puzzle", _) => return puzzle(inner(response)?, inner(answer)?, rule),
        _ => text(Cleaning::Clean)? == answer,
    };
    Ok(Some(is_equal))
}

/// The first text in double brackets, in a box between dollars, or in single brackets; with double brackets
/// around it.
fn bracketed(text: &str, cleaning: Cleaning) -> Result<String, PatternError> {
    static FORMS: LazyLock<[PythonRegex; 3]> = LazyLock::new(|| {
        [r"(?s)\[\[\s*(.*?)\s*\]\]", r"(?s)\$\\boxed\{(.*?)\}\$", r"(?s)\[\s*(.*?)\s*\]"]
            .map(PythonRegex::constant)
    });
    for form in FORMS.iter() {
        if let Some(content) = form.first(text)? {
            let content = strip(content);
            let dropped: &[char] = match cleaning {
                Cleaning::Basic => &[],
                Cleaning::Clean => &['"', '\n', ' ', '[', ']'],
                Cleaning::Logic => &['"', '\n', ' ', '.'],
            };
            return Ok(format!("[[{}]]", content.replace(dropped, "")));
        }
    }
    Ok(NONE.to_owned())
}

/// The first text in double brackets.
fn inner(text: &str) -> Result<&str, PatternError> {
    static INNER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?s)\[\[(.*?)\]\]"));
    Ok(INNER.first(text)?.unwrap_or(NONE))
}

/// Answers with "or" between them, in any order.
fn several(response: &str, answer: &str) -> Result<bool, PatternError> {
    let response = bracketed(response, Cleaning::Clean)?.replace(r"\text{or}", "or");
    if response == NONE {
        return Ok(false);
    }
    let answer = bracketed(answer, Cleaning::Clean)?;
    let parts = |text: &str| -> Vec<String> {
        sorted(text.trim_matches(['[', ']']).split("or").map(strip))
    };
    Ok(parts(&response) == parts(&answer))
}

/// The comparison of a puzzle.
fn puzzle(response: &str, answer: &str, rule: &str) -> Result<Option<bool>, PatternError> {
    let letters_only = |text: &str| -> String {
        text.chars()
            .filter(char::is_ascii_alphabetic)
            .map(|letter| letter.to_ascii_lowercase())
            .collect()
    };
    Ok(Some(match rule {
        "1" => letters_only(response) == letters_only(answer),
        "2" => answer.split(',').any(|own| own == letters_only(response)),
        "3" => {
            let response = response.to_lowercase();
            let words = NOT_WORD.split(&response)?.into_iter().filter(|word| !word.is_empty());
            sorted(words) == sorted(answer.split(' '))
        }
        "4" => answer.contains(&letters_only(response)),
        "5" => sorted(BLANKS.replace(response, "")?.split(',')) == sorted(answer.split(',')),
        "9" => return equation(&with_ascii_signs(response), &with_ascii_signs(answer)),
        "10" => twenty_four(&with_ascii_signs(response), answer)?,
        "18" => {
            let plain = |text| SEPARATORS.replace(text, "");
            plain(response)? == plain(answer)?
        }
        _ => NOT_WORD.replace(response, "")? == NOT_WORD.replace(answer, "")?,
    }))
}

static NOT_WORD: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\W+"));
static BLANKS: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\s+"));
static SEPARATORS: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"[,\s\[\]]+"));

fn with_ascii_signs(text: &str) -> String {
    text.replace('×', "*").replace('−', "-")
}

/// The same operators in the same order in front of the equals sign, with the gold's result.
fn equation(response: &str, answer: &str) -> Result<Option<bool>, PatternError> {
    static RESULT: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"=\s*(-?\d+)"));
    let left = |text: &str| text.split('=').next().unwrap_or_default().to_owned();
    let operators = |text: &str| -> String {
        left(text).chars().filter(|c| matches!(c, '+' | '-' | '*' | '/')).collect()
    };
    if operators(response) != operators(answer) {
        return Ok(Some(false));
    }
    let Some(expected) = RESULT.first(answer)?.and_then(parse_integer) else { return Ok(None) };
    let result = python_value(&left(response)).and_then(|value| value.as_f64());
    Ok(Some(result.is_some() && result == expected.parse().ok()))
}

/// The same numbers with any operators between them, and 24 as their result.
fn twenty_four(response: &str, answer: &str) -> Result<bool, PatternError> {
    let response = response.split('=').next().unwrap_or_default();
    let answer =
        answer.split('\n').next().unwrap_or_default().split('=').next().unwrap_or_default();
    let is_same = letters(response)? == letters(answer)?;
    Ok(is_same && python_value(response).and_then(|value| value.as_f64()) == Some(24.0))
}

/// Letters and digits in their order in the alphabet.
fn letters(text: &str) -> Result<Vec<char>, PatternError> {
    let mut letters: Vec<char> = NOT_WORD.replace(text, "")?.chars().collect();
    letters.sort_unstable();
    Ok(letters)
}

fn numbers(text: &str) -> Result<Vec<String>, PatternError> {
    static NUMBER: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\d+"));
    Ok(NUMBER.all(text)?.into_iter().filter_map(parse_integer).collect())
}

fn sorted<'t>(parts: impl Iterator<Item = &'t str>) -> Vec<String> {
    let mut parts: Vec<String> = parts.map(str::to_owned).collect();
    parts.sort();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puzzles_are_compared_by_their_rule() {
        let rows = [
            ("To-Day", "today", "1", true),
            ("b", "a,b", "2", true),
            ("x, y", "y x", "3", true),
            ("3 × 4 + 2 = 14", "5*2+4=14", "9", true),
            ("3 + 4 * 2 = 11", "5*2+1=11", "9", false),
            ("(8 − 4) × 6 × 1 = 24", "6*(8-4)*1=24", "10", true),
            // A rounding error less than 24, as in Python.
            ("(8 / (3 - 8 / 3)) = 24", "8/(3-8/3)=24", "10", false),
            ("1,[2]", "1 2", "18", true),
            ("a-b", "ab", "77", true),
        ];
        for (response, answer, rule, expected) in rows {
            assert_eq!(puzzle(response, answer, rule).unwrap(), Some(expected), "{response}");
        }
        assert_eq!(puzzle("1+1", "1+1", "9").unwrap(), None);
    }
}
