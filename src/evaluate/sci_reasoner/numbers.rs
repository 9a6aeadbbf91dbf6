//! `sci_reasoner_15_material` and `sci_reasoner_15_tm_score`: numbers, by their errors and correlations.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    super::{
        EvaluateError, Evaluator, Metric, Row, Scores, Unit,
        by_row::Asked,
        confusion::ratio,
        correlation::{pearson, spearman},
    },
    answer::{MOST_EXAMPLES, example, gold_number, number, property, spoken},
};
use crate::config::{Component, ConfigError};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    property_name: String,
}

/// A property of a material, which answers name in JSON.
pub(in super::super) struct Property {
    name: String,
}

/// How alike two folds of a protein are: a number from 0 to 1.
pub(in super::super) struct TmScore;

/// Golds with the answers that could be read.
#[derive(Default)]
struct Read {
    gold: Vec<f64>,
    given: Vec<f64>,
    unread: Vec<Value>,
}

impl Property {
    /// Reads `property_name`.
    pub(in super::super) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        Ok(Box::new(Self { name: component.read::<Parameters>()?.property_name }))
    }
}

impl Evaluator for Property {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let read = read(rows, Some(&self.name))?;
        let mut metrics = figures(&read, rows.len());
        metrics.push(Metric::count("invalid_count", rows.len() - read.gold.len()));
        Ok(Scores { metrics, samples: rows.len(), details: None })
    }

    fn notes(&self, rows: &[Row<'_>]) -> Result<Map<String, Value>, EvaluateError> {
        Ok(unread(read(rows, Some(&self.name))?))
    }
}

impl Evaluator for TmScore {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let read = read(rows, None)?;
        let mut metrics = figures(&read, rows.len());
        let outside = read.given.iter().filter(|given| !(0.0..=1.0).contains(*given)).count();
        metrics.push(Metric::count("out_of_range_count", outside));
        metrics.push(Metric::count("invalid_count", rows.len() - read.gold.len()));
        Ok(Scores { metrics, samples: rows.len(), details: None })
    }

    fn notes(&self, rows: &[Row<'_>]) -> Result<Map<String, Value>, EvaluateError> {
        Ok(unread(read(rows, None)?))
    }
}

fn unread(read: Read) -> Map<String, Value> {
    Map::from_iter([("invalid_examples".to_owned(), read.unread.into())])
}

/// The numbers of a property, or without one the first numbers.
fn read(rows: &[Row<'_>], name: Option<&str>) -> Result<Read, EvaluateError> {
    let mut read = Read::default();
    for (index, row) in rows.iter().enumerate() {
        let asked = Asked::new(row, index, "sci_reasoner_15");
        let gold = gold_number(&asked)?;
        let text = spoken(&row.prediction).map_err(|error| asked.failed(error))?;
        let given = match name {
            Some(name) if !text.is_empty() => property(&text, name),
            _ => number(&text),
        };
        match given.map_err(|error| asked.failed(error))? {
            Some(given) => {
                read.gold.push(gold);
                read.given.push(given);
            }
            None if read.unread.len() < MOST_EXAMPLES => {
                read.unread.push(example(index, &row.prediction, gold));
            }
            None => {}
        }
    }
    Ok(read)
}

fn figures(read: &Read, rows: usize) -> Vec<Metric> {
    let mean = |of: Vec<f64>| of.iter().sum::<f64>() / of.len() as f64;
    let errors = || read.gold.iter().zip(&read.given).map(|(gold, given)| given - gold);
    let middle = mean(read.gold.clone());
    let error = mean(errors().map(f64::abs).collect());
    let square = mean(errors().map(|error| error * error).collect());
    let spread = mean(read.gold.iter().map(|gold| (gold - middle).abs()).collect());
    let several = |figure: f64| if read.gold.len() < 2 { f64::NAN } else { figure };
    let rate = ratio(read.gold.len() as f64, rows as f64) * 100.0;
    let number = |name, value| Metric::of_all(name, Unit::Number, value);
    vec![
        Metric::count("total", rows),
        Metric::count("valid", read.gold.len()),
        Metric::of_all("valid_rate", Unit::Percent, rate),
        Metric::of_all("MAE", Unit::Error, error),
        Metric::of_all("RMSE", Unit::Error, square.sqrt()),
        number("MAD", spread),
        number("MAD/MAE", if error == 0.0 { f64::NAN } else { spread / error }),
        number("Pearson", several(pearson(&read.gold, &read.given))),
        number("Spearman", several(spearman(&read.gold, &read.given))),
    ]
}
