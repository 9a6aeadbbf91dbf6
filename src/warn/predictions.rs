//! Predictions that are no answers: almost none is one of the labels.

use serde_json::Value as Json;

use super::{SampleRanges, count::WarningCount, kind::Kind};
use crate::{
    evaluate::{Evaluator, Row},
    python::python_str,
};

/// Fewer samples tell nothing.
const FEWEST_SAMPLES: usize = 4;

/// So many golds for each distinct one make the distinct ones labels.
const GOLDS_PER_LABEL: usize = 3;

/// Longer golds are texts and no labels.
const LABEL_CHARS: usize = 30;

/// One match in so many predictions is "almost none".
const PREDICTIONS_PER_MATCH: usize = 20;

/// Most characters of a prediction that are shown.
const SHOWN_CHARS: usize = 40;

/// Most labels that are listed.
const LISTED_LABELS: usize = 8;

/// Warns if almost none of the continuations that a model was asked for is one of the labels, after
/// post-processing. `samples` are the indices of `rows` in the test split.
pub(crate) fn predictions(
    evaluator: &dyn Evaluator,
    [dataset, model]: [&str; 2],
    samples: &[usize],
    rows: &[Row<'_>],
) -> Option<WarningCount> {
    let labels = labels(evaluator, rows)?;
    let is_label = |row: &Row<'_>| {
        labels.iter().any(|label| evaluator.accepts(&row.prediction, label) == Some(true))
    };
    let unlike: Vec<usize> = (0..rows.len())
        .filter(|index| rows.get(*index).is_some_and(|row| !is_label(row)))
        .collect();
    let matching = rows.len() - unlike.len();
    if matching * PREDICTIONS_PER_MATCH >= rows.len() {
        return None;
    }
    let first = *unlike.first()?;
    let kind = Kind::UnlikePredictions;
    Some(WarningCount {
        kind,
        severity: kind.severity(),
        dataset: dataset.to_owned(),
        model: model.to_owned(),
        count: unlike.len(),
        of: rows.len(),
        first_sample: samples.get(first).copied().unwrap_or(first),
        samples: SampleRanges::new(
            unlike.iter().filter_map(|index| samples.get(*index).copied()).collect(),
        ),
        field: None,
        message: message(matching, rows, &labels, first),
    })
}

fn message(matching: usize, rows: &[Row<'_>], labels: &[&Json], first: usize) -> String {
    let mut names: Vec<String> =
        labels.iter().take(LISTED_LABELS).map(|label| python_str(label)).collect();
    names.extend((labels.len() > LISTED_LABELS).then(|| "…".to_owned()));
    let prediction = rows.get(first).map(|row| python_str(&row.prediction)).unwrap_or_default();
    let mut shown: String = prediction.chars().take(SHOWN_CHARS).collect();
    if shown.len() < prediction.len() {
        shown.push('…');
    }
    format!(
        "{matching} of {} predictions look like a label ({}); the first other one is {shown:?}; give a \
         pred_postprocessor that takes the label out, or a template that asks for it alone",
        rows.len(),
        names.join(", ")
    )
}

/// The distinct golds, if they are a set of labels: short, few, and each the answer to several questions.
fn labels<'r>(evaluator: &dyn Evaluator, rows: &'r [Row<'_>]) -> Option<Vec<&'r Json>> {
    if rows.len() < FEWEST_SAMPLES {
        return None;
    }
    let mut labels: Vec<&Json> = Vec::new();
    for Row { reference, .. } in rows {
        evaluator.accepts(reference, reference)?;
        let is_short = python_str(reference).chars().take(LABEL_CHARS + 1).count() <= LABEL_CHARS;
        if reference.is_null() || !is_short {
            return None;
        }
        if !labels.contains(&reference) {
            labels.push(reference);
        }
        if labels.len() * GOLDS_PER_LABEL > rows.len() {
            return None;
        }
    }
    Some(labels)
}
