//! `theoremqa`, `theoremqa_v2`, `_v3`, `_v4`: the short answer to a question about a theorem.

use std::sync::LazyLock;

use super::{
    PostprocessError, Processed,
    blank::strip,
    latex_number,
    python_regex::{PatternError, PythonRegex},
};

/// What introduces an answer.
const INTRODUCTIONS: &[&str] = &["The answer is:", "The answer is", "the answer is"];

/// The word behind the first "answer is" without punctuation, or the text.
pub(super) fn process(text: &str) -> Processed {
    static ANSWER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"answer is (\S+)"));
    let text = strip(text);
    let word = ANSWER.first(text)?;
    let punctuation = ['.', ',', '?', '!', '"', '\'', ';', ':'];
    Ok(word.map_or(text, |word| word.trim_matches(punctuation)).into())
}

/// The words of the last line behind its last "is", "be", "are" or word that ends in a colon.
pub(super) fn process_v2(text: &str) -> Processed {
    let line = strip(text).rsplit('\n').next().unwrap_or_default();
    let words: Vec<&str> = line.split(' ').collect();
    let introduces = |word: &&str| matches!(*word, "is" | "be" | "are") || word.ends_with(':');
    let start = words.iter().rposition(introduces).map_or(0, |index| index + 1);
    Ok(strip(&words[start..].join(" ")).trim_matches('.').into())
}

/// A verdict, an option, or the number that the formula behind the introduction comes to; without an
/// introduction the last number of the text.
pub(super) fn process_v3(text: &str) -> Processed {
    Ok(answer(text)?.into())
}

/// The same without brackets and backslashes at its ends.
pub(super) fn process_v4(text: &str) -> Processed {
    let answer = answer(text)?;
    Ok(strip(answer.trim_matches(['\\', '(']).trim_matches(['\\', ')'])).into())
}

fn answer(text: &str) -> Result<String, PostprocessError> {
    static INTRODUCTION: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant("(?s).*(?:The answer is:?|the answer is)(.*)"));
    static NUMBER: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"-?\d*\.?\d+"));
    let mut text = text.trim_matches('\n');
    // Several introductions come from questions that the model made up after its answer.
    if INTRODUCTIONS.iter().any(|introduction| text.matches(introduction).count() > 1) {
        text = text.split("\n\n").next().unwrap_or_default();
    }
    let introduced = INTRODUCTION.first(text)?;
    let answer = introduced.unwrap_or(text).trim_matches('\n');
    let answer = answer.trim_end_matches('.').trim_end_matches('/').trim_matches(' ');

    let lower = answer.to_lowercase();
    let says = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
    let found = if says(&["yes", "true"]) {
        "True".to_owned()
    } else if says(&["no", "false"]) {
        "False".to_owned()
    } else if says(&["(a)", "(b)", "(c)", "(d)", "(e)", "(f)"]) {
        answer.to_owned()
    } else if introduced.is_some() {
        formula(answer)?
    } else {
        NUMBER.last(answer)?.unwrap_or_default().to_owned()
    };
    Ok(found.trim_end_matches('.').trim_end_matches('/').to_owned())
}

/// What the right side of an equation comes to. What is no arithmetic stays, but for a number and its
/// unit, which loses the unit.
fn formula(answer: &str) -> Result<String, PostprocessError> {
    static WITH_UNIT: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"^-?[\d\.]+\s(?:\D+|\S+)$"));
    let side = strip(answer.rsplit('=').next().unwrap_or_default());
    let side = without_units(side)?;
    match latex_number::evaluate(&side) {
        latex_number::Value::Number(number) => Ok(number),
        latex_number::Value::Text if WITH_UNIT.finds(&side)? => {
            Ok(side.split(' ').next().unwrap_or_default().to_owned())
        }
        latex_number::Value::Text => Ok(side),
        latex_number::Value::Undecided => {
            Err(PostprocessError::Undecided { processor: "theoremqa_v3", text: side })
        }
    }
}

/// Writes π as 3.14 and per cent as a quotient, and takes out signs of currency and degrees.
pub(crate) fn without_units(text: &str) -> Result<String, PatternError> {
    static ALONE: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?<![\d}])\\?π"));
    static AFTER_DIGIT: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(\d)\\?π"));
    let text = ALONE.replace(&text.replace(r"\pi", "π"), "3.14")?;
    let mut text = AFTER_DIGIT.replace_by(&text, |found| format!("{}*3.14", &found[1]))?;
    for (sign, replacement) in
        [("%", "/100"), ("$", ""), ("¥", ""), ("°C", ""), (" C", ""), ("°", "")]
    {
        text = text.replace(sign, replacement);
    }
    Ok(text)
}
