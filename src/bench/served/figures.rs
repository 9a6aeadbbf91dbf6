//! The figures of one load, from the records of its requests.
//!
//! Pure arithmetic on records: no clock, no network.

use super::{
    AnswerRecord, ArrivalKind, ClientLag, Distribution, Failure, Load, LoadReport, RequestRecord,
    client_lag::client_lag,
    notes::notes,
    saturation::{Queueing, Saturation, queueing},
};

/// Kinds of failures that are told.
const MOST_FAILURES: usize = 5;

/// A load that was measured.
pub struct MeasuredLoad<'a> {
    /// The load.
    pub load: Load,
    /// When its requests were to come, where it is a rate.
    pub arrivals: ArrivalKind,
    /// Most requests under way at once.
    pub most_at_once: usize,
    /// Its requests.
    pub records: &'a [RequestRecord],
    /// How late threads woke meanwhile.
    pub woken_late_seconds: &'a [f64],
    /// Processors that this program kept busy.
    pub busy_processors: Option<f64>,
}

impl MeasuredLoad<'_> {
    /// What it comes to.
    pub fn report(&self) -> LoadReport {
        let Self { load, arrivals, most_at_once, records, .. } = *self;
        let answers: Vec<(f64, &AnswerRecord)> = records
            .iter()
            .filter_map(|own| Some((own.intended_seconds, own.outcome.as_ref().ok()?)))
            .collect();
        let first = records.iter().map(|own| own.intended_seconds).fold(f64::INFINITY, f64::min);
        let last = answers.iter().map(|own| own.1.finished_seconds).fold(first, f64::max);
        let seconds = if records.is_empty() { 0.0 } else { last - first };
        let each_second = |amount: f64| if seconds > 0.0 { amount / seconds } else { 0.0 };
        let prompt_tokens = all(&answers, |own| own.prompt_tokens);
        let answer_tokens = all(&answers, |own| own.new_tokens);
        let sum =
            |tokens: &Option<Vec<usize>>| tokens.as_ref().map(|own| own.iter().sum::<usize>());
        let (input_tokens, output_tokens) = (sum(&prompt_tokens), sum(&answer_tokens));
        let counted = |tokens: Option<Vec<usize>>| {
            Distribution::of(tokens?.into_iter().map(|tokens| tokens as f64))
        };
        let latency = |(intended, own): &(f64, &AnswerRecord)| own.finished_seconds - intended;
        let with_pieces = || answers.iter().filter(|own| !own.1.pieces.is_empty());
        let pieces = answers.iter().map(|own| own.1.pieces.len()).sum::<usize>();
        let speeds = answers.iter().filter_map(|own| {
            let latency = latency(own);
            Some(own.1.new_tokens? as f64 / latency).filter(|own| own.is_finite())
        });
        let mut report = LoadReport {
            load,
            arrivals: matches!(load, Load::Rate(_)).then_some(arrivals),
            most_at_once,
            requests: records.len(),
            failed_requests: records.len() - answers.len(),
            failures: failures(records),
            seconds,
            requests_per_second: each_second(answers.len() as f64),
            mean_under_way: each_second(answers.iter().map(latency).sum()),
            input_tokens,
            output_tokens,
            input_tokens_per_second: input_tokens.map(|own| each_second(own as f64)),
            output_tokens_per_second: output_tokens.map(|own| each_second(own as f64)),
            prompt_tokens: counted(prompt_tokens),
            answer_tokens: counted(answer_tokens),
            tokens_per_piece: output_tokens
                .filter(|_| pieces > 0)
                .map(|tokens| tokens as f64 / pieces as f64),
            ttft_seconds: Distribution::of(
                with_pieces().filter_map(|own| own.1.ttft_seconds(own.0)),
            ),
            tpot_seconds: Distribution::of(with_pieces().filter_map(|own| own.1.tpot_seconds())),
            itl_seconds: Distribution::of(with_pieces().flat_map(|own| own.1.itl_seconds())),
            piece_gap_seconds: Distribution::of(
                answers.iter().flat_map(|own| own.1.piece_gap_seconds()),
            ),
            e2el_seconds: Distribution::of(answers.iter().map(latency)),
            answer_tokens_per_second: Distribution::of(speeds),
            client: ClientLag::default(),
            saturation: None,
            notes: Vec::new(),
        };
        report.client = client_lag(self, &report);
        report.notes = notes(self, &report, &answers);
        if matches!(load, Load::Rate(_)) {
            judge_queueing(&mut report, records);
        }
        report
    }
}

/// A count of every answer, or nothing where it is not known of one.
fn all(
    answers: &[(f64, &AnswerRecord)],
    of: impl Fn(&AnswerRecord) -> Option<usize>,
) -> Option<Vec<usize>> {
    let counts: Option<Vec<usize>> = answers.iter().map(|own| of(own.1)).collect();
    counts.filter(|counts| !counts.is_empty())
}

/// Why requests failed, the most frequent first.
fn failures(records: &[RequestRecord]) -> Vec<Failure> {
    let mut failures: Vec<Failure> = Vec::new();
    for what in records.iter().filter_map(|own| own.outcome.as_ref().err()) {
        match failures.iter_mut().find(|own| own.what == *what) {
            Some(own) => own.requests += 1,
            None => failures.push(Failure { what: what.clone(), requests: 1 }),
        }
    }
    failures.sort_by_key(|own| std::cmp::Reverse(own.requests));
    if failures.len() > MOST_FAILURES {
        let others = failures.split_off(MOST_FAILURES - 1);
        let requests = others.iter().map(|own| own.requests).sum();
        failures.push(Failure { what: format!("{} other reasons", others.len()), requests });
    }
    failures
}

/// Whether the server keeps up with a rate.
fn judge_queueing(report: &mut LoadReport, records: &[RequestRecord]) {
    match queueing(records) {
        Queueing::KeepsUp => {}
        Queueing::TooShort(seconds) => report.notes.push(format!(
            "too few requests to see whether the server keeps up, where one takes {seconds:.2} s: send more (--requests)"
        )),
        Queueing::MayFallBehind(Saturation { under_way_in_middle, under_way_at_end, .. }) => {
            report.notes.push(format!(
                "{under_way_in_middle:.1} requests were under way in the middle and {under_way_at_end:.1} at the end: the \
                 server may be falling behind; send more to see (--requests)"
            ));
        }
        Queueing::FallsBehind(own) => report.saturation = Some(own),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::served::PieceRecord;

    /// A request to be sent at `intended`, answered by pieces of one token at these times.
    fn answered(intended: f64, pieces: &[f64]) -> RequestRecord {
        let finished = pieces[pieces.len() - 1];
        let pieces: Vec<PieceRecord> =
            pieces.iter().map(|&seconds| PieceRecord { seconds, tokens: 1 }).collect();
        RequestRecord {
            intended_seconds: intended,
            due_seconds: intended,
            sent_seconds: intended,
            ended_seconds: finished,
            outcome: Ok(AnswerRecord {
                finished_seconds: finished,
                prompt_tokens: Some(7),
                new_tokens: Some(pieces.len()),
                has_piece_tokens: true,
                pieces,
            }),
        }
    }

    fn failed(intended: f64, ended: f64, what: &str) -> RequestRecord {
        let outcome = Err(what.to_owned());
        RequestRecord { ended_seconds: ended, outcome, ..answered(intended, &[ended]) }
    }

    fn report(load: Load, records: &[RequestRecord]) -> LoadReport {
        let arrivals = ArrivalKind::Constant;
        let woken_late_seconds = &[1e-5, 2e-5];
        let busy_processors = Some(0.01);
        MeasuredLoad {
            load,
            arrivals,
            most_at_once: 4,
            records,
            woken_late_seconds,
            busy_processors,
        }
        .report()
    }

    #[test]
    fn figures_are_those_of_answers_alone() {
        let good = [answered(1.0, &[1.5, 1.6, 1.7]), answered(2.0, &[2.1, 2.4, 3.0])];
        let clean = report(Load::Concurrency(2), &good);
        assert!(
            (clean.seconds - 2.0).abs() < 1e-12 && (clean.requests_per_second - 1.0).abs() < 1e-12
        );
        assert_eq!((clean.input_tokens, clean.output_tokens), (Some(14), Some(6)));
        assert_eq!(clean.output_tokens_per_second, Some(3.0));
        // 0.7 and 1 second of 2.
        assert!((clean.mean_under_way - 0.85).abs() < 1e-12);
        let ttft = clean.ttft_seconds.unwrap();
        assert!((ttft.min - 0.1).abs() < 1e-12 && (ttft.max - 0.5).abs() < 1e-12);
        let tpot = clean.tpot_seconds.unwrap();
        assert!((tpot.min - 0.1).abs() < 1e-12 && (tpot.max - 0.45).abs() < 1e-12);
        assert_eq!(clean.itl_seconds.unwrap().n, 4);
        assert_eq!((clean.failed_requests, clean.failures.len()), (0, 0));
        assert!(clean.notes.len() == 1 && clean.notes[0].contains("less than two rounds"));
        // Fast and slow failures move nothing but their own counts.
        let bad = [failed(1.2, 1.2001, "no"), failed(1.3, 60.0, "timeout"), failed(1.4, 1.5, "no")];
        let mixed = report(Load::Concurrency(2), &[&good[..], &bad].concat());
        assert_eq!((mixed.requests, mixed.failed_requests), (5, 3));
        let told: Vec<(&str, usize)> =
            mixed.failures.iter().map(|own| (own.what.as_str(), own.requests)).collect();
        assert_eq!(told, [("no", 2), ("timeout", 1)]);
        for of in [
            |own: &LoadReport| own.ttft_seconds,
            |own: &LoadReport| own.tpot_seconds,
            |own: &LoadReport| own.itl_seconds,
            |own: &LoadReport| own.e2el_seconds,
            |own: &LoadReport| own.answer_tokens_per_second,
        ] {
            assert_eq!(of(&mixed), of(&clean));
        }
        assert_eq!(mixed.output_tokens_per_second, clean.output_tokens_per_second);
        assert!((mixed.mean_under_way - clean.mean_under_way).abs() < 1e-12);
        // Nothing but failures: no figure, and no division by nothing.
        let none = report(Load::Rate(1.0), &bad);
        assert_eq!((none.requests_per_second, none.seconds), (0.0, 0.0));
        assert!(none.latencies().is_empty() && none.output_tokens.is_none());
        assert!(report(Load::Concurrency(1), &[]).latencies().is_empty());
    }

    #[test]
    fn rare_reasons_are_counted_together() {
        let records: Vec<RequestRecord> =
            (0..9).map(|own| failed(0.0, 1.0, &own.to_string())).collect();
        let failures = report(Load::Concurrency(1), &records).failures;
        assert_eq!(failures.len(), 5);
        assert_eq!(failures.iter().map(|own| own.requests).sum::<usize>(), 9);
        assert_eq!(failures[4].what, "5 other reasons");
    }

    #[test]
    fn a_server_that_falls_behind_is_told_of_with_its_latencies() {
        // One after the other, half a second each, while four come a second.
        let record = |own: usize| {
            let end = (own + 1) as f64 / 2.0;
            answered(own as f64 / 4.0, &[end - 0.1, end])
        };
        let records: Vec<RequestRecord> = (0..100).map(record).collect();
        let behind = report(Load::Rate(4.0), &records);
        let own = behind.saturation.unwrap();
        assert!((own.ends_per_second - 2.0).abs() < 0.1, "{own:?}");
        assert!(behind.name().ends_with(", behind") && behind.ttft_seconds.is_some());
        assert!(behind.remarks()[0].contains("falls behind"), "{:?}", behind.remarks());
        // The same at once is no rate.
        assert_eq!(report(Load::Concurrency(100), &records).saturation, None);
    }

    #[test]
    fn what_this_program_delays_is_told_where_it_shows() {
        let mut records: Vec<RequestRecord> =
            (0..20).map(|own| answered(f64::from(own), &[f64::from(own) + 0.05])).collect();
        let is_slow =
            |records: &[RequestRecord]| report(Load::Concurrency(1), records).client.is_bottleneck;
        assert!(!is_slow(&records));
        for own in &mut records {
            own.sent_seconds += 0.004;
        }
        assert!(!is_slow(&records));
        for own in &mut records {
            own.sent_seconds += 0.004;
        }
        assert!(is_slow(&records));
        // A wait for other answers is none of this program's.
        for own in &mut records {
            own.sent_seconds = own.intended_seconds + 0.03;
            own.due_seconds = own.sent_seconds;
        }
        let waited = report(Load::Concurrency(1), &records).client;
        assert!(!waited.is_bottleneck && (waited.waited_seconds.unwrap().p50 - 0.03).abs() < 1e-9);
    }
}
