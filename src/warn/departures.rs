//! Rows that are scored here and have no score, or may have another, in the original tool.

use super::{SampleRanges, count::WarningCount, kind::Kind};
use crate::evaluate::{Evaluator, Row};

/// Warns of rows whose score is of our own making. `samples` are the indices of `rows` in the test split.
pub(crate) fn departures(
    evaluator: &dyn Evaluator,
    [dataset, model]: [&str; 2],
    samples: &[usize],
    rows: &[Row<'_>],
) -> Option<WarningCount> {
    let mut found = evaluator.departures(rows);
    found.sort_unstable();
    let found: Vec<(usize, &'static str)> =
        found.into_iter().filter_map(|(index, why)| Some((*samples.get(index)?, why))).collect();
    let (first_sample, why) = *found.first()?;
    let kind = Kind::ScoredOtherwise;
    Some(WarningCount {
        kind,
        severity: kind.severity(),
        dataset: dataset.to_owned(),
        model: model.to_owned(),
        count: found.len(),
        of: rows.len(),
        first_sample,
        samples: SampleRanges::new(found.into_iter().map(|(sample, _)| sample).collect()),
        field: None,
        message: why.to_owned(),
    })
}
