//! Whether a server falls behind the rate at which requests come.
//!
//! Then requests queue up, the later ones wait longer, and a mean of their times says how long it was measured and nothing of
//! the server. Two lines are fitted by least squares over the arrivals behind the first quarter, in which a server that was
//! empty fills: the time that answers take, and the requests that are under way. A line counts as rising where its slope is
//! more than four of its standard errors and 0.05 (seconds of each second, requests of each that comes), and it rises by more
//! than half of its mean.
//!
//! A server with a queue shows in the first. One that takes up every request at once and slows down shows in the second; there
//! times have to be twice those of an empty server besides, because what is under way also rises where answers are long and
//! the load is short.

use serde::{Deserialize, Serialize};

use super::RequestRecord;

/// Fewest answers that anything is said of.
const FEWEST: usize = 20;

/// How a server fell behind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saturation {
    /// Requests that came each second, as sent.
    pub arrivals_per_second: f64,
    /// Requests that were answered each second while others came.
    pub answers_per_second: f64,
    /// Requests under way when the last one came.
    pub under_way_at_end: usize,
}

/// What a load of a rate shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Queueing {
    /// The server keeps up, as far as can be seen.
    KeepsUp,
    /// It does not.
    FallsBehind(Saturation),
    /// The load was too short for the answers, which take so many seconds even where nothing else is asked.
    TooShort(f64),
}

/// Looks at the records of a rate.
pub(super) fn queueing(records: &[RequestRecord]) -> Queueing {
    let mut answers: Vec<(f64, f64)> = records
        .iter()
        .filter_map(|own| {
            let finished = own.outcome.as_ref().ok()?.finished_seconds;
            Some((own.intended_seconds, finished - own.intended_seconds))
        })
        .collect();
    if answers.len() < FEWEST {
        return Queueing::KeepsUp;
    }
    answers.sort_by(|own, other| own.0.total_cmp(&other.0));
    let (first, last) = (answers[0].0, answers[answers.len() - 1].0);
    let window = last - first;
    let mut sorted: Vec<f64> = answers.iter().map(|own| own.1).collect();
    sorted.sort_by(f64::total_cmp);
    let empty_seconds = sorted[sorted.len() / 20];
    let is_short = empty_seconds > window / 3.0;
    let from = first + (window / 4.0).max(sorted[0].min(window / 2.0));
    let late: Vec<(f64, f64)> = answers.iter().copied().filter(|own| own.0 >= from).collect();
    let under_way = under_way(records, from);
    let requests_per_second = records.len() as f64 / window.max(1e-9);
    let queues = rises(&late, 1.0);
    let slows = rises(&under_way, requests_per_second)
        && median(late.iter().map(|own| own.1)) > 2.0 * empty_seconds;
    if queues || (slows && !is_short) {
        let ended = records.iter().filter(|own| own.ended_seconds <= last).count();
        return Queueing::FallsBehind(Saturation {
            arrivals_per_second: requests_per_second,
            answers_per_second: ended as f64 / window.max(1e-9),
            under_way_at_end: records.len() - ended,
        });
    }
    if is_short { Queueing::TooShort(empty_seconds) } else { Queueing::KeepsUp }
}

/// When each request from a time on came, and how many were under way then.
fn under_way(records: &[RequestRecord], from: f64) -> Vec<(f64, f64)> {
    let mut begins: Vec<f64> = records.iter().map(|own| own.intended_seconds).collect();
    let mut ends: Vec<f64> = records.iter().map(|own| own.ended_seconds).collect();
    begins.sort_by(f64::total_cmp);
    ends.sort_by(f64::total_cmp);
    let at = |(begun, &now): (usize, &f64)| {
        let ended = ends.partition_point(|end| *end <= now);
        (now, (begun + 1) as f64 - ended as f64)
    };
    begins.iter().enumerate().map(at).filter(|own| own.0 >= from).collect()
}

/// Whether values rise over time; `unit` is what a slope of one is.
fn rises(points: &[(f64, f64)], unit: f64) -> bool {
    let n = points.len() as f64;
    if points.len() < FEWEST / 2 {
        return false;
    }
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (mean_x, mean_y) = (mean(|own| own.0), mean(|own| own.1));
    let xx: f64 = points.iter().map(|own| (own.0 - mean_x).powi(2)).sum();
    let xy: f64 = points.iter().map(|own| (own.0 - mean_x) * (own.1 - mean_y)).sum();
    if xx <= 0.0 {
        return false;
    }
    let slope = xy / xx;
    let left: f64 =
        points.iter().map(|own| (own.1 - mean_y - slope * (own.0 - mean_x)).powi(2)).sum();
    let error = (left / (n - 2.0) / xx).sqrt();
    let span = points[points.len() - 1].0 - points[0].0;
    slope > 4.0 * error && slope > 0.05 * unit && slope * span > 0.5 * mean_y
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use rand_mt::Mt64;

    use super::*;
    use crate::bench::served::{AnswerRecord, ArrivalKind, arrival_seconds};

    /// Requests to a server of so many slots, each of which takes a second for an answer.
    fn records(requests: usize, rate: f64, slots: usize, seed: u64) -> Vec<RequestRecord> {
        let times = arrival_seconds(requests, rate, ArrivalKind::Poisson, &mut Mt64::new(seed));
        let mut free = vec![0.0_f64; slots];
        let record = |intended: f64| {
            let slot = free.iter_mut().min_by(|own, other| own.total_cmp(other)).unwrap();
            let end = slot.max(intended) + 1.0;
            *slot = end;
            RequestRecord {
                intended_seconds: intended,
                due_seconds: intended,
                sent_seconds: intended,
                ended_seconds: end,
                outcome: Ok(AnswerRecord {
                    pieces: Vec::new(),
                    finished_seconds: end,
                    prompt_tokens: None,
                    new_tokens: None,
                    has_piece_tokens: false,
                }),
            }
        };
        times.into_iter().map(record).collect()
    }

    #[test]
    fn a_server_that_falls_behind_is_told_from_one_that_keeps_up() {
        let behind = |rate: f64| {
            let of = |seed| queueing(&records(200, rate, 8, seed));
            (0..50).filter(|seed| matches!(of(*seed), Queueing::FallsBehind(_))).count()
        };
        assert_eq!(behind(3.0), 0);
        assert_eq!(behind(5.0), 0);
        assert!(behind(12.0) >= 48, "{}", behind(12.0));
        assert_eq!(behind(16.0), 50);
        let Queueing::FallsBehind(own) = queueing(&records(200, 16.0, 8, 1)) else {
            panic!("eight are answered a second and sixteen come");
        };
        assert!((own.answers_per_second - 8.0).abs() < 1.0, "{own:?}");
        assert!((own.arrivals_per_second - 16.0).abs() < 1.0, "{own:?}");
    }

    #[test]
    fn what_cannot_be_told_is_not_told() {
        // Sixty requests in half a second to a server with room for all.
        assert_eq!(queueing(&records(60, 120.0, 1000, 1)), Queueing::TooShort(1.0));
        assert_eq!(queueing(&records(10, 100.0, 1, 1)), Queueing::KeepsUp);
        assert_eq!(queueing(&[]), Queueing::KeepsUp);
    }
}
