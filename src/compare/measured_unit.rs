//! A member's samples, measured one by one, and what asking them cost.

use super::{
    CompareError, MemberKey,
    measured_sample::{Measure, MeasuredSample},
};
use crate::{
    engine::plan::{PathEnd, PrefixTree, TokenPath},
    infer::{Candidate, Continued, Outcome, Record},
    kept_run::{
        kept_sample::KeptSample,
        run::{KeptRun, KeptUnit},
    },
};

/// A data set under a model in a run: all of its samples in numbers.
#[derive(Debug)]
pub(super) struct MeasuredUnit {
    pub(super) key: MemberKey,
    /// `ppl`, `gen`, ….
    pub(super) mode: String,
    /// The unit of its rule's scores.
    pub(super) score_unit: &'static str,
    pub(super) samples: Vec<MeasuredSample>,
    /// Tokens of all that was asked, each question in full, and of what was generated.
    pub(super) asked_tokens: usize,
    /// Tokens that would be computed if nothing else were asked and nothing known.
    pub(super) alone_tokens: usize,
}

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    pub(super) metric: &'a str,
    /// The column of clusters.
    pub(super) cluster: Option<&'a str>,
    pub(super) with_answers: bool,
}

impl MeasuredUnit {
    /// Reads and measures a unit of a run.
    pub(super) fn of(
        run: &KeptRun,
        unit: &KeptUnit,
        key: &MemberKey,
        wanted: Wanted<'_>,
    ) -> Result<Self, CompareError> {
        let kept = run.samples(unit)?;
        if let (Some(column), Some(first)) = (wanted.cluster, kept.first())
            && kept.iter().any(|one| one.sample.get(column).is_none())
        {
            let known: Vec<&str> = first.sample.iter().map(|(name, _)| name).collect();
            return Err(CompareError::NoColumn {
                dataset: key.dataset.clone(),
                column: column.to_owned(),
                known: known.join(", "),
            });
        }
        let measure = Measure {
            evaluation: unit.evaluation(&kept),
            dataset_names: [&unit.facts.dataset, &key.dataset],
            stage_columns: &unit.facts.stage_columns,
            cluster: wanted.cluster,
            with_answers: wanted.with_answers,
        };
        let scores = unit.scores.iter().find(|row| row.metric == wanted.metric);
        let score = |index: usize| {
            let own = scores.and_then(|row| row.scores.get(index));
            own.copied().unwrap_or(f64::NAN)
        };
        let samples: Vec<MeasuredSample> =
            kept.iter().enumerate().map(|(index, kept)| measure.of(kept, score(index))).collect();
        let (asked_tokens, alone_tokens) = tokens(&kept);
        Ok(Self {
            key: key.clone(),
            mode: unit.facts.mode.clone(),
            score_unit: unit.plan.rule.unit(),
            samples,
            asked_tokens,
            alone_tokens,
        })
    }
}

/// Tokens that samples ask for, each question in full, and those of them that are distinct.
fn tokens(samples: &[KeptSample]) -> (usize, usize) {
    let (mut scored, mut continued, mut generated) = (Vec::new(), Vec::new(), 0);
    // What a server counted; what questions share is not known there.
    let mut served = 0;
    for KeptSample { record, .. } in samples {
        let outcome = &record.outcome;
        let of_scores = outcome.scored().filter(|own| own.served.is_some()).map(Candidate::tokens);
        let of_texts = outcome.continuations().into_iter().filter_map(|own| own.served);
        let of_texts =
            of_texts.map(|own| own.prompt_tokens.unwrap_or(0) + own.new_tokens.unwrap_or(0));
        served += of_scores.chain(of_texts).sum::<usize>();
        collect(record, &mut scored, &mut continued, &mut generated);
    }
    let trees =
        [PrefixTree::new(scored, PathEnd::Target), PrefixTree::new(continued, PathEnd::Row)];
    let asked: usize = trees.iter().map(PrefixTree::nominal_tokens).sum();
    let alone: usize = trees.iter().map(PrefixTree::computed_tokens).sum();
    (asked + generated + served, alone + generated + served)
}

fn collect<'a>(
    record: &'a Record,
    scored: &mut Vec<TokenPath<'a>>,
    continued: &mut Vec<TokenPath<'a>>,
    generated: &mut usize,
) {
    let score = |candidate: &'a Candidate| {
        if candidate.served.is_some() {
            return;
        }
        let first_target = candidate.first_target();
        scored.push(TokenPath::of_tokens(&candidate.ids, first_target));
        if let Some(other) = &candidate.normalizer {
            scored.push(TokenPath::of_tokens(&other.ids, other.normalizing_tokens));
        }
    };
    let mut generate = |continuation: &'a Continued| {
        if continuation.served.is_some() {
            return;
        }
        continued.push(TokenPath::of_tokens(&continuation.prompt_ids, 0));
        *generated += continuation.ids.len();
    };
    match &record.outcome {
        Outcome::Ranked { .. } | Outcome::Scored { .. } | Outcome::Windows { .. } => {
            record.outcome.scored().for_each(score);
        }
        Outcome::Generated { continuation, .. } => generate(continuation),
        Outcome::Sampled { continuations, .. } => continuations.iter().for_each(generate),
        Outcome::Dialogue { exchanges, .. } => {
            for exchange in exchanges {
                generate(&exchange.continuation);
            }
        }
        Outcome::Given { .. } | Outcome::Retrieved { .. } | Outcome::Failed { .. } => {}
    }
}
