//! What a server has done, as Prometheus reads it.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use crate::engine::continuous::ContinuousStatus;

/// Upper ends of the histogram's buckets, in seconds.
const BUCKETS: [f64; 10] = [0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 120.0, 600.0];

/// Counters; each only grows.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    counts: Mutex<Counts>,
    engine: Mutex<ContinuousStatus>,
}

#[derive(Debug, Default)]
struct Counts {
    /// Answers by address and status.
    answers: BTreeMap<(&'static str, u16), u64>,
    seconds: BTreeMap<&'static str, Histogram>,
    prompt_tokens: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Histogram {
    buckets: [u64; BUCKETS.len()],
    count: u64,
    sum: f64,
}

impl Metrics {
    /// Notes an answer: its head, for one that is streamed.
    pub(super) fn answered(&self, address: &'static str, status: u16, took: Duration) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.answers.entry((address, status)).or_default() += 1;
        let histogram = counts.seconds.entry(address).or_default();
        let seconds = took.as_secs_f64();
        histogram.count += 1;
        histogram.sum += seconds;
        for (bucket, end) in histogram.buckets.iter_mut().zip(BUCKETS) {
            *bucket += u64::from(seconds <= end);
        }
    }

    /// Notes prompts that were taken up.
    pub(super) fn asked(&self, prompt_tokens: usize) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.prompt_tokens += prompt_tokens as u64;
    }

    /// Notes how far the engine is.
    pub(super) fn computed(&self, status: ContinuousStatus) {
        *self.engine.lock().unwrap_or_else(PoisonError::into_inner) = status;
    }

    /// All of it; `open` sequences wait or are computed.
    pub(super) fn text(&self, open: usize) -> String {
        let engine = *self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        let mut one = |name: &str, kind: &str, help: &str, value: u64| {
            head(&mut text, name, kind, help);
            _ = writeln!(text, "surprisal_{name} {value}");
        };
        let counter = "counter";
        one("prompt_tokens_total", counter, "Tokens of prompts.", counts.prompt_tokens);
        let of_engine = [
            (
                "generated_tokens_total",
                counter,
                "Tokens that were chosen.",
                engine.generated_tokens,
            ),
            (
                "computed_tokens_total",
                counter,
                "Rows that went through the model.",
                engine.computed_tokens,
            ),
            (
                "reused_tokens_total",
                counter,
                "Tokens of prompts that were computed for others before.",
                engine.reused_tokens,
            ),
            ("passes_total", counter, "Forward passes.", engine.batches),
            ("open_sequences", "gauge", "Sequences that wait or are computed.", open),
            ("running_sequences", "gauge", "Sequences that are computed.", engine.running),
            (
                "cached_tokens",
                "gauge",
                "Tokens whose keys and values are kept.",
                engine.cached_tokens,
            ),
            ("kv_bytes", "gauge", "Bytes of keys and values in use or kept.", engine.kv_bytes),
        ];
        for (name, kind, help, value) in of_engine {
            one(name, kind, help, value as u64);
        }
        head(&mut text, "requests_total", counter, "Answers by address and status.");
        for ((address, status), count) in &counts.answers {
            let labels = format!("address=\"{address}\",status=\"{status}\"");
            _ = writeln!(text, "surprisal_requests_total{{{labels}}} {count}");
        }
        let name = "request_seconds";
        head(&mut text, name, "histogram", "Seconds until the answer, or the head of a stream.");
        for (address, Histogram { buckets, count, sum }) in &counts.seconds {
            let label = format!("address=\"{address}\"");
            for (bucket, end) in buckets.iter().zip(BUCKETS) {
                _ = writeln!(text, "surprisal_{name}_bucket{{{label},le=\"{end}\"}} {bucket}");
            }
            _ = writeln!(text, "surprisal_{name}_bucket{{{label},le=\"+Inf\"}} {count}");
            _ = writeln!(text, "surprisal_{name}_sum{{{label}}} {sum}");
            _ = writeln!(text, "surprisal_{name}_count{{{label}}} {count}");
        }
        text
    }
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    _ = writeln!(text, "# HELP surprisal_{name} {help}\n# TYPE surprisal_{name} {kind}");
}
