//! `tabmwp`: answers about tables: one of several choices, or a number in any of its spellings.
//!
//! What a reply answers is taken out by a list of patterns; a choice that is not named is the one that shares most words
//! with the reply.

use std::sync::LazyLock;

use super::{
    EvaluateError, Evaluator, Row, Scores,
    by_row::{Asked, rounded},
};
use crate::{
    postprocess::{PatternError, PythonRegex},
    python::{PythonRandom, blank::strip, parse_float, parse_integer, python_str, write_float},
};

/// Letters that name choices.
const LETTERS: &str = "ABCDEFGH";
/// The seed with which a letter that names none becomes a choice.
const SEED: u64 = 123;
/// Places to which numbers are rounded.
const PLACES: u32 = 3;

/// How a reply names a choice, most trusted first.
const CHOICES: &[&str] = &[
    r"^\(([A-Za-z])\)$",
    r"^([A-Za-z])$",
    r"^([A-Za-z]). ",
    r"[Th]he answer is ([A-Z])",
    r"^\(([A-Za-z])\) [\s\S]+$",
    r"[Th]he answer is \(([A-Za-z])\) [\s\S]+$",
];

/// How a reply gives a number, most trusted first.
const NUMBERS: &[&str] = &[
    r"[Th]he answer is ([\s\S]+)$",
    r"[Th]he table shows that ([\d\$\.\,\/\:]+) ",
    r" = ([\d\$\.\,\/\:]+)",
    r"(?<= be| is) ([\-\d\$\.\,\/\:]{0,}[\d]+)",
    r"(?<= are| was) ([\-\d\$\.\,\/\:]{0,}[\d]+)",
    r"(?<= were) ([\-\d\$\.\,\/\:]{0,}[\d]+)",
    r" ([\d\$\.\,\/\:]+ [AP]\.M\.)",
    r"([\-\d\$\.\,\/\:]{0,}[\d]+)",
];

/// Compares answers once they are written alike.
pub(super) struct TabMwp;

impl Evaluator for TabMwp {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let mut correct = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "tabmwp");
            let prediction = asked.prediction()?;
            let answer = row.reference["answer"]
                .as_str()
                .ok_or_else(|| asked.unreadable_reference("a dict with the text 'answer'"))?;
            let unit = row.reference["unit"].as_str().unwrap_or_default();
            let choices: Vec<String> =
                row.reference["choices"].as_array().into_iter().flatten().map(python_str).collect();
            let found = extracted(prediction, &choices)
                .and_then(|found| normalized(&found, unit))
                .and_then(|found| {
                    Ok(found.to_lowercase() == normalized(answer, unit)?.to_lowercase())
                });
            correct.push(found.map_err(|error| asked.failed(error))?);
        }
        Ok(Scores::share("accuracy", &correct))
    }
}

/// The first or last of what the first pattern that finds something finds.
fn by_patterns(
    patterns: &LazyLock<Vec<PythonRegex>>,
    text: &str,
    accepts: impl Fn(&[&str]) -> Option<String>,
) -> Result<Option<String>, PatternError> {
    for pattern in patterns.iter() {
        let found = pattern.all(text)?;
        if let Some(answer) = (!found.is_empty()).then(|| accepts(&found)).flatten() {
            return Ok(Some(answer));
        }
    }
    Ok(None)
}

fn compiled(patterns: &[&str]) -> Vec<PythonRegex> {
    patterns.iter().map(|pattern| PythonRegex::constant(pattern)).collect()
}

/// The answer in a reply.
fn extracted(reply: &str, choices: &[String]) -> Result<String, PatternError> {
    static FRACTION: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"\$?\\frac\{([\d\.\,\-]+)\}\{([\d\.\,]+)\}\$?"));
    static STOP: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?<![AP]\.M)\.$"));
    static EQUALS: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?<=\d)[\=](?=[\-\$\d])"));
    static OF_CHOICES: LazyLock<Vec<PythonRegex>> = LazyLock::new(|| compiled(CHOICES));
    static OF_NUMBERS: LazyLock<Vec<PythonRegex>> = LazyLock::new(|| compiled(NUMBERS));

    let reply = FRACTION.replace_by(reply, |found| format!("{}/{}", &found[1], &found[2]))?;
    let reply = EQUALS.replace(&STOP.replace(&reply, "")?, " = ")?.replace('\u{2212}', "-");
    if choices.is_empty() {
        let number = by_patterns(&OF_NUMBERS, &reply, |found| {
            let answer = strip(found.last()?);
            let is_sentence = answer.ends_with('.') && !answer.contains(".M.");
            Some(
                if is_sentence { answer.strip_suffix('.').unwrap_or(answer) } else { answer }
                    .to_owned(),
            )
        })?;
        return Ok(number.unwrap_or(reply));
    }
    let choice = by_patterns(&OF_CHOICES, &reply, |found| {
        let letter = found.first()?.to_uppercase();
        let index = LETTERS.find(&letter)?;
        let index = if index < choices.len() {
            index
        } else {
            PythonRandom::from_seed(SEED).choice(choices.len())
        };
        choices.get(index).cloned()
    })?;
    Ok(choice.unwrap_or_else(|| most_similar(choices, &reply).to_owned()))
}

/// The first of the choices that share most words with the reply.
fn most_similar<'c>(choices: &'c [String], reply: &str) -> &'c str {
    let mut best = ("", f64::NEG_INFINITY);
    for choice in choices {
        let similarity = similarity(choice, reply);
        if similarity > best.1 {
            best = (choice, similarity);
        }
    }
    best.0
}

fn similarity(choice: &str, reply: &str) -> f64 {
    if choice == reply {
        return 2.0;
    }
    if !choice.contains(' ') && !reply.contains(' ') {
        return 0.0;
    }
    let (choice, reply): (Vec<&str>, Vec<&str>) =
        (choice.split(' ').collect(), reply.split(' ').collect());
    let mut shared: Vec<&str> =
        choice.iter().copied().filter(|word| reply.contains(word)).collect();
    shared.sort_unstable();
    shared.dedup();
    shared.len() as f64 / choice.len().max(reply.len()) as f64
}

/// A number without currency, commas and zeros behind the point; a text without its unit.
fn normalized(text: &str, unit: &str) -> Result<String, PatternError> {
    static CURRENCY: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"^[\$]"));
    static END: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"[\,\.\,\/]$"));
    static NUMBER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"^[-+]?[\d,./]+$"));
    static WHOLE: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"^[-+]?\d+$"));
    static ZEROS: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\.[0]+$"));

    let text = END.replace(&CURRENCY.replace(text, "")?, "")?;
    let as_text = |text: &str| {
        if unit.is_empty() { text.to_owned() } else { strip(&text.replace(unit, "")).to_owned() }
    };
    if !NUMBER.finds(&text)? {
        return Ok(as_text(&text));
    }
    let number = text.replace(',', "");
    if WHOLE.finds(&number)? {
        return Ok(parse_integer(&number).unwrap_or(number));
    }
    let value = match number.split_once('/') {
        Some((above, below)) => {
            let below = below.split('/').next().unwrap_or_default();
            parse_float(above).zip(parse_float(below)).map(|(above, below)| above / below)
        }
        None => parse_float(&number),
    };
    // The original fails on "1.2.3" and on a division by zero.
    let Some(value) = value.filter(|value| value.is_finite()) else { return Ok(as_text(&text)) };
    let mut printed = String::new();
    write_float(&mut printed, rounded(value, PLACES));
    ZEROS.replace(&printed, "")
}
