//! Replies that ended before their thinking did.

use super::{SampleRanges, count::WarningCount, kind::Kind};

/// Warns of the samples whose thinking did not come to its own end, if there are some.
pub(crate) fn unfinished_thinking(
    [dataset, model]: [&str; 2],
    samples: Vec<usize>,
    of: usize,
) -> Option<WarningCount> {
    let kind = Kind::UnfinishedThinking;
    Some(WarningCount {
        kind,
        severity: kind.severity(),
        dataset: dataset.to_owned(),
        model: model.to_owned(),
        count: samples.len(),
        of,
        first_sample: *samples.first()?,
        samples: SampleRanges::new(samples),
        field: None,
        message: "the thinking was cut off before its end, so that there is no answer or one that was forced; give more \
                  tokens: max_out_len, or reasoning_budget of the model, which counts beside it"
            .to_owned(),
    })
}
