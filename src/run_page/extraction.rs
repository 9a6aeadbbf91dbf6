//! Which stretch of a reply was taken as the answer.

use std::ops::Range;

use crate::{
    infer::Outcome,
    kept_run::{evaluation::UnitEvaluation, kept_sample::KeptSample},
    python::python_str,
};

/// Of a reply that holds the answer more often, so many places are tried.
const MOST_PLACES: usize = 16;

/// The bytes of the reply that are the answer, as the metric compares it; nothing if it is no stretch of it, or if it
/// cannot be told which.
pub(super) fn extracted(
    kept: &KeptSample,
    reply: &str,
    answer: &str,
    evaluation: &UnitEvaluation<'_>,
) -> Option<Range<usize>> {
    if answer.is_empty() {
        return None;
    }
    let at = |(start, _): (usize, &str)| start..start + answer.len();
    let places: Vec<Range<usize>> =
        reply.match_indices(answer).map(at).take(MOST_PLACES + 1).collect();
    if let [only] = places.as_slice() {
        return Some(only.clone());
    }
    if places.len() > MOST_PLACES {
        return None;
    }
    // The one without which the answer would be another.
    let decides = |place: &&Range<usize>| {
        let blank: String = reply[(*place).clone()].chars().map(|_| ' ').collect();
        let other = [&reply[..place.start], &blank, &reply[place.end..]].concat();
        answer_of(kept, other, evaluation).as_deref() != Some(answer)
    };
    let mut deciding = places.iter().filter(decides);
    match (deciding.next(), deciding.next()) {
        (Some(only), None) => Some(only.clone()),
        _ => None,
    }
}

/// What the metric would compare, had the model written something else.
fn answer_of(kept: &KeptSample, reply: String, evaluation: &UnitEvaluation<'_>) -> Option<String> {
    let mut record = kept.record.clone();
    let Outcome::Generated { continuation, .. } = &mut record.outcome else { return None };
    continuation.text = reply;
    let other = KeptSample { sample: kept.sample.clone(), record, origins: String::new() };
    evaluation.compared(&other).map(|row| python_str(&row.prediction))
}
