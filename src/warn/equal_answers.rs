//! Samples that are asked several times although nothing is drawn.

use super::{SampleRanges, count::WarningCount, kind::Kind};

/// Warns that the runs of a data set differ in nothing.
pub(crate) fn equal_answers(
    [dataset, model]: [&str; 2],
    runs: usize,
    samples: usize,
) -> WarningCount {
    let kind = Kind::EqualAnswers;
    WarningCount {
        kind,
        severity: kind.severity(),
        dataset: dataset.to_owned(),
        model: model.to_owned(),
        count: samples,
        of: samples,
        first_sample: 0,
        samples: SampleRanges::new((0..samples).collect()),
        field: None,
        message: format!(
            "all {runs} answers to a sample are equal, because nothing is drawn: the likeliest tokens are taken; \
             generation_kwargs=dict(do_sample=True, temperature=…) of the model draws them, or leave out n and k"
        ),
    }
}
