//! What a comparison needs of a sample: numbers, and the digest of its row.

use serde_json::Value as Json;

use crate::{
    infer::{Candidate, Outcome},
    kept_run::{evaluation::UnitEvaluation, kept_sample::KeptSample, row_content::RowContent},
    python::python_str,
};

/// A sample in numbers. What it does not have is none, not zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MeasuredSample {
    /// Index in the test split.
    pub(super) row: usize,
    /// Of all columns of the row.
    pub(super) content: RowContent,
    pub(super) gold: String,
    /// What the metric takes for the answer; empty unless samples that changed are wanted.
    pub(super) answer: String,
    pub(super) is_failed: bool,
    /// The metric's.
    pub(super) score: Option<f64>,
    /// Mean −ln p of the gold answer's tokens.
    pub(super) gold_nats_per_token: Option<f64>,
    /// Mean −ln p of the tokens before the answer, those of shared examples included.
    pub(super) prompt_nats_per_token: Option<f64>,
    /// The best other candidate's score less the gold's, by the rule in use: above 0 the gold is chosen.
    pub(super) margin: Option<f64>,
    /// What the column of clusters says.
    pub(super) cluster: String,
}

/// How a sample is measured.
pub(super) struct Measure<'a> {
    pub(super) evaluation: UnitEvaluation<'a>,
    /// The name of the data set with its variant, and without.
    pub(super) dataset_names: [&'a str; 2],
    /// The columns that earlier stages of the data set have made.
    pub(super) stage_columns: &'a [String],
    /// The column of clusters.
    pub(super) cluster: Option<&'a str>,
    pub(super) with_answers: bool,
}

impl Measure<'_> {
    /// The numbers of a sample; `score` is what its metric says.
    pub(super) fn of(&self, kept: &KeptSample, score: f64) -> MeasuredSample {
        let record = &kept.record;
        let cluster = self.cluster.and_then(|column| kept.sample.get(column));
        let mut measured = MeasuredSample {
            row: record.id,
            content: RowContent::of(&kept.sample, self.dataset_names, self.stage_columns),
            gold: record.gold.as_ref().map(python_str).unwrap_or_default(),
            is_failed: matches!(record.outcome, Outcome::Failed { .. }),
            score: Some(score).filter(|score| score.is_finite()),
            cluster: cluster.map(python_str).unwrap_or_default(),
            ..MeasuredSample::default()
        };
        if self.with_answers && !measured.is_failed {
            measured.answer = self.answer(kept);
        }
        let rule = self.evaluation.rule();
        if let Some((choice, scores)) =
            record.outcome.choice().and_then(|choice| Some((choice, rule.scores(choice)?)))
        {
            let candidates = choice.candidates;
            let is_gold: Vec<bool> = candidates
                .iter()
                .map(|candidate| self.evaluation.is_gold(kept, &candidate.label) == Some(true))
                .collect();
            let best = |wanted: bool| {
                let scored = scores.iter().copied().zip(candidates).zip(&is_gold);
                scored
                    .filter(|((score, _), is_gold)| **is_gold == wanted && score.is_finite())
                    .map(|(own, _)| own)
                    .min_by(|(first, _), (second, _)| first.total_cmp(second))
            };
            let (gold, other) = (best(true), best(false));
            measured.margin = gold.zip(other).map(|((gold, _), (other, _))| other - gold);
            measured.gold_nats_per_token = gold.and_then(|(_, candidate)| {
                mean(candidate.answer_nll_nats(), candidate.answer_token_count())
            });
            let shown = gold.map(|(_, candidate)| candidate).or(candidates.first());
            measured.prompt_nats_per_token = shown.and_then(prompt_nats_per_token);
        }
        measured
    }

    /// The prediction as the metric sees it.
    fn answer(&self, kept: &KeptSample) -> String {
        match self.evaluation.compared(kept).map(|row| row.prediction) {
            None | Some(Json::Null) => String::new(),
            Some(prediction) => python_str(&prediction),
        }
    }
}

/// Mean −ln p of the tokens before the answer; nothing where none of them has been scored.
fn prompt_nats_per_token(candidate: &Candidate) -> Option<f64> {
    let start = match &candidate.counted {
        Some(part) => part.ranges.first()?.start,
        None => candidate.answer_tokens.start,
    };
    let tokens = start.checked_sub(candidate.first_target())?;
    let nlls = candidate.nlls.get(..tokens)?;
    mean(nlls.iter().map(|&nll| f64::from(nll)).sum(), tokens)
}

fn mean(sum: f64, count: usize) -> Option<f64> {
    Some(sum / count as f64).filter(|mean| mean.is_finite())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn candidate(nlls: &[f32], answer_from: usize) -> Candidate {
        let ids: Vec<u32> = (0..=nlls.len() as u32).collect();
        Candidate {
            label: json!("a"),
            prompt: String::new(),
            testing_input: String::new(),
            answer_tokens: answer_from..ids.len(),
            uncut_tokens: ids.len(),
            bytes: 0,
            chars: 0,
            answer_bytes: 0,
            is_separated: false,
            served: None,
            sum_nll_nats: nlls.iter().map(|&nll| f64::from(nll)).sum(),
            ids: ids.into(),
            nlls: nlls.to_vec(),
            likeliest: vec![false; nlls.len()],
            normalizer: None,
            counted: None,
        }
    }

    #[test]
    fn a_prompt_ends_where_the_answer_begins() {
        // Tokens 1 and 2 are the prompt; token 0 has no surprisal.
        let own = candidate(&[1.0, 2.0, 4.0, 8.0], 3);
        assert_eq!(prompt_nats_per_token(&own), Some(1.5));
        assert_eq!(mean(own.answer_nll_nats(), own.answer_token_count()), Some(6.0));
        assert_eq!(prompt_nats_per_token(&candidate(&[1.0], 1)), None);
        // The context was not scored.
        let mut scored_later = candidate(&[4.0, 8.0], 1);
        scored_later.ids = vec![0; 5].into();
        scored_later.answer_tokens = 3..5;
        assert_eq!(prompt_nats_per_token(&scored_later), None);
    }
}
