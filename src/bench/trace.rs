//! Phases of passes as a file that Chrome (`chrome://tracing`) and Perfetto open.
//!
//! The format is "Trace Event Format" of the Chromium project, of which complete events (`X`) and names (`M`) are
//! used: every event has its begin and its length in microseconds, so none can be left open. Each workload of a
//! model is a process there, with a track of the host and one of the device. Passes of a device follow each other:
//! one that was launched while another ran begins on its track where that ended.

use std::cmp::Reverse;
use std::time::Instant;

use serde_json::{Value, json};

use crate::pass_trace::{PassPhase, PassSpan};

/// The track of the host.
const HOST: usize = 0;
/// The track of the device.
const DEVICE: usize = 1;

/// What one workload on one model went through, in a repetition of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadTrace {
    /// The model.
    pub model: String,
    /// What it was asked.
    pub workload: String,
    /// Where it was computed.
    pub device: String,
    /// The phases, in any order.
    pub spans: Vec<PassSpan>,
}

/// All of `traces` as one file, in microseconds since the first span began.
pub fn trace_file(traces: &[WorkloadTrace]) -> Value {
    let begins = traces.iter().flat_map(|trace| &trace.spans).map(|span| span.begin);
    let origin = begins.min();
    let mut events = Vec::new();
    for (process, trace) in traces.iter().enumerate() {
        let name = |kind: &str, track: usize, name: &str| json!({"name": kind, "ph": "M", "pid": process, "tid": track, "args": {"name": name}});
        events.push(name("process_name", HOST, &format!("{} · {}", trace.model, trace.workload)));
        events.push(name("thread_name", HOST, "host"));
        events.push(name("thread_name", DEVICE, &trace.device));
    }
    let Some(origin) = origin else { return file(&events) };
    let mut complete: Vec<Event<'_>> = traces
        .iter()
        .enumerate()
        .flat_map(|(process, trace)| queued(&trace.spans).map(move |event| (process, event)))
        .map(|(process, (span, begin))| Event { process, span, begin })
        .collect();
    // An event that holds others stands before them.
    complete.sort_by_key(|event| (event.begin, Reverse(event.span.end)));
    events.extend(complete.iter().map(|event| event.value(origin)));
    file(&events)
}

fn file(events: &[Value]) -> Value {
    json!({"displayTimeUnit": "ms", "traceEvents": events})
}

struct Event<'a> {
    process: usize,
    span: &'a PassSpan,
    /// When it began on its track.
    begin: Instant,
}

impl Event<'_> {
    fn value(&self, origin: Instant) -> Value {
        let PassSpan { phase, size, end, .. } = *self.span;
        let microseconds = |at: Instant| (at - origin).as_nanos() as f64 / 1e3;
        let begin = microseconds(self.begin);
        let mut arguments = json!({});
        if let Some(size) = size {
            arguments = json!({"rows": size.rows, "tokens": size.tokens});
        }
        json!({
            "name": phase.name(), "cat": "pass", "ph": "X", "pid": self.process, "tid": track(phase),
            "ts": begin, "dur": microseconds(end) - begin, "args": arguments,
        })
    }
}

fn track(phase: PassPhase) -> usize {
    match phase {
        PassPhase::Plan | PassPhase::Write => HOST,
        PassPhase::Compute | PassPhase::Upload | PassPhase::Read => DEVICE,
    }
}

/// Every span with the time when it begins on its track: a pass where the one before it ended, if it was launched
/// sooner.
fn queued(spans: &[PassSpan]) -> impl Iterator<Item = (&PassSpan, Instant)> {
    let mut sorted: Vec<&PassSpan> = spans.iter().collect();
    sorted.sort_by_key(|span| (span.begin, Reverse(span.end)));
    let mut free_at: Option<Instant> = None;
    sorted.into_iter().map(move |span| {
        if span.phase != PassPhase::Compute {
            return (span, span.begin);
        }
        let begin = free_at.map_or(span.begin, |free_at| span.begin.max(free_at)).min(span.end);
        free_at = free_at.max(Some(span.end));
        (span, begin)
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::pass_trace::PassSize;

    fn trace(spans: Vec<PassSpan>) -> WorkloadTrace {
        WorkloadTrace {
            model: "m".to_owned(),
            workload: "w".to_owned(),
            device: "cuda:0".to_owned(),
            spans,
        }
    }

    #[test]
    fn a_pass_that_was_launched_early_begins_where_the_one_before_it_ended() {
        let start = Instant::now();
        let at = |microseconds| start + Duration::from_micros(microseconds);
        let span = |phase, begin, end| PassSpan {
            phase,
            size: (phase == PassPhase::Compute).then_some(PassSize { rows: 8, tokens: 3 }),
            begin: at(begin),
            end: at(end),
        };
        let file = trace_file(&[trace(vec![
            span(PassPhase::Plan, 0, 10),
            span(PassPhase::Read, 80, 100),
            span(PassPhase::Compute, 10, 100),
            span(PassPhase::Plan, 20, 30),
            span(PassPhase::Compute, 30, 180),
            span(PassPhase::Write, 100, 110),
        ])]);
        let events: Vec<&Value> = file["traceEvents"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|event| event["ph"] == "X")
            .collect();
        let found: Vec<(&str, f64, f64, u64)> = events
            .iter()
            .map(|event| {
                let number = |key: &str| event[key].as_f64().unwrap();
                let name = event["name"].as_str().unwrap();
                (name, number("ts"), number("dur"), event["tid"].as_u64().unwrap())
            })
            .collect();
        let expected = [
            ("plan", 0.0, 10.0, 0),
            ("compute", 10.0, 90.0, 1),
            ("plan", 20.0, 10.0, 0),
            ("read", 80.0, 20.0, 1),
            ("compute", 100.0, 80.0, 1),
            ("write", 100.0, 10.0, 0),
        ];
        assert_eq!(found, expected);
        assert_eq!(events[1]["args"], json!({"rows": 8, "tokens": 3}));
    }

    #[test]
    fn nothing_that_was_traced_is_a_file_without_events() {
        assert_eq!(trace_file(&[])["traceEvents"], json!([]));
        assert_eq!(trace_file(&[trace(Vec::new())])["traceEvents"].as_array().unwrap().len(), 3);
    }
}
