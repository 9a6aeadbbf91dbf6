//! The table at the end of a run: every figure with its uncertainty.

use serde::{Deserialize, Serialize};

use super::aligned::{self, Align};
use crate::evaluate::{Metric, Scores, Unit};

/// One line: a metric of a model on a data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultRow {
    /// Short name of the data set.
    pub dataset: String,
    /// Short name of the model.
    pub model: String,
    /// `gen`, `ppl`, …
    pub mode: String,
    /// Name of the metric.
    pub metric: String,
    /// The figure.
    pub value: f64,
    /// Its standard error, in the same unit.
    pub standard_error: Option<f64>,
    /// The unit of both.
    pub unit: Unit,
    /// How many samples were scored.
    pub samples: usize,
    /// How many samples failed and are not in the figure.
    pub failed: usize,
}

impl ResultRow {
    /// The lines of one evaluation, of which `failed` samples could not be scored.
    pub fn of(dataset: &str, model: &str, mode: &str, scores: &Scores, failed: usize) -> Vec<Self> {
        let row = |metric: &Metric| Self {
            dataset: dataset.to_owned(),
            model: model.to_owned(),
            mode: mode.to_owned(),
            metric: metric.name.clone(),
            value: metric.value,
            standard_error: metric.standard_error,
            unit: metric.unit,
            samples: scores.samples,
            failed,
        };
        scores.metrics.iter().map(row).collect()
    }

    fn cells(&self) -> Vec<String> {
        let decimals = match self.unit {
            Unit::Percent => 2,
            Unit::NatsPerToken => 4,
        };
        let error = self.standard_error.map(|error| format!("± {error:.decimals$}"));
        vec![
            self.dataset.clone(),
            self.model.clone(),
            self.mode.clone(),
            self.metric.clone(),
            format!("{:.decimals$}", self.value),
            error.unwrap_or_default(),
            self.unit.to_string(),
            self.samples.to_string(),
            self.failed.to_string(),
        ]
    }
}

/// The lines as plain text with aligned columns, without a final newline.
pub fn console_table(rows: &[ResultRow]) -> String {
    use Align::{Left, Right};
    let columns = [
        ("dataset", Left),
        ("model", Left),
        ("mode", Left),
        ("metric", Left),
        ("value", Right),
        ("std. error", Right),
        ("unit", Left),
        ("n", Right),
        ("failed", Right),
    ];
    let heading = columns.map(|(name, _)| name.to_owned());
    let cells: Vec<Vec<String>> = rows.iter().map(ResultRow::cells).collect();
    aligned::table(&heading, &cells, &columns.map(|(_, align)| align))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_shows_unit_error_and_counts() {
        let metric = |name: &str, value, standard_error, unit| Metric {
            name: name.to_owned(),
            value,
            standard_error,
            unit,
            scores: Vec::new(),
        };
        let scores =
            |metric: Metric, samples| Scores { metrics: vec![metric], samples, details: None };
        let accuracy = scores(metric("accuracy", 62.5, Some(18.298), Unit::Percent), 8);
        let ppl = scores(metric("average_ppl", 2.25, None, Unit::NatsPerToken), 1);
        let mut rows = ResultRow::of("mcq", "pocket", "ppl", &accuracy, 2);
        rows.extend(ResultRow::of("text", "pocket", "ppl", &ppl, 0));
        let expected = "\
dataset    model    mode    metric         value    std. error  unit          n    failed
---------  -------  ------  -----------  -------  ------------  ----------  ---  --------
mcq        pocket   ppl     accuracy       62.50       ± 18.30  %             8         2
text       pocket   ppl     average_ppl   2.2500                nats/token    1         0";
        assert_eq!(console_table(&rows), expected);
    }
}
