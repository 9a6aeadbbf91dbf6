//! `math`: whether two mathematical answers are written alike once spellings that do not matter are gone.
//!
//! It compares texts: that 2 + 2 and 4 are equal is not found. The rules are those of MATH's evaluation,
//! in the two versions that OpenCompass has, slips included, because scores are comparable only with them.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::{
    EvaluateError, Evaluator, Row, Scores,
    acc_with_details::are_equal,
    by_row::{Asked, ByRow, Grade},
};
use crate::{
    config::{Component, ConfigError},
    postprocess::{PatternError, PythonRegex, normalized_final_answer},
    python::{blank::strip, parse_integer, python_str},
};

/// The parameters of `MATHEvaluator`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    #[serde(default)]
    version: Version,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Version {
    /// The first one.
    #[default]
    V1,
    /// The one with more spellings.
    V2,
}

/// Compares answers of MATH.
pub(super) struct LatexEquality {
    by_row: ByRow,
}

/// The original gives up on such a text, and compares it in another way.
pub(super) struct Unstrippable;

impl LatexEquality {
    /// Reads `version`: `v1` (the default) or `v2`.
    pub(super) fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        let grade = match component.read::<Parameters>()?.version {
            Version::V1 => |asked: &Asked<'_>| grade(asked, Version::V1),
            Version::V2 => |asked: &Asked<'_>| grade(asked, Version::V2),
        };
        Ok(Box::new(Self { by_row: ByRow::new("math", grade).called("accuracy") }))
    }
}

impl Evaluator for LatexEquality {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        self.by_row.evaluate(rows)
    }
}

fn grade(asked: &Asked<'_>, version: Version) -> Result<Grade, EvaluateError> {
    let (prediction, answer) = (&asked.row.prediction, &asked.row.reference);
    let is_correct = are_equal(prediction, answer)
        || are_equivalent(prediction, answer, version).map_err(|error| asked.failed(error))?;
    Ok(Grade::compared(prediction.clone(), answer.clone(), is_correct))
}

/// Equal when stripped, when stripped and normalised, or when normalised as they are.
pub(super) fn are_equivalent(
    left: &Value,
    right: &Value,
    version: Version,
) -> Result<bool, PatternError> {
    if left.is_null() || right.is_null() {
        return Ok(false);
    }
    // The second version makes texts of all values, the first takes texts alone.
    let text = |value: &Value| match (value, version) {
        (Value::String(text), _) => Some(text.clone()),
        (other, Version::V2) => Some(python_str(other)),
        (_, Version::V1) => None,
    };
    let Some((left_text, right_text)) = text(left).zip(text(right)) else { return Ok(false) };
    if let (Ok(left), Ok(right)) = (stripped(&left_text, version)?, stripped(&right_text, version)?)
        && (left == right || normalized_final_answer(&left)? == normalized_final_answer(&right)?)
    {
        return Ok(true);
    }
    let (Some(left), Some(right)) = (left.as_str(), right.as_str()) else { return Ok(false) };
    Ok(normalized_final_answer(left)? == normalized_final_answer(right)?)
}

fn stripped(text: &str, version: Version) -> Result<Result<String, Unstrippable>, PatternError> {
    match version {
        Version::V1 => Ok(stripped_v1(text)),
        Version::V2 => stripped_v2(text),
    }
}

fn stripped_v1(text: &str) -> Result<String, Unstrippable> {
    let text = with_braced_fractions(&without_marks(text)?);
    let text = if text == "0.5" { r"\frac{1}{2}".to_owned() } else { text };
    with_fraction_for_slash(text)
}

/// Without line ends, thin spaces, sizes of brackets, degrees, dollars, units, per cent and blanks.
pub(super) fn without_marks(text: &str) -> Result<String, Unstrippable> {
    let text = replaced(
        text,
        &[
            ("\n", ""),
            (r"\!", ""),
            (r"\\", r"\"),
            ("tfrac", "frac"),
            ("dfrac", "frac"),
            (r"\left", ""),
            (r"\right", ""),
            (r"^{\circ}", ""),
            (r"^\circ", ""),
            (r"\$", ""),
        ],
    );
    let text = match text.split_once(r"\text{ ") {
        Some((_, unit)) if unit.contains(r"\text{ ") => return Err(Unstrippable),
        Some((before, _)) => before.to_owned(),
        None => text,
    };
    let text = replaced(&text, &[(r"\%", ""), (" .", " 0."), ("{.", "{0.")]);
    if text.is_empty() {
        return Ok(text);
    }
    let text = right_side(&with_leading_zero(&text)).to_owned();
    Ok(with_braced_roots(&text)?.replace(' ', ""))
}

/// The same and more: units at the end, set membership, words, quotation and zeros behind the point.
fn stripped_v2(text: &str) -> Result<Result<String, Unstrippable>, PatternError> {
    static UNIT: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\\text{.*?}$"));
    static BOX: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\\mbox{.*?}"));
    static ZEROS: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(\d+)\.0+([^\d])"));
    static ZEROS_AT_END: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(\d+)\.0+$"));
    static ROOT: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\\sqrt(\w+)"));

    let text = strip(text).replace('\n', "");
    let text = replaced(
        text.trim_end_matches('.'),
        &[
            (r"\!", ""),
            (r"\ ", ""),
            (r"\\", r"\"),
            (r"\\", r"\"),
            ("tfrac", "frac"),
            ("dfrac", "frac"),
            (r"\left", ""),
            (r"\right", ""),
        ],
    );
    let without_unit = strip(&UNIT.replace(&text, "")?).to_owned();
    let text = if without_unit.is_empty() { text } else { without_unit };
    let mut text = replaced(
        &text,
        &[
            (r"^{\circ}", ""),
            (r"^\circ", ""),
            (r"\$", ""),
            ("$", ""),
            (r"\text", ""),
            (r"x\in", ""),
            (r"\%", ""),
            ("%", ""),
            (" .", " 0."),
            ("{.", "{0."),
            (r"\cdot", ""),
            ("infinity", r"\infty"),
        ],
    );
    if !text.contains(r"\infty") {
        text = text.replace("inf", r"\infty");
    }
    text = replaced(&text, &[(r"+\inity", r"\infty"), ("and", ""), (r"\mathbf", "")]);
    text = BOX.replace(&text, "")?;
    if !text.contains('i') {
        text = text.replace('j', "i");
    }
    text = ZEROS.replace_by(&text, |found| format!("{}{}", &found[1], &found[2]))?;
    text = ZEROS_AT_END.keep_group(&text)?;
    if text.is_empty() {
        return Ok(Ok(text));
    }
    let text = right_side(&with_leading_zero(&text)).to_owned();
    let text = ROOT.replace_by(&text, |found| format!(r"\sqrt{{{}}}", &found[1]))?;
    Ok(with_fraction_for_slash(with_braced_fractions(&text.replace(' ', ""))))
}

pub(super) fn replaced(text: &str, replacements: &[(&str, &str)]) -> String {
    replacements.iter().fold(text.to_owned(), |text, (before, after)| text.replace(before, after))
}

pub(super) fn with_leading_zero(text: &str) -> String {
    if text.starts_with('.') { format!("0{text}") } else { text.to_owned() }
}

/// What stands behind the only equals sign, if at most two characters name what it equals.
pub(super) fn right_side(text: &str) -> &str {
    match text.split_once('=') {
        Some((name, side)) if !side.contains('=') && name.chars().count() <= 2 => side,
        _ => text,
    }
}

/// `\sqrt3` as `\sqrt{3}`.
pub(super) fn with_braced_roots(text: &str) -> Result<String, Unstrippable> {
    let mut parts = text.split(r"\sqrt");
    let mut braced = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let first = part.chars().next().ok_or(Unstrippable)?;
        let (under, rest) = part.split_at(first.len_utf8());
        let parts =
            if first == '{' { [r"\sqrt", part, "", ""] } else { [r"\sqrt{", under, "}", rest] };
        braced.push_str(&parts.concat());
    }
    Ok(braced)
}

/// `\frac12` as `\frac{1}{2}`. A fraction of fewer than two characters leaves the whole text alone.
pub(super) fn with_braced_fractions(text: &str) -> String {
    let mut parts = text.split(r"\frac");
    let mut braced = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        braced.push_str(r"\frac");
        if part.starts_with('{') {
            braced.push_str(part);
            continue;
        }
        let mut letters = part.chars();
        let (Some(above), Some(below)) = (letters.next(), letters.next()) else {
            return text.to_owned();
        };
        let (above, rest) = part.split_at(above.len_utf8());
        let (below, rest) = rest.split_at(below.len_utf8());
        let parts = if below == "{" {
            ["{", above, "}{", rest, ""]
        } else {
            ["{", above, "}{", below, "}"]
        };
        braced.push_str(&parts.concat());
        braced.push_str(if below == "{" { "" } else { rest });
    }
    braced
}

/// `1/2` as `\frac{1}{2}`. One slash between anything but whole numbers is more than the original takes.
pub(super) fn with_fraction_for_slash(text: String) -> Result<String, Unstrippable> {
    let Some((above, below)) = text.split_once('/').filter(|(_, below)| !below.contains('/'))
    else {
        return Ok(text);
    };
    let above = parse_integer(above).ok_or(Unstrippable)?;
    let below = parse_integer(below).ok_or(Unstrippable)?;
    Ok(if text == format!("{above}/{below}") {
        format!(r"\frac{{{above}}}{{{below}}}")
    } else {
        text
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn spellings_that_do_not_matter_are_equal() {
        let rows = [
            (r"\frac{1}{2}", "0.5", Version::V1, true),
            (r"\tfrac12", "1/2", Version::V1, true),
            (r"\sqrt3", r"\sqrt{3}", Version::V1, true),
            ("x=7", "7", Version::V1, true),
            (r"5\text{ cm}", "5", Version::V1, true),
            ("3.00", "3", Version::V2, true),
            ("3.00", "3", Version::V1, false),
            ("2+2", "4", Version::V2, false),
        ];
        for (left, right, version, expected) in rows {
            let found = are_equivalent(&json!(left), &json!(right), version).unwrap();
            assert_eq!(found, expected, "{left} and {right}");
        }
    }
}
