//! What a metric says about a set of answers.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::statistics::Mean;

/// The outcome of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// The metrics, most important first.
    pub metrics: Vec<Metric>,
    /// How many rows were scored.
    pub samples: usize,
    /// Per row, what the metric noted about it; only some metrics do.
    pub details: Option<Vec<Map<String, Value>>>,
}

/// One figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// Its name, as OpenCompass writes it.
    pub name: String,
    /// The figure; NaN when there were no rows.
    pub value: f64,
    /// Its standard error, in the same unit; unknown below two rows.
    pub standard_error: Option<f64>,
    /// What it counts.
    pub unit: Unit,
    /// What each row contributes, in the order of the rows: 1 or 0 for a share, nats per token for a
    /// surprisal. Empty where only the figure is known.
    pub scores: Vec<f64>,
    /// How many rows the figure is of, where neither `scores` says it nor it is all.
    pub rows: Option<usize>,
}

/// The unit of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Of a hundred.
    Percent,
    /// Surprisal per token. OpenCompass calls it ppl; no exponential is taken.
    NatsPerToken,
    /// A number on a scale of its own: a correlation, a share from 0 to 1, a count.
    Number,
    /// How far off, on a scale of its own: less is better.
    Error,
}

/// What a results file holds beyond OpenCompass's: written under one key with a dict as value, which
/// OpenCompass's own summary passes over.
#[derive(Serialize, Deserialize)]
struct Statistics {
    samples: usize,
    standard_error: Map<String, Value>,
    unit: Map<String, Value>,
    /// Of figures of a part of the rows, how many these are.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    rows: Map<String, Value>,
}

/// The key of [`Statistics`] in a results file.
pub(crate) const STATISTICS: &str = "statistics";

impl Metric {
    /// A mean of which the rows' own scores are not known.
    pub fn from_mean(name: &str, mean: Mean, unit: Unit) -> Self {
        let Mean { value, standard_error } = mean;
        Self { name: name.to_owned(), value, standard_error, unit, scores: Vec::new(), rows: None }
    }

    /// A share of rows, in percent.
    pub fn of_shares(name: &str, correct: &[bool]) -> Self {
        let scores: Vec<f64> =
            correct.iter().map(|&is_right| f64::from(u8::from(is_right))).collect();
        Self { scores, ..Self::from_mean(name, Mean::percent_of(correct), Unit::Percent) }
    }

    /// The mean of what each row is worth, from 0 to 1, in percent.
    pub(super) fn of_grades(name: &str, scores: Vec<f64>) -> Self {
        let percents: Vec<f64> = scores.iter().map(|score| 100.0 * score).collect();
        Self { scores, ..Self::from_mean(name, Mean::of(&percents), Unit::Percent) }
    }

    /// The mean of what each row is worth, a hundred times: for grades that are not kept between 0 and 1.
    pub(super) fn of_hundreds(name: &str, mut grades: Vec<f64>) -> Self {
        for grade in &mut grades {
            *grade *= 100.0;
        }
        Self::of_numbers(name, Unit::Number, grades)
    }

    /// The mean of what each row is worth, as it is; NaN is a row that has no part in it.
    pub(super) fn of_numbers(name: &str, unit: Unit, scores: Vec<f64>) -> Self {
        let known: Vec<f64> = scores.iter().copied().filter(|score| !score.is_nan()).collect();
        Self { scores, ..Self::from_mean(name, Mean::of(&known), unit) }
    }

    /// The share of the rows that belong to a part of the data set, in percent.
    pub(super) fn of_part(name: &str, correct: &[Option<bool>]) -> Self {
        let own: Vec<bool> = correct.iter().copied().flatten().collect();
        let score = |correct: &Option<bool>| correct.map_or(f64::NAN, |it| f64::from(u8::from(it)));
        Self { scores: correct.iter().map(score).collect(), ..Self::of_shares(name, &own) }
    }

    /// The mean of what each question is worth, from 0 to 1, in percent, where several of the `rows` rows ask one
    /// question. `worth` has the first row of each question, which its score stands at, so that the figure is
    /// one of as many samples as there are questions: rows of one question are right or wrong together.
    pub(super) fn of_questions(
        name: &str,
        rows: usize,
        worth: impl IntoIterator<Item = (usize, f64)>,
    ) -> Self {
        let mut scores = vec![f64::NAN; rows];
        let mut percents = Vec::new();
        for (row, share) in worth {
            percents.push(100.0 * share);
            if let Some(score) = scores.get_mut(row) {
                *score = share;
            }
        }
        Self { scores, ..Self::from_mean(name, Mean::of(&percents), Unit::Percent) }
    }

    /// A figure of all rows together, which says nothing of how it scatters.
    pub(super) fn of_all(name: &str, unit: Unit, value: f64) -> Self {
        Self::from_mean(name, Mean { value, standard_error: None }, unit)
    }

    /// A figure of some of the rows together.
    pub(super) fn of_some(name: &str, unit: Unit, value: f64, rows: usize) -> Self {
        Self { rows: Some(rows), ..Self::of_all(name, unit, value) }
    }

    /// How many there are of something.
    pub(super) fn count(name: &str, count: usize) -> Self {
        Self::of_all(name, Unit::Number, count as f64)
    }

    /// How many of the rows that belong to a part of the data set have something.
    pub(super) fn count_of_part(name: &str, has: &[Option<bool>]) -> Self {
        let count = has.iter().filter(|own| **own == Some(true)).count();
        Self { scores: Self::of_part(name, has).scores, ..Self::count(name, count) }
    }

    /// How many rows the figure is of, out of `samples`.
    pub(crate) fn samples(&self, samples: usize) -> usize {
        if self.scores.is_empty() {
            return self.rows.unwrap_or(samples);
        }
        self.scores.iter().filter(|score| !score.is_nan()).count()
    }

    /// A mean of surprisals per token.
    pub fn of_nats(name: &str, scores: Vec<f64>) -> Self {
        let mean = Mean::of(&scores);
        Self { scores, ..Self::from_mean(name, mean, Unit::NatsPerToken) }
    }
}

impl Scores {
    /// These figures of so many rows, and nothing else.
    pub fn new(metrics: Vec<Metric>, samples: usize) -> Self {
        Self { metrics, samples, details: None }
    }

    /// The share of rows that are right, in percent, as the only metric.
    pub(super) fn share(name: &str, correct: &[bool]) -> Self {
        let metric = Metric::of_shares(name, correct);
        Self { metrics: vec![metric], samples: correct.len(), details: None }
    }

    pub(super) fn with_details(self, details: Vec<Map<String, Value>>) -> Self {
        Self { details: Some(details), ..self }
    }

    /// The content of a results file: OpenCompass's keys, then the statistics, then `notes`, then `details`
    /// if any. NaN, which JSON does not have, becomes null.
    pub fn to_results(&self, notes: Map<String, Value>, details: Option<Value>) -> Value {
        let per_metric = |of: fn(&Metric) -> Value| -> Map<String, Value> {
            self.metrics.iter().map(|metric| (metric.name.clone(), of(metric))).collect()
        };
        let mut results = per_metric(|metric| json!(metric.value));
        let statistics = json!(Statistics {
            samples: self.samples,
            standard_error: per_metric(|metric| json!(metric.standard_error)),
            unit: per_metric(|metric| json!(metric.unit)),
            rows: self.partial_rows(),
        });
        results.insert(STATISTICS.to_owned(), statistics);
        results.extend(notes);
        results.extend(details.map(|details| ("details".to_owned(), details)));
        Value::Object(results)
    }

    /// The figures that are not of all rows, each with how many it is of.
    fn partial_rows(&self) -> Map<String, Value> {
        let rows = |metric: &Metric| (metric.name.clone(), metric.samples(self.samples));
        let partial = self.metrics.iter().map(rows).filter(|(_, rows)| *rows != self.samples);
        partial.map(|(name, rows)| (name, json!(rows))).collect()
    }

    /// Reads back what [`to_results`](Self::to_results) wrote, without details and the rows' own scores.
    /// Nothing if the file
    /// holds no statistics, as one written by OpenCompass, or an error.
    pub fn from_results(results: &Value) -> Option<Self> {
        let Statistics { samples, standard_error, unit, rows } =
            Statistics::deserialize(results.get(STATISTICS)?).ok()?;
        let metrics = unit.iter().map(|(name, unit)| {
            Some(Metric {
                name: name.clone(),
                value: results.get(name)?.as_f64().unwrap_or(f64::NAN),
                standard_error: standard_error.get(name)?.as_f64(),
                unit: Unit::deserialize(unit).ok()?,
                scores: Vec::new(),
                rows: rows.get(name).and_then(Value::as_u64).map(|rows| rows as usize),
            })
        });
        Some(Self { metrics: metrics.collect::<Option<_>>()?, samples, details: None })
    }
}

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Percent => "%",
            Self::NatsPerToken => "nats/token",
            Self::Number => "number",
            Self::Error => "error",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The scores without those of single rows, which results files do not hold.
    fn figures(mut scores: Scores) -> Scores {
        scores.metrics.iter_mut().for_each(|metric| metric.scores.clear());
        scores
    }

    #[test]
    fn results_are_read_back_as_written() {
        let scores = Scores::share("accuracy", &[true, false, true, true]);
        let results = scores.to_results(Map::new(), None);
        assert_eq!(results["accuracy"], 75.0);
        assert_eq!(Scores::from_results(&results), Some(figures(scores)));
    }

    #[test]
    fn figures_of_some_rows_say_of_how_many_when_they_are_read_back() {
        let part = Metric::of_part("own", &[Some(true), None, Some(false)]);
        let together = Metric::of_some("f1_own", Unit::Percent, 50.0, 2);
        let scores = Scores::new(vec![Metric::of_shares("all", &[true; 3]), part, together], 3);
        let read = Scores::from_results(&scores.to_results(Map::new(), None)).unwrap();
        let of = |name: &str| {
            let metric = read.metrics.iter().find(|metric| metric.name == name);
            metric.map(|metric| metric.samples(read.samples))
        };
        assert_eq!([of("all"), of("own"), of("f1_own")], [Some(3), Some(2), Some(2)]);
    }

    #[test]
    fn a_single_row_has_a_score_and_no_error() {
        let scores = Scores::share("accuracy", &[true]);
        let results = scores.to_results(Map::new(), Some(json!([])));
        assert_eq!(results["statistics"]["standard_error"]["accuracy"], Value::Null);
        assert_eq!(Scores::from_results(&results), Some(figures(scores)));
    }
}
