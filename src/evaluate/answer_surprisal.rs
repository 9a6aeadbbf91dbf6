//! `answer_surprisal`: how surprising an answer is in each of several contexts, and what one context gains over another.
//!
//! It reads what `AnswerSurprisal` asked: the figure of a context is the mean over rows of the answer's −ln p per token. Two
//! contexts are compared row by row: `found − gold` is what an answer is the more surprising because passages were found
//! and not given. Rows that nobody was asked about are in no figure.

use serde::Deserialize;

use super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit};
use crate::{
    config::{Component, ConfigError},
    infer::{Candidate, Outcome},
    python::python_str,
};

const NAME: &str = "answer_surprisal";

/// Means of contexts and of their differences.
pub(super) struct AnswerSurprisal {
    /// The contexts whose difference is told; without it, all of them.
    pair: Option<[String; 2]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    of: Option<String>,
    beside: Option<String>,
}

/// A context, with what each row's answer has in it, in nats per token; NaN where nobody was asked.
type Context = (String, Vec<f64>);

impl AnswerSurprisal {
    /// Reads `of` and `beside`: the two contexts whose difference matters, and whose share of the first is told.
    pub(super) fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Params { of, beside } = component.read()?;
        let pair = match (of, beside) {
            (Some(of), Some(beside)) => Some([of, beside]),
            (None, None) => None,
            _ => {
                return Err(ConfigError::at(&component.origin, "of and beside go together")
                    .with_hint(
                        "they name two prompts of the template, as in of='found', beside='gold'",
                    ));
            }
        };
        Ok(Box::new(Self { pair }))
    }

    /// The pairs of contexts that are compared.
    fn pairs<'c>(&self, contexts: &'c [Context]) -> Result<Vec<[&'c Context; 2]>, EvaluateError> {
        let Some(pair) = &self.pair else {
            let all = contexts.iter().enumerate();
            return Ok(all
                .flat_map(|(place, one)| {
                    contexts[place + 1..].iter().map(move |other| [one, other])
                })
                .collect());
        };
        let context = |name: &String| contexts.iter().find(|(known, _)| known == name);
        let named = [context(&pair[0]), context(&pair[1])];
        let [Some(of), Some(beside)] = named else {
            return Err(EvaluateError::Undefined {
                evaluator: NAME,
                reason: "of and beside name prompts that the template does not have",
            });
        };
        Ok(vec![[of, beside]])
    }
}

impl Evaluator for AnswerSurprisal {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let contexts = contexts(rows)?;
        let nats =
            |name: &str, scores: Vec<f64>| Metric::of_numbers(name, Unit::NatsPerToken, scores);
        let mut metrics: Vec<Metric> =
            contexts.iter().map(|(name, scores)| nats(name, scores.clone())).collect();
        for [(one, of), (other, beside)] in self.pairs(&contexts)? {
            let difference = of.iter().zip(beside).map(|(of, beside)| of - beside).collect();
            metrics.push(nats(&format!("{one} − {other}"), difference));
        }
        if let Some([of, _]) = &self.pair {
            let value =
                |name: &str| metrics.iter().find(|own| own.name == name).map(|own| own.value);
            let difference = metrics.last().map_or(f64::NAN, |last| last.value);
            let share = 100.0 * difference / value(of).unwrap_or(f64::NAN);
            let name = format!("share of {of}");
            metrics.push(Metric::of_all(&name, Unit::Percent, share));
        }
        Ok(Scores::new(metrics, rows.len()))
    }
}

/// The contexts of the rows, in the order of the template.
fn contexts(rows: &[Row<'_>]) -> Result<Vec<Context>, EvaluateError> {
    let mut contexts: Vec<Context> = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        let candidates = match row.record.map(|record| &record.outcome) {
            Some(Outcome::Ranked { candidates, .. }) => candidates.as_slice(),
            Some(Outcome::Given { .. }) => &[],
            _ => {
                return Err(EvaluateError::WrongKind {
                    row: place,
                    evaluator: NAME,
                    what: "the answer",
                    expected: "an inferencer of the type AnswerSurprisal",
                    found: row.prediction.to_string(),
                });
            }
        };
        for candidate in candidates {
            let name = python_str(&candidate.label);
            let at = contexts.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
                contexts.push((name, vec![f64::NAN; rows.len()]));
                contexts.len() - 1
            });
            contexts[at].1[place] = nats_per_token(candidate);
        }
    }
    Ok(contexts)
}

fn nats_per_token(candidate: &Candidate) -> f64 {
    candidate.answer_nll_nats() / candidate.answer_tokens.len().max(1) as f64
}
