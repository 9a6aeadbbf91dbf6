//! `acc_contamination`: accuracy apart for questions that a web search has found, and that it has not.

use serde_json::Value;

use super::{EvaluateError, Metric, Row, Scores, by_row::Asked};
use crate::python::python_str;

/// How a question is marked in the column `is_clean`, and how its group is called.
const GROUPS: &[(&str, &str)] = &[
    ("clean", "accuracy - clean"),
    ("input contamination", "accuracy - input contaminated"),
    ("input-and-label contamination", "accuracy - input-and-label contaminated"),
];

/// The share of right answers in each group; questions that were not looked for are in none.
pub(super) fn scores(rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
    let mut groups = vec![Vec::new(); GROUPS.len()];
    for (index, row) in rows.iter().enumerate() {
        let asked = Asked::new(row, index, "acc_contamination");
        let mark = asked.column("is_clean")?.as_str().unwrap_or_default();
        let own = GROUPS.iter().position(|(name, _)| *name == mark);
        if let Some(group) = own.and_then(|own| groups.get_mut(own)) {
            group.push(is_right(&row.prediction, &row.reference));
        }
    }
    let metric = |((_, name), correct): (&(&str, &str), &Vec<bool>)| {
        let mut metric = Metric::of_shares(name, correct);
        metric.scores.clear();
        metric
    };
    let metrics = GROUPS.iter().zip(&groups).map(metric).collect();
    Ok(Scores { metrics, samples: rows.len(), details: None })
}

fn is_right(prediction: &Value, reference: &Value) -> bool {
    python_str(prediction) == python_str(reference)
}
