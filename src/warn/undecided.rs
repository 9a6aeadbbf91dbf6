//! Answers of which it is not worked out here whether they are right.

use super::{SampleRanges, count::WarningCount, kind::Kind};
use crate::evaluate::{Evaluator, Row};

/// Warns of the answers that count as wrong because it was not found out if they are right. `samples` are the indices of
/// `rows` in the test split.
pub(crate) fn undecided(
    evaluator: &dyn Evaluator,
    [dataset, model]: [&str; 2],
    samples: &[usize],
    rows: &[Row<'_>],
) -> Option<WarningCount> {
    let open = rows.iter().zip(samples).filter(|(row, _)| evaluator.is_undecided(row));
    let open: Vec<usize> = open.map(|(_, sample)| *sample).collect();
    let kind = Kind::UndecidedAnswer;
    Some(WarningCount {
        kind,
        severity: kind.severity(),
        dataset: dataset.to_owned(),
        model: model.to_owned(),
        count: open.len(),
        of: rows.len(),
        first_sample: *open.first()?,
        message: "it is not worked out here whether the answer is the reference, so it counts as wrong; look at it in the \
                  run's details"
            .to_owned(),
        field: None,
        samples: SampleRanges::new(open),
    })
}
