//! What was measured of a server, as plain values. Times are in seconds.

use serde::{Deserialize, Serialize};

use super::{ArrivalKind, Distribution, Load, Saturation};

/// A server under all loads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServedBenchReport {
    /// The model's name at its server.
    pub model: String,
    /// Where the server is.
    pub address: String,
    /// The endpoint: `chat/completions` or `completions`.
    pub endpoint: String,
    /// This program's version.
    pub version: String,
    /// What was asked, in words.
    pub prompts: String,
    /// What made-up prompts and arrivals were drawn with.
    pub seed: u64,
    /// Requests before each load, which are in no figure.
    pub warm_up_requests: usize,
    /// One for each load, in the order in which they were measured.
    pub loads: Vec<LoadReport>,
}

/// A server under one load. Failed requests are in no figure but `failed_requests` and `failures`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadReport {
    /// The load.
    pub load: Load,
    /// When its requests came, where it is a rate.
    pub arrivals: Option<ArrivalKind>,
    /// Most requests under way at once.
    pub most_at_once: usize,
    /// Requests that were sent.
    pub requests: usize,
    /// Those without a whole answer.
    pub failed_requests: usize,
    /// Why, the most frequent first.
    pub failures: Vec<Failure>,
    /// From the first request to the last word of the last answer.
    pub seconds: f64,
    /// Answers for each of these seconds.
    pub requests_per_second: f64,
    /// Requests under way in the mean: the seconds of all answers for each of these seconds.
    pub mean_under_way: f64,
    /// Tokens of all answered prompts; nothing where they are not known of each.
    pub input_tokens: Option<usize>,
    /// Tokens of all answers; nothing where they are not known of each.
    pub output_tokens: Option<usize>,
    /// The same for each second.
    pub input_tokens_per_second: Option<f64>,
    /// The same for each second.
    pub output_tokens_per_second: Option<f64>,
    /// Tokens of a prompt.
    pub prompt_tokens: Option<Distribution>,
    /// Tokens of an answer.
    pub answer_tokens: Option<Distribution>,
    /// Tokens of a piece in the mean; the last token of an answer may come without a piece.
    pub tokens_per_piece: Option<f64>,
    /// From the intended time of sending to the first text.
    pub ttft_seconds: Option<Distribution>,
    /// Of each answer: from the first text to the end, for each token behind those of the first piece.
    pub tpot_seconds: Option<Distribution>,
    /// Of each token behind those of the first piece: the time since the one before it.
    pub itl_seconds: Option<Distribution>,
    /// Of each piece but the first: the time since the one before it.
    pub piece_gap_seconds: Option<Distribution>,
    /// From the intended time of sending to the last word.
    pub e2el_seconds: Option<Distribution>,
    /// Of each answer: its tokens for each second of its latency.
    pub answer_tokens_per_second: Option<Distribution>,
    /// How this program itself delayed what it measures.
    pub client: ClientLag,
    /// How the server fell behind a rate. Then latencies grow for as long as it is measured.
    pub saturation: Option<Saturation>,
    /// What is to be known of these figures.
    pub notes: Vec<String>,
}

impl LoadReport {
    /// The load in words, with a mark where the server fell behind it.
    pub fn name(&self) -> String {
        let behind = if self.saturation.is_some() { ", behind" } else { "" };
        format!("{}{behind}", self.load)
    }

    /// The latencies that there are, with their names; the time between pieces only where that between tokens is not known.
    pub fn latencies(&self) -> Vec<(&'static str, Distribution)> {
        let gaps = self.piece_gap_seconds.filter(|_| self.itl_seconds.is_none());
        let named = [
            ("TTFT", self.ttft_seconds),
            ("TPOT", self.tpot_seconds),
            ("ITL", self.itl_seconds),
            ("gap", gaps),
            ("E2EL", self.e2el_seconds),
        ];
        named.into_iter().filter_map(|(name, own)| Some((name, own?))).collect()
    }

    /// All that is to be known of these figures, in words.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if let Some(own) = self.saturation {
            let Saturation { arrivals_per_second, ends_per_second, .. } = own;
            let Saturation { under_way_in_middle, under_way_at_end, .. } = own;
            remarks.push(format!(
                "the server falls behind: {arrivals_per_second:.2} requests came a second and {ends_per_second:.2} ended; \
                 {under_way_in_middle:.1} were under way in the middle, {under_way_at_end:.1} at the end. The latencies \
                 grow for as long as it is measured and say nothing of the server; choose a lower rate"
            ));
        }
        for Failure { what, requests } in &self.failures {
            remarks.push(format!("{requests} of {} requests failed: {what}", self.requests));
        }
        if self.client.is_bottleneck {
            remarks.push(
                "this program was slow itself, and these figures hold that: choose a smaller load, or measure from another \
                 machine"
                    .to_owned(),
            );
        }
        remarks.extend(self.notes.iter().cloned());
        remarks
    }
}

/// Why requests failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The server's words, or what went wrong.
    pub what: String,
    /// How many requests.
    pub requests: usize,
}

/// How a program delays what it measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClientLag {
    /// How late requests were sent that nothing else held back.
    pub sent_late_seconds: Option<Distribution>,
    /// How long requests waited because most at once were under way.
    pub waited_seconds: Option<Distribution>,
    /// How late a thread woke that did nothing else.
    pub woken_late_seconds: Option<Distribution>,
    /// Processors that this program kept busy, where the system tells.
    pub busy_processors: Option<f64>,
    /// Whether that is too much for these figures.
    pub is_bottleneck: bool,
}
