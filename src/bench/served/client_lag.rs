//! Whether this program itself was what was slow.

use super::{ClientLag, Distribution, LoadReport, figures::MeasuredLoad};

/// A lag below this is never told, in seconds.
const UNSEEN: f64 = 0.001;

/// The share of a figure above which a lag shows in it: half of the lags beside half of the values, the longest beside the
/// longest.
const SHARE: f64 = 0.1;

/// The share of the machine's processors above which this program was held back by them.
const BUSY: f64 = 0.9;

/// How this program delayed what it measured.
pub(super) fn client_lag(measured: &MeasuredLoad<'_>, report: &LoadReport) -> ClientLag {
    let records = measured.records;
    let sent = Distribution::of(records.iter().map(super::RequestRecord::late_seconds));
    let woken = Distribution::of(measured.woken_late_seconds.iter().copied());
    let waited = records.iter().map(|own| own.due_seconds - own.intended_seconds);
    let figures = [report.ttft_seconds, report.tpot_seconds, report.e2el_seconds];
    let first = report.ttft_seconds.or(report.e2el_seconds);
    let is_seen = |lag: Option<Distribution>, figure: Option<Distribution>| {
        let (Some(lag), Some(figure)) = (lag, figure) else { return false };
        shows(lag.p50, figure.p50) || shows(lag.p99, figure.p99)
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let is_busy = measured.busy_processors.is_some_and(|own| own > BUSY * processors);
    ClientLag {
        sent_late_seconds: sent,
        waited_seconds: Distribution::of(waited).filter(|own| own.max > 0.0),
        woken_late_seconds: woken,
        busy_processors: measured.busy_processors,
        // What is sent late is part of the time to the first token; threads that wake late lengthen all times.
        is_bottleneck: is_seen(sent, first)
            || figures.into_iter().any(|figure| is_seen(woken, figure))
            || is_busy,
    }
}

fn shows(lag: f64, figure: f64) -> bool {
    lag > UNSEEN && lag > SHARE * figure
}
