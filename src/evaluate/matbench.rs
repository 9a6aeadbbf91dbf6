//! `matbench_*`: properties of materials, as numbers and as yes or no.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::{EvaluateError, Metric, Row, Scores, Unit, by_row::Asked, confusion::Confusion};
use crate::{
    postprocess::{PatternError, PythonRegex},
    python::parse_float,
};

/// A greater number is taken for none.
const GREATEST: f64 = 20.0;

/// Symbols of the elements; a word that has one in it is no part of an answer.
const ELEMENTS: &[&str] = &[
    "H", "Li", "Be", "B", "C", "N", "O", "F", "Na", "Mg", "Al", "Si", "P", "S", "Cl", "K", "Ca",
    "Sc", "Ti", "V", "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn", "Ga", "Ge", "As", "Se", "Br", "Rb",
    "Sr", "Y", "Zr", "Nb", "Mo", "Tc", "Ru", "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb", "Te", "I",
    "Cs", "Ba", "La", "Ce", "Pr", "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho", "Er", "Tm", "Yb",
    "Lu", "Hf", "Ta", "W", "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po", "At", "Fr",
    "Ra", "Ac", "Th", "Pa", "U", "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md", "No", "Lr",
    "Rf", "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh", "Fl", "Mc", "Lv", "Ts",
];

/// What says yes or no in a text without blanks, in lower case; the first that is found decides.
type Sayings = &'static [(&'static str, bool)];

/// For a property that a material is or is not.
const IS: Sayings = &[
    ("answer:true", true),
    ("answer:false", false),
    ("not", false),
    ("no", false),
    ("yes", true),
    ("itis", true),
];

/// For one that it has or has not.
const HAS: Sayings = &[
    ("answer:true", true),
    ("answer:false", false),
    ("doesnot", false),
    ("not", false),
    ("no", false),
    ("yes", true),
    ("itis", true),
    ("has", true),
];

/// `matbench_regression`: the mean absolute error.
pub(super) fn regression(rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
    let mut errors = Vec::with_capacity(rows.len());
    let mut details = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let asked = Asked::new(row, index, "matbench_regression");
        let found = number(asked.prediction()?).map_err(|error| asked.failed(error))?;
        let gold = match &row.reference {
            Value::String(text) => parse_float(text),
            Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
            other => other.as_f64(),
        };
        let gold = gold.ok_or_else(|| asked.unreadable_reference("a number"))?;
        let error = (found - gold).abs();
        errors.push(error);
        details.push(Map::from_iter([
            ("pred".to_owned(), json!(found)),
            ("answer".to_owned(), row.reference.clone()),
            ("error".to_owned(), json!(error)),
        ]));
    }
    let metrics = vec![Metric::of_numbers("mae", Unit::Error, errors)];
    Ok(Scores { metrics, samples: rows.len(), details: Some(details) })
}

/// `matbench_classification`.
pub(super) fn classification(rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
    classified(rows, IS)
}

/// `matbench_classification_glass`.
pub(super) fn glass(rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
    classified(rows, HAS)
}

fn classified(rows: &[Row<'_>], sayings: Sayings) -> Result<Scores, EvaluateError> {
    let (mut correct, mut answers) = (Vec::new(), Vec::new());
    let mut details = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let asked = Asked::new(row, index, "matbench_classification");
        let meant = match &row.reference {
            Value::Bool(flag) => *flag,
            Value::Number(number) if number.as_i64() == Some(1) => true,
            Value::Number(number) if number.as_i64() == Some(0) => false,
            _ => return Err(asked.unreadable_reference("True or False")),
        };
        let text = asked.prediction()?.to_lowercase().replace(' ', "");
        let given =
            sayings.iter().find(|(saying, _)| text.contains(saying)).is_none_or(|(_, yes)| *yes);
        answers.push((meant, given));
        correct.push(f64::from(u8::from(meant == given)));
        details.push(Map::from_iter([
            ("pred".to_owned(), given.into()),
            ("answer".to_owned(), row.reference.clone()),
            ("correct".to_owned(), (meant == given).into()),
        ]));
    }
    let counts = Confusion::of(answers);
    let metrics = vec![
        Metric::of_numbers("accuracy", Unit::Number, correct),
        Metric::of_all("precision", Unit::Number, counts.precision()),
        Metric::of_all("recall", Unit::Number, counts.recall()),
        Metric::of_all("f1_score", Unit::Number, counts.f1()),
    ];
    Ok(Scores { metrics, samples: rows.len(), details: Some(details) })
}

/// The number behind the last `answer:`, else the last number; without its sign, and 0 if it is too great.
fn number(text: &str) -> Result<f64, PatternError> {
    static ANSWER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"answer:(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"));
    static NUMBER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"));
    let text = without_formulas(text)?;
    let joined = text.to_lowercase().replace(' ', "");
    let found = match ANSWER.last(&joined)? {
        Some(number) => parse_float(number),
        None => NUMBER.last(&text)?.and_then(parse_float),
    };
    Ok(match found {
        Some(number) if number < 0.0 => number.abs(),
        Some(number) if number < GREATEST => number,
        _ => 0.0,
    })
}

/// The text without formulas of compounds and words that have an element's symbol in them.
fn without_formulas(text: &str) -> Result<String, PatternError> {
    static FORMULA: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(
            r"\b[A-Z][a-z]?\d*(?:[A-Z][a-z]?\d*)*(?:\([A-Z][a-z]?\d*(?:[A-Z][a-z]?\d*)*\)\d*)*\b",
        )
    });
    static WORD: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\w+"));
    let text = FORMULA.replace(text, "")?;
    WORD.replace_by(&text, |word| {
        let word = word.get(0).map_or("", |word| word.as_str());
        let has_symbol = ELEMENTS.iter().any(|symbol| word.contains(symbol));
        if has_symbol { String::new() } else { word.to_owned() }
    })
}
