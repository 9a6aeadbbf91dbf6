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

/// The quantities of `now` beside those of the report in `before` with the same model and workload;
/// `None` if there is no such report. Quantities that are nothing in both are left out.
pub fn compare(now: &BenchReport, before: &[BenchReport]) -> Option<Vec<ComparedQuantity>> {
    let before = before
        .iter()
        .find(|before| (&before.model, &before.workload) == (&now.model, &now.workload))?;
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
    Some(compared.filter(|quantity| quantity.now != 0.0 || quantity.before != 0.0).collect())
}
