//! `nc_exact_match` and `nc_element_match`: names of molecules turned into formulas and back.

use std::{collections::BTreeMap, sync::LazyLock};

use serde_json::{Map, Value, json};

use super::{EvaluateError, Evaluator, Metric, Row, Scores, by_row::Asked};
use crate::{
    postprocess::{PatternError, PythonRegex},
    python::{blank::strip, parse_integer},
};

/// What introduces an answer that has no tags.
const INTRODUCTIONS: [&str; 5] = [
    "reactants and reagents are:\n```\n",
    "reactants and reagents:\n```\n",
    "Reactants and Reagents:**\n```\n",
    "Reactants and Reagents SMILES:**\n```\n",
    "Reactants and Reagents:**  \n`",
];

/// What stands in the last pair of tags; in a text without tags, the line behind an introduction or all.
fn answer(text: &str) -> Result<&str, PatternError> {
    static TAGGED: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?s)<(MOLFORMULA|SMILES|IUPAC)>(.*?)</\1>"));
    let mut found = None;
    let mut rest = text;
    while let Some(captures) = TAGGED.search(rest)? {
        let (all, inner) = (captures.get(0), captures.get(2));
        found = inner.map(|inner| strip(inner.as_str()));
        rest = all.and_then(|all| rest.get(all.end()..)).unwrap_or_default();
    }
    Ok(found.unwrap_or_else(|| {
        let introduced = INTRODUCTIONS.iter().find(|introduction| text.contains(**introduction));
        introduced.map_or(text, |introduction| {
            let behind = text.rsplit(introduction).next().unwrap_or_default();
            behind.split('\n').next().unwrap_or_default()
        })
    }))
}

/// The share of answers that equal the gold, and of those that say anything.
pub(super) struct NameMatch;

impl Evaluator for NameMatch {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let (mut correct, mut details) = (Vec::new(), Vec::new());
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "nc_exact_match");
            let read = |text| answer(text).map_err(|error| asked.failed(error));
            let (own, gold) = (read(asked.prediction()?)?, read(asked.reference()?)?);
            let is_correct = !own.is_empty() && strip(own) == strip(gold);
            correct.push(is_correct);
            details.push(Map::from_iter([
                ("pred".to_owned(), json!(own)),
                ("answer".to_owned(), json!(gold)),
                ("correct".to_owned(), json!(is_correct)),
            ]));
        }
        // The original counts every answer, because a text without tags is one as a whole.
        let valid = vec![true; rows.len()];
        let metrics =
            vec![Metric::of_shares("score", &correct), Metric::of_shares("valid_score", &valid)];
        Ok(Scores::new(metrics, rows.len()).with_details(details))
    }
}

/// The share of answers with the gold's elements, each as often, and of those that are formulas. Of several
/// answers to a question one has to be right; then the figures of each place are noted.
pub(super) struct ElementMatch;

/// How an answer compares with a gold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Same,
    Other,
    NoFormula,
}

impl Evaluator for ElementMatch {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let places = places(rows);
        let found = compared(rows)?;
        let shown = |all: Vec<Value>| match places {
            Some(_) => json!(all),
            None => all.into_iter().next().unwrap_or_default(),
        };
        let detail = |row: &Compared<'_>| {
            let same = row.answers.iter().map(|(_, own)| json!(*own == Comparison::Same));
            Map::from_iter([
                ("pred".to_owned(), shown(row.answers.iter().map(|(own, _)| json!(own)).collect())),
                ("answer".to_owned(), json!(row.gold)),
                ("score".to_owned(), shown(same.collect())),
            ])
        };
        let details = found.iter().map(detail).collect();
        let has = |row: &Compared<'_>, wanted| row.answers.iter().any(|(_, own)| *own == wanted);
        let correct: Vec<bool> = found.iter().map(|row| has(row, Comparison::Same)).collect();
        let mut metrics = vec![Metric::of_shares("score", &correct)];
        if places.is_none() {
            let valid: Vec<bool> =
                found.iter().map(|row| !has(row, Comparison::NoFormula)).collect();
            metrics.push(Metric::of_shares("valid_score", &valid));
        }
        Ok(Scores::new(metrics, rows.len()).with_details(details))
    }

    fn notes(&self, rows: &[Row<'_>]) -> Result<Map<String, Value>, EvaluateError> {
        let Some(places) = places(rows) else { return Ok(Map::new()) };
        let found = compared(rows)?;
        let shares = |wanted: Comparison| -> Vec<f64> {
            let share = |place: usize| {
                let is_wanted = |row: &&Compared<'_>| {
                    row.answers.get(place).is_some_and(|(_, own)| *own == wanted)
                };
                found.iter().filter(is_wanted).count() as f64 / rows.len() as f64 * 100.0
            };
            (0..places).map(share).collect()
        };
        let invalid = shares(Comparison::NoFormula);
        let valid: Vec<f64> = invalid.into_iter().map(|share| 100.0 - share).collect();
        Ok(Map::from_iter([
            ("all_score".to_owned(), json!(shares(Comparison::Same))),
            ("valid_score".to_owned(), json!(valid)),
        ]))
    }
}

/// The answers of a row, each with what it comes to.
struct Compared<'r> {
    answers: Vec<(&'r str, Comparison)>,
    gold: &'r str,
}

/// How many answers there are to each question, where they are lists.
fn places(rows: &[Row<'_>]) -> Option<usize> {
    rows.first()?.prediction.as_array().map(Vec::len)
}

fn compared<'r>(rows: &'r [Row<'r>]) -> Result<Vec<Compared<'r>>, EvaluateError> {
    let places = places(rows);
    let row = |(index, row)| {
        let asked = Asked::new(row, index, "nc_element_match");
        let read = |text| answer(text).map_err(|error| asked.failed(error));
        let gold = read(asked.reference()?)?;
        let mut compared = Vec::new();
        for own in answers(&asked, places)? {
            let own = read(own)?;
            compared.push((own, compare(&asked, own, gold)?));
        }
        Ok(Compared { answers: compared, gold })
    };
    rows.iter().enumerate().map(row).collect()
}

/// The answers of a row: one text, or as many as the first row has.
fn answers<'r>(asked: &Asked<'r>, places: Option<usize>) -> Result<Vec<&'r str>, EvaluateError> {
    let row = asked.row;
    match (&row.prediction, places) {
        (Value::Array(answers), Some(places)) if answers.len() >= places => {
            answers.iter().take(places).map(|answer| asked.text("an answer", answer)).collect()
        }
        (text, None) => Ok(vec![asked.text("the prediction", text)?]),
        (other, Some(_)) => {
            Err(asked.wrong("the prediction", "a list of as many answers as the first row", other))
        }
    }
}

fn compare(asked: &Asked<'_>, own: &str, gold: &str) -> Result<Comparison, EvaluateError> {
    if own.is_empty() {
        return Ok(Comparison::Other);
    }
    let read = |text| atoms(text).map_err(|error| asked.failed(error));
    let Some(own) = read(own)? else { return Ok(Comparison::NoFormula) };
    let gold = read(gold)?;
    let gold = gold.ok_or_else(|| asked.unreadable_reference("the formula of a molecule"))?;
    Ok(if own == gold { Comparison::Same } else { Comparison::Other })
}

/// How often each element stands in a formula, and its charge; nothing if it is no formula.
fn atoms(formula: &str) -> Result<Option<BTreeMap<String, u128>>, PatternError> {
    static FORMULA: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"^(?:[A-Za-z]\d*)+(?:[\+\-]\d*)*$"));
    static ATOM: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"^([A-Z][a-z]?)(\d+)?"));
    static CHARGE: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"([\+\-])(\d*)"));
    if !FORMULA.finds(formula)? {
        return Ok(None);
    }
    let mut counts: BTreeMap<String, u128> = BTreeMap::new();
    let mut rest = formula;
    // What is no atom ends the formula, with all that follows it.
    while let Some(captures) = ATOM.search(rest)? {
        let group = |number| captures.get(number).map(|found| found.as_str());
        let count = group(2).map_or(Some(1), number);
        let sum = |own: u128| count.and_then(|count| own.checked_add(count));
        let count = counts.entry(group(1).unwrap_or_default().to_owned()).or_default();
        let Some(sum) = sum(*count) else { return Ok(None) };
        *count = sum;
        rest = rest.get(group(0).unwrap_or_default().len()..).unwrap_or_default();
    }
    if let Some(captures) = CHARGE.search(formula)? {
        let group = |number| captures.get(number).map_or("", |found| found.as_str());
        let Some(amount) =
            Some(group(2)).filter(|digits| !digits.is_empty()).map_or(Some(1), number)
        else {
            return Ok(None);
        };
        counts.insert(group(1).to_owned(), amount);
    }
    Ok(Some(counts))
}

fn number(digits: &str) -> Option<u128> {
    parse_integer(digits)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_tags_hold_the_answer() {
        assert_eq!(answer("<SMILES> C </SMILES> <IUPAC>\nmethane </IUPAC>").unwrap(), "methane");
        assert_eq!(answer("Reactants and Reagents:**\n```\nCCO\n```").unwrap(), "CCO");
        assert_eq!(answer("<SMILES> C </IUPAC>").unwrap(), "<SMILES> C </IUPAC>");
    }

    #[test]
    fn atoms_are_counted_and_a_charge_is_one_of_them() {
        let read = |text: &str| atoms(text).unwrap();
        assert_eq!(read("C2H5OH"), read("C2H6O"));
        assert_ne!(read("NH4+"), read("NH4"));
        assert_eq!(read("SO4-2").unwrap().get("-"), Some(&2));
        assert_eq!(read("Ca(OH)2"), None);
        assert_eq!(read("xyz").unwrap().len(), 0);
    }
}
