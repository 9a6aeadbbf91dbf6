//! The figures of one load, from the records of its requests.
//!
//! Pure arithmetic on records: no clock, no network.

use super::{
    AnswerRecord, ArrivalKind, ClientLag, Distribution, Failure, Load, LoadReport, RequestRecord,
    client_lag::client_lag,
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
        let has_piece_tokens = with_pieces().all(|own| own.1.has_piece_tokens);
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
            itl_seconds: Distribution::of(
                with_pieces().filter(|_| has_piece_tokens).flat_map(|own| own.1.itl_seconds()),
            ),
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

/// What is to be known of figures that are there, and why others are not.
fn notes(
    measured: &MeasuredLoad<'_>,
    report: &LoadReport,
    answers: &[(f64, &AnswerRecord)],
) -> Vec<String> {
    let mut notes = Vec::new();
    let of = answers.len();
    let count = |is: &dyn Fn(&AnswerRecord) -> bool| answers.iter().filter(|own| is(own.1)).count();
    let whole = count(&|own| own.pieces.is_empty());
    let uncounted = count(&|own| own.new_tokens.is_none());
    let unshared =
        count(&|own| !own.pieces.is_empty() && own.new_tokens.is_some() && !own.has_piece_tokens);
    let wordless = count(&|own| own.prompt_tokens.is_none());
    if whole > 0 {
        notes.push(format!(
            "{whole} of {of} answers have no text that came in pieces, and are not in TTFT, TPOT and ITL"
        ));
    }
    if uncounted > 0 {
        notes.push(format!(
            "the server does not tell how many tokens {uncounted} of {of} answers have (usage): they are not in TPOT, and \
             there are no output tokens a second; the model's own --tokenizer counts them"
        ));
    }
    if unshared > 0 {
        notes.push(format!(
            "of {unshared} of {of} answers it is not known which piece holds how many tokens: no ITL, and their TPOT takes \
             the first piece for one token and hidden thinking for shown; the model's own --tokenizer counts them"
        ));
    }
    if wordless > 0 {
        notes.push(format!(
            "the server does not tell how many tokens {wordless} of {of} prompts have (usage): no input tokens a second"
        ));
    }
    if let (Load::Concurrency(at_once), true) =
        (measured.load, report.requests < 2 * measured.most_at_once)
        && at_once > 1
    {
        notes.push(format!(
            "{} requests are less than two rounds of {at_once} at once: throughput holds the beginning and the end, where \
             fewer are under way",
            report.requests
        ));
    }
    notes
}
