//! A data set under a model of a kept run as a side: everything is known, ids included.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::{
    DiffError,
    opencompass_predictions::entry_sample,
    side::{Answer, Figure, FigureScale, Likelihoods, Request, Side, SideFormat, SideSample},
    side_settings::SideSettings,
};
use crate::{
    evaluate::Unit,
    infer::{Candidate, Continued, Outcome, RankedForm, Record},
    kept_run::{
        evaluation::UnitEvaluation,
        kept_sample::KeptSample,
        run::{KeptRun, KeptUnit},
    },
    python::{python_str, to_json},
    report::{ResultRow, prediction_value},
    score,
};

/// Reads a unit. Prompts of messages are written as `other` has them.
pub(super) fn kept_side(
    run: &KeptRun,
    unit: &KeptUnit,
    other: SideFormat,
) -> Result<Side, DiffError> {
    let kept = run.samples(unit)?;
    let evaluation = unit.evaluation(&kept);
    // What is evaluated is the text as it was written, and not what a filter makes of it.
    let filters_itself = unit.facts.is_task();
    let read = |own: &KeptSample| sample(own, &evaluation, other, filters_itself);
    let samples: Result<Vec<SideSample>, DiffError> = kept.iter().map(read).collect();
    let own = run
        .facts
        .results
        .iter()
        .filter(|row| (&row.dataset, &row.model) == (&unit.facts.dataset, &unit.facts.model));
    Ok(Side {
        name: format!("run {}", run.name),
        format: SideFormat::KeptRun,
        settings: SideSettings {
            dtype: Some(unit.facts.dtype.clone()).filter(|dtype| !dtype.is_empty()),
            ..SideSettings::default()
        },
        samples: samples?,
        figures: own.map(figure).collect(),
        notes: Vec::new(),
    })
}

fn figure(row: &ResultRow) -> Figure {
    let scale = match row.unit {
        Unit::Percent => FigureScale::OfHundred,
        _ => FigureScale::OfOne,
    };
    Figure { metric: row.metric.clone(), value: row.value, scale }
}

fn sample(
    kept: &KeptSample,
    evaluation: &UnitEvaluation<'_>,
    other: SideFormat,
    filters_itself: bool,
) -> Result<SideSample, DiffError> {
    let record = &kept.record;
    let rule = evaluation.rule();
    let mut sample = SideSample {
        number: record.id,
        gold: record.gold.as_ref().map(python_str),
        cut_tokens: record.truncated_tokens,
        ..SideSample::default()
    };
    match &record.outcome {
        Outcome::Failed { error } => sample.error = Some(error.clone()),
        Outcome::Ranked { form, candidates, .. } if *form != RankedForm::Shares => {
            sample.requests = candidates.iter().map(|own| candidate(own, *form)).collect();
            let chosen = record.outcome.choice().and_then(|choice| score::chosen(rule, choice));
            sample.answer = chosen.map(Answer::Choice);
        }
        Outcome::Scored { candidate: own, .. } => sample.requests = vec![scored(own)],
        Outcome::Windows { windows, .. } => sample.requests = document(windows),
        // What was asked in other forms is read as the predictions file has it.
        _ => {
            let entry = json!(prediction_value(record, rule));
            let read = entry_sample(record.id, &entry, &format!("sample {}", record.id))?;
            sample.requests = read.requests;
            sample.answer = read.answer;
            add_generation(&mut sample.requests, record, other);
        }
    }
    let is_text = sample.requests.iter().any(|own| own.generated.is_some());
    if is_text && !filters_itself && other != SideFormat::OpenCompass {
        let compared = evaluation.compared(kept).map(|row| row.prediction);
        sample.answer = compared.filter(|own| !own.is_null()).map(|own| Answer::Text(text(&own)));
    }
    // Prompts are kept in the order in which they were asked, and so are their images.
    if record.images.len() == sample.requests.len() {
        for (request, images) in sample.requests.iter_mut().zip(&record.images) {
            request.images = images.iter().map(|own| own.sha256.clone()).collect();
        }
    }
    sample.columns =
        kept.sample.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
    Ok(sample)
}

fn candidate(own: &Candidate, form: RankedForm) -> Request {
    let is_perplexity = form == RankedForm::Perplexity;
    let answer_nats = match form {
        // Only the answer is scored.
        RankedForm::LogLikelihood => -own.text_nll_nats(),
        _ => -own.answer_nll_nats(),
    };
    Request {
        label: python_str(&own.label),
        text: own.prompt.clone(),
        answer_bytes: Some(own.answer_bytes).filter(|bytes| *bytes > 0),
        ids: own.served.is_none().then(|| own.ids.clone()),
        likelihoods: Likelihoods {
            answer_nats: Some(answer_nats),
            text_nats: is_perplexity.then_some(-own.sum_nll_nats),
            per_token_nats: is_perplexity.then(|| -own.ppl()),
            tokens: Some(own.tokens()),
            answer_tokens: Some(own.answer_token_count()),
        },
        ..Request::default()
    }
}

/// A text on its own.
fn scored(own: &Candidate) -> Request {
    let request = candidate(own, RankedForm::Perplexity);
    if own.answer_bytes > 0 {
        // A continuation: what stands before it has no score.
        let Likelihoods { answer_nats, tokens, answer_tokens, .. } = request.likelihoods;
        let likelihoods =
            Likelihoods { answer_nats, tokens, answer_tokens, ..Likelihoods::default() };
        return Request { label: "0".to_owned(), likelihoods, ..request };
    }
    Request { label: "0".to_owned(), ..request }
}

/// A document that was cut into windows.
fn document(windows: &[Candidate]) -> Vec<Request> {
    let nats = windows.iter().map(Candidate::text_nll_nats).fold(0.0, |sum, own| sum + own);
    let text = windows.iter().map(|own| own.prompt.as_str()).collect();
    let ids = match windows {
        [only] => Some(only.ids.clone()),
        _ => None,
    };
    let likelihoods = Likelihoods { text_nats: Some(-nats), ..Likelihoods::default() };
    vec![Request { label: "0".to_owned(), text, ids, likelihoods, ..Request::default() }]
}

/// What the predictions file does not have of texts that were continued: the prompt as the model was given it, and ids.
fn add_generation(requests: &mut [Request], record: &Record, other: SideFormat) {
    match (&record.outcome, requests) {
        (Outcome::Generated { prompt, continuation, .. }, [only]) => {
            only.ids = ids(continuation);
            if other != SideFormat::OpenCompass {
                only.text.clone_from(prompt);
            }
        }
        (Outcome::Sampled { prompt, continuations, .. }, [only]) => {
            only.ids = continuations.first().and_then(ids);
            if other != SideFormat::OpenCompass {
                only.text.clone_from(prompt);
            }
        }
        (Outcome::Dialogue { exchanges, .. }, turns) if turns.len() == exchanges.len() => {
            for (turn, exchange) in turns.iter_mut().zip(exchanges) {
                turn.ids = ids(&exchange.continuation);
            }
        }
        _ => {}
    }
}

/// The ids of a prompt; nothing behind a server.
fn ids(own: &Continued) -> Option<Arc<[u32]>> {
    own.served.is_none().then(|| own.prompt_ids.clone())
}

fn text(value: &Json) -> String {
    value.as_str().map_or_else(|| to_json(value, false), str::to_owned)
}
