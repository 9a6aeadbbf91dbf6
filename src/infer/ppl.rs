//! `PPLInferencer`: the candidate whose whole text surprises the model least, or, with a
//! `normalizing_str`, whose answer surprises least compared with the same answer after that text.

use serde::Deserialize;
use serde_json::Value as Json;

use super::{
    Answer, Candidate, CountedTokens, InferError, Inferencer, Outcome, Prepared, PreparedPrompt,
    Request, Task,
    examples::Examples,
    fit::{Fitted, fit},
    normalized,
};
use crate::{
    config::{Component, ConfigError, Node},
    engine::{Score, ScoreRequest},
    prompt::Label,
};

/// Scores the prompt of every label, Σ nll / N over the whole text, and takes the smallest; the first
/// label wins a tie.
#[derive(Clone, Debug)]
pub struct PplInferencer {
    labels: Option<Vec<Label>>,
    normalizing_str: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    labels: Option<Vec<Node>>,
    normalizing_str: Option<String>,
}

impl PplInferencer {
    /// Reads `dict(type=PPLInferencer, labels=…, normalizing_str=…)`. The latter is an argument in
    /// OpenCompass, which none of its configs can give.
    pub fn from_component(component: &Component) -> Result<Self, ConfigError> {
        let params: Params = component.read()?;
        let labels = params.labels.map(|nodes| nodes.iter().filter_map(Label::from_node).collect());
        Ok(Self { labels, normalizing_str: params.normalizing_str })
    }

    /// The candidates of a data set.
    pub fn labels<'a>(&'a self, task: &'a Task<'_>) -> &'a [Label] {
        self.labels.as_deref().unwrap_or_else(|| task.labels())
    }
}

impl Inferencer for PplInferencer {
    fn mode(&self) -> &'static str {
        "ppl"
    }

    fn check(&self, task: &Task<'_>) -> Result<Vec<String>, InferError> {
        let labels = self.labels(task);
        if labels.len() < 2 {
            return Err(InferError::Mismatch(format!(
                "PPLInferencer needs at least two candidates, but the templates and the data give {}; write the template as a \
                 dict from label to prompt",
                labels.len()
            )));
        }
        Ok(Vec::new())
    }

    fn prepare(&self, task: &Task<'_>, sample: usize) -> Result<Prepared, InferError> {
        // Examples dropped for one label stay dropped for the labels after it, as in OpenCompass.
        let mut examples = Examples::retrieved(task, sample)?;
        let in_context_examples = examples.text(task)?.to_owned();
        let mut prompts = Vec::new();
        for label in self.labels(task) {
            if let Some(text) = &self.normalizing_str {
                prompts.extend(normalized::prompts(task, &mut examples, label, text)?);
                continue;
            }
            let fitted = fit(task, &mut examples, task.max_seq_len_tokens, |ice| {
                task.candidate_text(sample, ice, label)
            })?;
            prompts.push(labelled(task, &mut examples, label, fitted)?);
        }
        Ok(Prepared {
            sample,
            prompts,
            foreseen: Vec::new(),
            in_context_examples,
            dropped_examples: examples.dropped(),
            dialogue: None,
        })
    }

    fn request(&self, prompt: &PreparedPrompt) -> Request {
        Request::Score(ScoreRequest {
            ids: prompt.ids.clone(),
            first_target: prompt.context_tokens.max(1),
        })
    }

    fn outcome(&self, prepared: Prepared, answers: Vec<Answer>) -> Outcome {
        let mut scored = Vec::with_capacity(answers.len());
        for (prompt, answer) in prepared.prompts.into_iter().zip(answers) {
            match answer {
                Answer::Score(score) => scored.push((prompt, score)),
                Answer::Failed(error) => return Outcome::Failed { error },
                Answer::Generation(_) => return wrong_answer(),
            }
        }
        let candidates = if self.normalizing_str.is_some() {
            normalized::candidates(scored)
        } else {
            scored.into_iter().map(|(prompt, score)| candidate(&prompt, score)).collect()
        };
        let mut best: Option<&Candidate> = None;
        for candidate in &candidates {
            if best.is_none_or(|best| candidate.ppl() < best.ppl()) {
                best = Some(candidate);
            }
        }
        match best {
            Some(best) => {
                let prediction = best.label.clone();
                Outcome::Ranked {
                    in_context_examples: prepared.in_context_examples,
                    candidates,
                    prediction,
                }
            }
            None => Outcome::Failed { error: "there is no candidate".to_owned() },
        }
    }
}

/// The fitted text of a candidate, and what it is without its examples.
pub(super) fn labelled(
    task: &Task<'_>,
    examples: &mut Examples,
    label: &Label,
    fitted: Fitted,
) -> Result<PreparedPrompt, InferError> {
    let mut prompt = PreparedPrompt::of(fitted);
    if let Some(rest) = examples.removed_from(&prompt.text, task)? {
        prompt.testing_input = rest.into();
    }
    Ok(PreparedPrompt { label: Some(label.clone()), ..prompt })
}

/// A prompt and its score as they are stored.
pub(super) fn candidate(prompt: &PreparedPrompt, score: Score) -> Candidate {
    let counted = prompt.counted.as_deref().map(CountedTokens::new);
    Candidate {
        label: prompt.label.as_ref().map_or(Json::Null, |label| label.json().clone()),
        uncut_tokens: prompt.uncut_tokens(),
        prompt: prompt.origin_prompt.to_string(),
        testing_input: prompt.testing_input.to_string(),
        sum_nll_nats: counted
            .as_ref()
            .map_or_else(|| sum_nats(&score.nlls), |counted| counted.sum_nats(&score.nlls)),
        counted,
        tokens: prompt.ids.len(),
        bytes: prompt.text.len(),
        nlls: score.nlls,
        normalizer: None,
    }
}

/// Surprisals summed in f64, in token order.
pub(super) fn sum_nats(nlls: &[f32]) -> f64 {
    nlls.iter().map(|nll| f64::from(*nll)).sum()
}

/// The engine answers in the kind it was asked; anything else is a defect that one sample reports.
pub(super) fn wrong_answer() -> Outcome {
    Outcome::Failed {
        error: "the engine answered another kind of request; please report this".to_owned(),
    }
}
