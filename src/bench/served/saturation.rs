//! Whether a server keeps up with the rate at which requests come.
//!
//! Where it does not, requests queue up or all get slower, those under way become more and more, and latencies say for how
//! long it was measured. So what is looked at is how many are under way: around the middle of the arrivals, and at their
//! end. Of n arrivals between, chance alone adds or takes about √n; twice as many more, and a tenth of n at least, are
//! no chance. Queues of simulated servers with one place, with eight and with shared speed, used to 90 %, are taken for
//! growing in fewer than one of thirty loads of 100 requests; most of those that are offered 1.6 times what they can do are
//! seen, and with 1,000 requests nearly all that are offered 1.3 times.

use serde::{Deserialize, Serialize};

use super::RequestRecord;

/// Fewest requests that anything is said of.
const FEWEST: usize = 20;

/// How far the requests under way grew, in √n, to be seen to grow, and to be told that they may.
const SEEN: f64 = 2.0;
const SUSPECTED: f64 = 1.0;

/// The least share of the arrivals by which those under way have to grow.
const LEAST_SHARE: f64 = 0.1;

/// How requests became more and more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saturation {
    /// Requests that came each second.
    pub arrivals_per_second: f64,
    /// Requests that ended each second while others came.
    pub ends_per_second: f64,
    /// Requests under way around the middle of the arrivals, in the mean.
    pub under_way_in_middle: f64,
    /// Requests under way when the last tenth came, in the mean.
    pub under_way_at_end: f64,
}

/// What a load of a rate shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Queueing {
    /// The server keeps up, as far as can be seen.
    KeepsUp,
    /// More requests are under way in the end, which may be chance.
    MayFallBehind(Saturation),
    /// More and more requests are under way.
    FallsBehind(Saturation),
    /// There are too few requests for it, or they take so many seconds that they all came before the first were answered.
    TooShort(f64),
}

/// Looks at the records of a rate.
pub(super) fn queueing(records: &[RequestRecord]) -> Queueing {
    let mut times: Vec<(f64, f64)> =
        records.iter().map(|own| (own.intended_seconds, own.ended_seconds)).collect();
    times.sort_by(|own, other| own.0.total_cmp(&other.0));
    let count = times.len();
    let early = &times[..(count / 10).max(5).min(count)];
    let early_seconds = median(early.iter().map(|(begin, end)| end - begin));
    let (Some(&(first, _)), Some(&(last, _))) = (times.first(), times.last()) else {
        return Queueing::TooShort(0.0);
    };
    let window = last - first;
    if count < FEWEST || early_seconds >= window / 3.0 {
        return Queueing::TooShort(early_seconds);
    }
    let mut ends: Vec<f64> = times.iter().map(|own| own.1).collect();
    ends.sort_by(f64::total_cmp);
    let ended = |now: f64| ends.partition_point(|end| *end <= now);
    let under_way = |from: usize, to: usize| {
        let at = |index: usize| (index + 1) as f64 - ended(times[index].0) as f64;
        (from..to).map(at).sum::<f64>() / (to - from).max(1) as f64
    };
    let tenth = count / 10;
    let middle = times.partition_point(|own| own.0 < first + window / 2.0);
    let from = middle.saturating_sub(tenth / 2);
    let own = Saturation {
        arrivals_per_second: count as f64 / window,
        ends_per_second: ended(last) as f64 / window,
        under_way_in_middle: under_way(from, (from + tenth).min(count)),
        under_way_at_end: under_way(count - tenth, count),
    };
    let arrivals = (count - middle) as f64 - tenth as f64 / 2.0;
    let growth = own.under_way_at_end - own.under_way_in_middle;
    let exceeds = |roots: f64| growth > roots * arrivals.max(1.0).sqrt();
    match growth > LEAST_SHARE * arrivals {
        true if exceeds(SEEN) => Queueing::FallsBehind(own),
        true if exceeds(SUSPECTED) => Queueing::MayFallBehind(own),
        _ => Queueing::KeepsUp,
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use rand_mt::Mt64;

    use super::*;
    use crate::bench::served::{ArrivalKind, arrival_seconds};

    /// Requests to a server of so many places, each of which takes a second for an answer in the mean.
    fn records(requests: usize, rate: f64, places: usize, seed: u64) -> Vec<RequestRecord> {
        let mut random = Mt64::new(seed);
        let times = arrival_seconds(requests, rate, ArrivalKind::Poisson, &mut random);
        let mut free = vec![0.0_f64; places];
        let record = |intended: f64| {
            let share = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
            let place = free.iter_mut().min_by(|own, other| own.total_cmp(other)).unwrap();
            let end = place.max(intended) - (-share).ln_1p();
            *place = end;
            RequestRecord {
                intended_seconds: intended,
                due_seconds: intended,
                sent_seconds: intended,
                ended_seconds: end,
                outcome: Err("it counts as under way all the same".to_owned()),
            }
        };
        times.into_iter().map(record).collect()
    }

    #[test]
    fn a_server_that_falls_behind_is_told_from_one_that_keeps_up() {
        for (requests, places) in [(100, 1), (100, 8), (400, 8)] {
            let behind = |used: f64| {
                let of = |seed| queueing(&records(requests, used * places as f64, places, seed));
                (0..100).filter(|seed| matches!(of(*seed), Queueing::FallsBehind(_))).count()
            };
            for used in [0.3, 0.5, 0.7, 0.9] {
                assert!(behind(used) <= 5, "{requests} requests, {places} places, {used}");
            }
            assert!(behind(1.6) >= 50, "{requests} requests, {places} places: {}", behind(1.6));
            assert!(behind(2.5) >= 85, "{requests} requests, {places} places: {}", behind(2.5));
        }
        let Queueing::FallsBehind(own) = queueing(&records(1000, 16.0, 8, 1)) else {
            panic!("eight are answered a second and sixteen come");
        };
        assert!((own.ends_per_second - 8.0).abs() < 1.0, "{own:?}");
        assert!((own.arrivals_per_second - 16.0).abs() < 1.0, "{own:?}");
        assert!(own.under_way_at_end > 1.5 * own.under_way_in_middle, "{own:?}");
    }

    #[test]
    fn what_cannot_be_told_is_not_told() {
        // Sixty requests in half a second to a server with room for all.
        let short = queueing(&records(60, 120.0, 1000, 1));
        assert!(matches!(short, Queueing::TooShort(seconds) if seconds > 0.2), "{short:?}");
        assert!(matches!(queueing(&records(10, 100.0, 1, 1)), Queueing::TooShort(_)));
        assert_eq!(queueing(&[]), Queueing::TooShort(0.0));
        // All at one moment.
        let mut one = records(30, 5.0, 1, 1);
        for own in &mut one {
            (own.intended_seconds, own.ended_seconds) = (1.0, 1.0);
        }
        assert_eq!(queueing(&one), Queueing::TooShort(0.0));
    }
}
