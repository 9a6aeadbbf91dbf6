//! Whether this program itself was what was slow.

use super::{ClientLag, Distribution, LoadReport, figures::MeasuredLoad};

/// A lag below this is never told, in seconds.
const UNSEEN: f64 = 0.001;

/// The share of the shortest figure above which a lag shows in it.
const SHARE: f64 = 0.1;

/// The share of the machine's processors above which this program was held back by them.
const BUSY: f64 = 0.9;

/// How this program delayed what it measured.
pub(super) fn client_lag(measured: &MeasuredLoad<'_>, report: &LoadReport) -> ClientLag {
    let records = measured.records;
    let sent = Distribution::of(records.iter().map(super::RequestRecord::late_seconds));
    let woken = Distribution::of(measured.woken_late_seconds.iter().copied());
    let waited = records.iter().map(|own| own.due_seconds - own.intended_seconds);
    let shortest = [report.ttft_seconds, report.tpot_seconds, report.e2el_seconds];
    let shortest = shortest.into_iter().flatten().map(|own| own.p50).fold(f64::INFINITY, f64::min);
    let first = report.ttft_seconds.or(report.e2el_seconds).map_or(f64::INFINITY, |own| own.p50);
    let shows = |lag: Option<Distribution>, of: f64| {
        lag.is_some_and(|lag| lag.p99 > UNSEEN && lag.p99 > SHARE * of)
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let is_busy = measured.busy_processors.is_some_and(|own| own > BUSY * processors);
    ClientLag {
        sent_late_seconds: sent,
        waited_seconds: Distribution::of(waited).filter(|own| own.max > 0.0),
        woken_late_seconds: woken,
        busy_processors: measured.busy_processors,
        // What is sent late is part of the time to the first token; threads that wake late lengthen all times.
        is_bottleneck: shows(sent, first) || shows(woken, shortest) || is_busy,
    }
}
