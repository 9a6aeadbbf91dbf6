//! Answers that are numbers, by how they go together with the gold.
//!
//! An answer without a number is infinitely far: it takes no part in the correlation and counts as 0 beside
//! it, by its share of all rows.

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::{
    super::{
        EvaluateError, Metric, Row, Scores, Unit,
        by_row::Asked,
        correlation::{pearson, spearman},
    },
    answer::{fitting, float, number, record, spoken},
};

/// Why the original has no figure for so few numbers.
const ONE_NUMBER: &str = "one row alone has a number, whose correlation counts as 0; OpenCompass fails there and has no figure";

/// Why the original has no figure for whole numbers.
const WHOLE_NUMBER: &str = "the first gold is a whole number, which counts as any number; OpenCompass refuses it and has no figure";

/// The pairs of each name in records, and what is noted of each row.
type Records = (IndexMap<String, Pairs>, Vec<Map<String, Value>>);

/// Numbers of the gold and of the answers.
#[derive(Default)]
struct Pairs {
    gold: Vec<f64>,
    given: Vec<f64>,
}

impl Pairs {
    fn push(&mut self, gold: f64, given: f64) {
        self.gold.push(gold);
        self.given.push(given);
    }

    /// The pairs of which both numbers are finite.
    fn finite(&self) -> Self {
        let mut finite = Self::default();
        for (gold, given) in self.gold.iter().zip(&self.given) {
            if gold.is_finite() && given.is_finite() {
                finite.push(*gold, *given);
            }
        }
        finite
    }

    /// A figure of the finite pairs, by their share of all if some answers are infinite.
    fn shared(&self, figure: impl Fn(&[f64], &[f64]) -> f64) -> f64 {
        let finite = self.finite();
        let own = if finite.gold.is_empty() { 0.0 } else { figure(&finite.gold, &finite.given) };
        if self.given.iter().any(|given| given.is_infinite()) {
            own * finite.gold.len() as f64 / self.gold.len() as f64
        } else {
            own
        }
    }
}

/// `biodata_spearman`.
pub(in super::super) fn spearman_of_numbers(rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
    let (pairs, details) = of_numbers(rows, "biodata_spearman")?;
    Ok(scores("spearman", pairs.shared(spearman), details))
}

/// `biodata_pcc`: the mean over the names that records have.
pub(in super::super) fn pearson_of_records(rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
    let (names, details) = of_records(rows, "biodata_pcc", false)?;
    // Of one number there is no correlation: 0, as of none.
    let figure =
        |gold: &[f64], given: &[f64]| if gold.len() < 2 { 0.0 } else { pearson(gold, given) };
    let figures: Vec<f64> = names.values().map(|pairs| pairs.shared(figure)).collect();
    Ok(scores("pcc", figures.iter().sum::<f64>() / figures.len() as f64, details))
}

/// `biodata_r2`: the square of the correlation, of numbers or of records. Of one number it is infinite, as in
/// the original.
pub(in super::super) fn r_squared(rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
    let figure = |gold: &[f64], given: &[f64]| {
        if gold.len() < 2 { f64::INFINITY } else { pearson(gold, given).powi(2) }
    };
    let is_record = rows.first().is_some_and(|row| row.reference.is_object());
    let (figure, details) = if is_record {
        let (names, details) = of_records(rows, "biodata_r2", true)?;
        let figures: Vec<f64> = names.values().map(|pairs| pairs.shared(figure)).collect();
        (figures.iter().sum::<f64>() / figures.len() as f64, details)
    } else {
        let (pairs, details) = of_numbers(rows, "biodata_r2")?;
        (pairs.shared(figure), details)
    };
    Ok(scores("r^2", figure, details))
}

/// Where the original fails on [`pearson_of_records`].
pub(in super::super) fn pearson_departures(rows: &[Row<'_>]) -> Vec<(usize, &'static str)> {
    let Ok((names, _)) = of_records(rows, "biodata_pcc", false) else { return Vec::new() };
    let is_single = names.values().any(|pairs| pairs.finite().gold.len() == 1);
    if is_single { vec![(0, ONE_NUMBER)] } else { Vec::new() }
}

/// Where the original fails on [`r_squared`].
pub(in super::super) fn r_squared_departures(rows: &[Row<'_>]) -> Vec<(usize, &'static str)> {
    let is_whole = |row: &Row<'_>| row.reference.is_number() && !row.reference.is_f64();
    if rows.first().is_some_and(is_whole) { vec![(0, WHOLE_NUMBER)] } else { Vec::new() }
}

fn scores(name: &str, figure: f64, details: Vec<Map<String, Value>>) -> Scores {
    let metrics = vec![Metric::of_all(name, Unit::Number, figure * 100.0)];
    Scores { metrics, samples: details.len(), details: Some(details) }
}

fn of_numbers(
    rows: &[Row<'_>],
    evaluator: &'static str,
) -> Result<(Pairs, Vec<Map<String, Value>>), EvaluateError> {
    let mut pairs = Pairs::default();
    let mut details = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let asked = Asked::new(row, index, evaluator);
        let given = number(spoken(&asked)?).map_err(|error| asked.failed(error))?;
        let gold = row.reference.as_f64().ok_or_else(|| asked.unreadable_reference("a number"))?;
        pairs.push(gold, given.unwrap_or(f64::INFINITY));
        details.push(detail(json!(given), &row.reference));
    }
    Ok((pairs, details))
}

/// The pairs of each name. `shows_numbers` is whether details have what an answer counts as.
fn of_records(
    rows: &[Row<'_>],
    evaluator: &'static str,
    shows_numbers: bool,
) -> Result<Records, EvaluateError> {
    let mut names: IndexMap<String, Pairs> = IndexMap::new();
    let mut details = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let asked = Asked::new(row, index, evaluator);
        let unreadable = || asked.unreadable_reference("a record of numbers");
        let gold = row.reference.as_object().ok_or_else(unreadable)?;
        let given = record(spoken(&asked)?).map_err(|error| asked.failed(error))?;
        let own = fitting(&given, gold);
        let mut numbers = Map::new();
        for (name, gold) in gold {
            let gold = float(gold).ok_or_else(unreadable)?;
            let number = own.and_then(|own| float(own.get(name)?)).unwrap_or(f64::INFINITY);
            names.entry(name.clone()).or_default().push(gold, number);
            numbers.insert(name.clone(), json!(number));
        }
        let shown = if shows_numbers { Value::Object(numbers) } else { given };
        details.push(detail(shown, &row.reference));
    }
    Ok((names, details))
}

fn detail(given: Value, gold: &Value) -> Map<String, Value> {
    Map::from_iter([("pred".to_owned(), given), ("answer".to_owned(), gold.clone())])
}
