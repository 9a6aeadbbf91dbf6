//! `PPLInferencer`: how surprising every candidate is, or, with a `normalizing_str`, its answer and the same
//! answer after that text. Which candidate is chosen is the scoring rule's to say.

use std::{borrow::Cow, sync::Arc};

use serde::Deserialize;
use serde_json::Value as Json;

use super::{
    Asking, Candidate, CountedTokens, Counterpart, InferError, Inferencer, ModelDefaults, Outcome,
    Prepared, PreparedPrompt, RankedForm, Task, Wanted, answer_place, counterpart,
    examples::Examples,
    fit::{Fitted, fit},
    normalized,
    text_tokens::image_rows,
};
use crate::{
    answer::Question,
    config::{Component, ConfigError, Node},
    engine::ScoreRequest,
    model::media::Sight,
    prompt::Label,
};

/// Scores the prompt of every label.
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

    /// The candidates of a data set whose rows all have the same.
    pub fn labels<'a>(&'a self, task: &'a Task<'_>) -> &'a [Label] {
        self.labels.as_deref().unwrap_or_else(|| task.labels())
    }

    /// The candidates of a sample.
    fn labels_of<'a>(
        &'a self,
        task: &'a Task<'_>,
        sample: usize,
    ) -> Result<Cow<'a, [Label]>, InferError> {
        let own =
            if self.labels.is_none() { task.assembly.labels_of(&task.test[sample]) } else { None };
        let Some(own) = own else { return Ok(Cow::Borrowed(self.labels(task))) };
        let labels = own.map_err(|source| InferError::Prompt { sample, source })?;
        let refused = |what: String| Err(InferError::Mismatch(format!("sample {sample}: {what}")));
        if labels.len() < 2 {
            return refused(format!(
                "there must be two options at least, and it has {}",
                labels.len()
            ));
        }
        let is_repeated = |place: usize| labels[..place].contains(&labels[place]);
        match (1..labels.len()).find(|place| is_repeated(*place)) {
            Some(place) => refused(format!("two options have the label {}", labels[place])),
            None => Ok(Cow::Owned(labels)),
        }
    }
}

impl Inferencer for PplInferencer {
    fn mode(&self) -> &'static str {
        "ppl"
    }

    fn with_defaults(&self, _: ModelDefaults) -> Box<dyn Inferencer> {
        Box::new(self.clone())
    }

    fn ranks(&self) -> bool {
        true
    }

    fn not_served(&self) -> Option<&'static str> {
        self.normalizing_str.as_ref().map(|_| "normalizing_str parts a text at a token")
    }

    fn check(&self, task: &Task<'_>) -> Result<Vec<String>, InferError> {
        if self.normalizing_str.is_some() && task.wanted != Wanted::Nothing {
            return Err(InferError::Mismatch(
                "normalizing_str and a scoring rule that asks more do not go together; leave one of them out".to_owned(),
            ));
        }
        if self.labels.is_none() && task.assembly.has_row_labels() {
            return Ok(Vec::new());
        }
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
        let labels = self.labels_of(task, sample)?;
        for label in labels.iter() {
            if let Some(text) = &self.normalizing_str {
                prompts.extend(normalized::prompts(task, &mut examples, label, text)?);
                continue;
            }
            let fitted = fit(task, &mut examples, task.max_seq_len_tokens, |ice| {
                task.candidate_text(sample, ice, label)
            })?;
            prompts.push(labelled(task, &mut examples, label, fitted)?);
        }
        let dropped_examples = examples.dropped();
        let mut askings = Vec::new();
        if self.normalizing_str.is_none() {
            answer_place::mark(task, &mut prompts);
            answer_place::mark_separated(task, &examples, &mut prompts)?;
            let again = counterpart::prompts(task, &mut examples, &labels, &prompts)?;
            for (asking, more) in again {
                askings.push(asking);
                prompts.extend(more);
            }
        }
        Ok(Prepared {
            sample,
            run: 0,
            prompts,
            foreseen: Vec::new(),
            in_context_examples,
            dropped_examples,
            askings,
            dialogue: None,
            known: None,
        })
    }

    fn question(&self, prompt: &PreparedPrompt) -> Question {
        Question::Score(ScoreRequest {
            ids: prompt.ids.clone(),
            first_target: prompt.context_tokens.max(1),
        })
    }

    fn outcome(&self, prepared: &Prepared) -> Outcome {
        let in_context_examples = prepared.in_context_examples.clone();
        let (candidates, again) = if self.normalizing_str.is_some() {
            (normalized::candidates(&prepared.prompts), &[][..])
        } else {
            let count = prepared.prompts.len() / (1 + prepared.askings.len());
            let (own, again) = prepared.prompts.split_at(count);
            (own.iter().map(candidate).collect(), again)
        };
        let rounds = again.chunks_exact(candidates.len().max(1));
        let counterpart = |(asking, round): (&Asking, &[PreparedPrompt])| Counterpart {
            asking: asking.clone(),
            candidates: round.iter().map(candidate).collect(),
        };
        let counterparts = prepared.askings.iter().zip(rounds).map(counterpart).collect();
        let form = RankedForm::Perplexity;
        Outcome::Ranked { form, in_context_examples, candidates, counterparts }
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

/// A prompt as it is kept, before it is answered.
pub(super) fn candidate(prompt: &PreparedPrompt) -> Candidate {
    // Where an image is is no part of the text that is scored.
    let text = Sight::unmarked(&prompt.text);
    let images = image_rows(&prompt.ids);
    let images_before = image_rows(prompt.ids.get(..prompt.answer_start).unwrap_or_default());
    Candidate {
        label: prompt.label.as_ref().map_or(Json::Null, |label| label.json().clone()),
        prompt: prompt.origin_prompt.to_string(),
        testing_input: Sight::unmarked(&prompt.testing_input).into_owned(),
        answer_tokens: prompt.answer_start - images_before..prompt.ids.len() - images,
        answer_bytes: prompt.answer_bytes,
        is_separated: prompt.is_separated,
        uncut_tokens: prompt.uncut_tokens() - images,
        bytes: text.len(),
        chars: text.chars().count(),
        ids: Arc::default(),
        served: None,
        nlls: Vec::new(),
        likeliest: Vec::new(),
        sum_nll_nats: 0.0,
        normalizer: None,
        counted: prompt.counted.as_deref().map(CountedTokens::new),
    }
}
