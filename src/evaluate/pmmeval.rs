//! `pmmeval_*`: choices in ten languages, and numbers.
//!
//! A prediction is a text with the code of its language, as the benchmark's post-processors give it. The
//! choice is taken from JSON, or from behind the language's "the answer is", else from anywhere.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::{
    EvaluateError,
    by_row::{Asked, Grade},
};
use crate::{
    postprocess::{PatternError, PythonRegex},
    python::{blank::strip, parse_integer, python_str},
};

/// What introduces an answer, by language; the second code is that of `pmmeval_mmmlu`.
const INTRODUCTIONS: &[(&str, &str, &[&str])] = &[
    ("ar", "AR-XY", &["الجواب هو"]),
    ("en", "EN-US", &["the answer is", "The answer is"]),
    ("es", "ES-LA", &["La respuesta es"]),
    ("fr", "FR-FR", &["La réponse est", "la réponse est"]),
    ("id", "", &["Jawaban adalah", "jawaban adalah"]),
    ("ja", "JA-JP", &["答えは"]),
    ("ko", "KO-KR", &["답변은"]),
    ("pt", "PT-BR", &["A resposta é"]),
    ("th", "TH-TL", &["คำตอบคือ"]),
    ("vi", "VI-VT", &["Câu trả lời là", "câu trả lời là"]),
    ("zh", "ZH-CN", &["答案是"]),
];

/// Where the original fails.
const NOT_AS_ASKED: &str = "an answer that is not as it was asked for is searched for any letter; OpenCompass searches \
                            nothing instead, fails and has no figure";

/// Which code of a language a benchmark uses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Codes {
    Short,
    Regional,
}

/// What was found in a prediction.
struct Found<'t> {
    text: &'t str,
    /// As the benchmark asks for it.
    strict: Option<String>,
    /// The first of the letters that stands anywhere.
    fuzzy: Option<&'static str>,
}

/// `pmmeval_mhellaswag`: the gold is an option's number.
pub(super) fn mhellaswag(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let found = found(asked, Codes::Short)?;
    Ok(graded(&found, &numbered(asked)?, found.text))
}

/// `pmmeval_mlogiqa`: the same, and the detail shows the choice. The original looks for the letter of an
/// answer that is not as it was asked for in nothing, and fails.
pub(super) fn mlogiqa(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let found = found(asked, Codes::Short)?;
    let shown = found.strict.clone().unwrap_or_default();
    let grade = graded(&found, &numbered(asked)?, &shown);
    Ok(if found.strict.is_none() { grade.departing(NOT_AS_ASKED) } else { grade })
}

/// `pmmeval_xnli`: the gold is a letter.
pub(super) fn xnli(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let found = found(asked, Codes::Short)?;
    let shown = found.strict.as_deref().or(found.fuzzy).unwrap_or_default();
    Ok(graded(&found, asked.reference()?, shown))
}

/// `pmmeval_mmmlu`: the same; an answer counts as failed only where there is no letter at all.
pub(super) fn mmmlu(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let found = found(asked, Codes::Regional)?;
    let choice = found.strict.as_deref().or(found.fuzzy);
    let gold = asked.reference()?.to_lowercase();
    let is_correct = choice.is_some_and(|choice| choice.to_lowercase() == gold);
    Ok(Grade::of(is_correct).noted([
        ("acc", number(is_correct)),
        ("failed", number(choice.is_none())),
        ("extracted_answer", or_no_answer(found.text)),
    ]))
}

/// `pmmeval_mgsm`: the last number.
pub(super) fn mgsm(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    static NUMBER: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(
            r"(?:[+-])?(?=(?:[0-9]|\.[0-9]))(?:0|(?:[1-9](?:\d{0,2}(?:,\d{3})*)|\d*))?(?:\.\d*)?(?=\D|$)",
        )
    });
    let text = asked.prediction()?;
    let last = NUMBER.last(text).map_err(|error| asked.failed(error))?;
    let extracted =
        last.map(|number| strip(&number.replace([',', '+'], "")).trim_matches('.').to_owned());
    let gold = asked.reference()?.replace(',', "");
    let is_correct = extracted.as_deref() == Some(gold.as_str());
    Ok(Grade::of(is_correct).noted([
        ("references", gold.into()),
        ("predictions", text.into()),
        ("extracted", extracted.into()),
        ("correct", is_correct.into()),
    ]))
}

fn graded(found: &Found<'_>, gold: &str, shown: &str) -> Grade {
    let choice = found.strict.as_deref().or(found.fuzzy);
    let is_correct = choice.is_some_and(|choice| choice.to_lowercase() == gold.to_lowercase());
    Grade::of(is_correct).noted([
        ("acc", number(is_correct)),
        ("failed", number(found.strict.is_none())),
        ("failed_strict", number(choice.is_none())),
        ("extracted_answer", or_no_answer(shown)),
    ])
}

fn number(is_so: bool) -> Value {
    json!(f64::from(u8::from(is_so)))
}

fn or_no_answer(text: &str) -> Value {
    if text.is_empty() { "no answer" } else { text }.into()
}

/// The letter of the option with the gold's number.
fn numbered(asked: &Asked<'_>) -> Result<String, EvaluateError> {
    let reference = &asked.row.reference;
    let number = match reference {
        Value::String(text) => parse_integer(text).and_then(|digits| digits.parse::<i64>().ok()),
        other => other.as_f64().map(|number| number.trunc() as i64),
    };
    let letter = number.and_then(|number| char::from_u32(u32::try_from(number + 65).ok()?));
    let letter = letter.ok_or_else(|| asked.unreadable_reference("the number of an option"))?;
    Ok(letter.to_string())
}

fn found<'r>(asked: &Asked<'r>, codes: Codes) -> Result<Found<'r>, EvaluateError> {
    let prediction = &asked.row.prediction;
    let pair = prediction.as_array().map(Vec::as_slice);
    let Some([Value::String(text), language]) = pair else {
        return Err(asked.wrong(
            "the prediction",
            "a text with the code of its language, as the benchmark's post-processor gives them",
            prediction,
        ));
    };
    let strict = from_json(text).map_err(|error| asked.failed(error))?;
    let strict = match strict {
        Some(letter) => Some(letter.to_owned()),
        None => introduced(asked, text, language, codes)?.map(String::from),
    };
    let fuzzy = ["A", "B", "C", "D"].into_iter().find(|letter| text.contains(letter));
    Ok(Found { text, strict, fuzzy })
}

/// The letter that is the value of `answer`.
fn from_json(text: &str) -> Result<Option<&str>, PatternError> {
    static FORMS: LazyLock<[PythonRegex; 4]> = LazyLock::new(|| {
        [
            r#"(?s)\{\s*?"answer"\s*?:\s*?"?(A|B|C|D).*?"?\s*?\}"#,
            r#"(?s)\{\s*?['"]answer['"]\s*?:\s*?['"](A|B|C|D).*?['"]\s*?\}"#,
            r#"(?s)"answer"\s*:\s*"?(A|B|C|D)"?"#,
            r#"(?s)['"]answer['"]\s*:\s*['"](A|B|C|D)['"]"#,
        ]
        .map(PythonRegex::constant)
    });
    for form in FORMS.iter() {
        if let Some(letter) = form.last(text)? {
            return Ok(Some(letter));
        }
    }
    Ok(None)
}

/// The letter right behind the last introduction.
fn introduced(
    asked: &Asked<'_>,
    text: &str,
    language: &Value,
    codes: Codes,
) -> Result<Option<char>, EvaluateError> {
    let code = python_str(language);
    let is_own = |(short, regional, _): &&(&str, &str, &[&str])| match codes {
        Codes::Short => *short == code,
        Codes::Regional => !regional.is_empty() && *regional == code,
    };
    let Some((.., introductions)) = INTRODUCTIONS.iter().find(is_own) else {
        return Err(asked.wrong(
            "the language of the prediction",
            "a language of PMMEval",
            language,
        ));
    };
    let introduction = introductions.iter().find(|own| text.contains(**own) && text != **own);
    let behind = introduction.and_then(|own| text.rsplit(own).next()).unwrap_or_default();
    let first = strip(behind).chars().next();
    Ok(first.filter(|letter| matches!(letter, 'A'..='D' | 'a'..='d')))
}
