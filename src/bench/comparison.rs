//! Two reports of the same workload, side by side.

use super::BenchReport;

/// One quantity, now and before.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedQuantity {
    /// What it is, with its unit.
    pub name: String,
    /// As measured now.
    pub now: f64,
    /// As measured before.
    pub before: f64,
}

impl ComparedQuantity {
    /// Now for each one before; `None` if there was nothing before.
    pub fn ratio(&self) -> Option<f64> {
        (self.before != 0.0).then(|| self.now / self.before)
    }
}

/// Two reports of one model and workload.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchComparison {
    /// What was measured.
    pub quantities: Vec<ComparedQuantity>,
    /// The settings in which they differ, in words.
    pub other_settings: Vec<String>,
}

/// Why two reports cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BenchComparisonError {
    /// There is none of the same.
    #[error("the file has no report of {workload} on {model}")]
    NoReport {
        /// What was asked.
        workload: String,
        /// Of which model.
        model: String,
    },
    /// Ratios of unlike work would mean nothing.
    #[error(
        "the file's report of {workload} on {model} asked {before} tokens, this one {now}; measure both with the same \
         questions (--limit)"
    )]
    OtherWork {
        /// What was asked.
        workload: String,
        /// Of which model.
        model: String,
        /// Tokens that were asked for now.
        now: usize,
        /// And before.
        before: usize,
    },
    /// Likewise.
    #[error(
        "the file's report of {workload} on {model} scored {before} tokens, this one {now}; measure both alike (--scored)"
    )]
    OtherScored {
        /// What was asked.
        workload: String,
        /// Of which model.
        model: String,
        /// Tokens that were scored now.
        now: usize,
        /// And before.
        before: usize,
    },
    /// Nor would ratios of what was computed otherwise.
    #[error("the {what} is {now} here and {before} there; a ratio would say nothing of the builds")]
    ComputedOtherwise {
        /// In what they differ.
        what: &'static str,
        /// Here.
        now: String,
        /// And there.
        before: String,
    },
}

/// The quantities of `now` beside those of the report in `before` with the same model, workload and questions. Quantities
/// that are nothing in both are left out.
pub fn compare(
    now: &BenchReport,
    before: &[BenchReport],
) -> Result<BenchComparison, BenchComparisonError> {
    let (model, workload) = (now.model.clone(), now.workload.clone());
    let Some(before) =
        before.iter().find(|before| (&before.model, &before.workload) == (&model, &workload))
    else {
        return Err(BenchComparisonError::NoReport { workload, model });
    };
    let asked = |report: &BenchReport| report.tokens.nominal_tokens;
    if (now.requests, asked(now)) != (before.requests, asked(before)) {
        let (now, before) = (asked(now), asked(before));
        return Err(BenchComparisonError::OtherWork { workload, model, now, before });
    }
    let scored = |report: &BenchReport| report.tokens.scored_tokens;
    if scored(now) != scored(before) {
        let (now, before) = (scored(now), scored(before));
        return Err(BenchComparisonError::OtherScored { workload, model, now, before });
    }
    let mebibytes = |bytes: Option<usize>| bytes.unwrap_or(0) as f64 / f64::from(1 << 20);
    let of =
        |report: &BenchReport| {
            let mut quantities = vec![
                ("load seconds".to_owned(), report.load_seconds.unwrap_or(0.0)),
                ("wall seconds".to_owned(), report.wall_seconds),
                ("processor seconds".to_owned(), report.cpu_seconds.unwrap_or(0.0)),
                ("tokens computed".to_owned(), report.tokens.computed_tokens as f64),
                ("saving".to_owned(), report.saving),
                ("prefill tokens/s".to_owned(), report.prefill.tokens_per_second),
                ("decode tokens/s".to_owned(), report.decode.tokens_per_second),
                ("requests/s".to_owned(), report.requests_per_second),
                ("GFLOP/s".to_owned(), report.flops_per_second / 1e9),
                ("GFLOP/s of a large product".to_owned(), report.matmul_flops_per_second / 1e9),
                ("keys and values, MiB".to_owned(), mebibytes(Some(report.memory.kv_bytes))),
                ("process peak, MiB".to_owned(), mebibytes(report.memory.peak_bytes)),
            ];
            let operations = report.operations.iter();
            quantities.extend(operations.map(|operation| {
                (format!("{}, seconds", operation.operation), operation.seconds())
            }));
            quantities.push(("other, seconds".to_owned(), report.other_seconds));
            quantities
        };
    let former = of(before);
    let compared = of(now).into_iter().map(|(name, now)| {
        let before = former.iter().find(|(former, _)| *former == name).map_or(0.0, |(_, was)| *was);
        ComparedQuantity { name, now, before }
    });
    let is_there = |own: &ComparedQuantity| own.now != 0.0 || own.before != 0.0;
    let quantities = compared.filter(is_there).collect();
    Ok(BenchComparison { quantities, other_settings: other_settings(now, before) })
}

/// What was set otherwise. What a report of an older version does not say is passed over.
fn other_settings(now: &BenchReport, before: &BenchReport) -> Vec<String> {
    let settings = |report: &BenchReport| {
        [
            ("device", report.device.clone()),
            ("type", report.dtype.clone()),
            ("instructions", report.instructions.clone()),
            ("activations", report.activations.clone()),
            ("threads", report.threads.to_string()),
            ("rows a pass", report.batch_tokens.to_string()),
            ("tokens a block", report.block_tokens.to_string()),
            ("version", report.version.clone()),
        ]
    };
    settings(now)
        .into_iter()
        .zip(settings(before))
        .filter(|((_, now), (_, before))| now != before && !now.is_empty() && !before.is_empty())
        .map(|((name, now), (_, before))| format!("{name} {now} now and {before} before"))
        .collect()
}
