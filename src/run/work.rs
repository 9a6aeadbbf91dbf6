//! Answering the samples of one data set under one model, and keeping every answer.

use super::{Progress, RunError, prepare::Unit};
use crate::{
    engine::Engine,
    infer::{Answer, Prepared, Record, Request},
    store::Journal,
};

/// Prompt tokens that are answered before records are written: enough to fill the engine's batches,
/// little enough that a killed run loses seconds.
const CHUNK_TOKENS: usize = 1 << 13;

/// Most samples between two writes; bounds what a killed run of short prompts loses.
const CHUNK_SAMPLES: usize = 64;

/// Which samples are answered together. Chunks are cut from the whole data set and not from what is
/// left of it, and a chunk that was not finished is done again from its start: what a batch holds then
/// never depends on where a run was stopped, and neither does the last bit of a score.
fn chunks(samples: &[Prepared]) -> Vec<std::ops::Range<usize>> {
    let mut chunks = Vec::new();
    let (mut start, mut tokens) = (0, 0);
    for (index, sample) in samples.iter().enumerate() {
        tokens += sample.prompt_tokens();
        if tokens >= CHUNK_TOKENS || index + 1 - start >= CHUNK_SAMPLES {
            chunks.push(start..index + 1);
            (start, tokens) = (index + 1, 0);
        }
    }
    if start < samples.len() {
        chunks.push(start..samples.len());
    }
    chunks
}

/// How many of the records that were found can stay: those of whole chunks.
pub(super) fn kept(samples: &[Prepared], found: usize) -> usize {
    chunks(samples)
        .iter()
        .map(|chunk| chunk.end)
        .take_while(|end| *end <= found)
        .last()
        .unwrap_or(0)
}

/// Answers the samples from `done` on, appending to the journal chunk by chunk.
pub(super) fn answer(
    engine: &Engine,
    unit: Unit,
    golds: &dyn Fn(usize) -> Option<serde_json::Value>,
    done: usize,
    journal: &mut Journal<Record>,
    progress: &dyn Progress,
) -> Result<Vec<Record>, RunError> {
    let mut records = Vec::new();
    let Unit { inferencer, samples, .. } = unit;
    let chunks = chunks(&samples);
    let mut samples = samples.into_iter().skip(done);
    for chunk in chunks.into_iter().filter(|chunk| chunk.start >= done) {
        let chunk: Vec<Prepared> = samples.by_ref().take(chunk.len()).collect();
        let requests: Vec<Request> = chunk
            .iter()
            .flat_map(|sample| &sample.prompts)
            .map(|prompt| inferencer.request(prompt))
            .collect();
        let mut answers = ask(engine, requests, progress).into_iter();
        let mut finished = Vec::with_capacity(chunk.len());
        for sample in chunk {
            let own: Vec<Answer> = answers.by_ref().take(sample.prompts.len()).collect();
            finished.push(Record {
                id: sample.sample,
                gold: golds(sample.sample),
                dropped_examples: sample.dropped_examples,
                truncated_tokens: sample.truncated_tokens(),
                outcome: inferencer.outcome(sample, own),
            });
        }
        journal.append(&finished)?;
        progress.samples(finished.len());
        records.extend(finished);
    }
    Ok(records)
}

/// Puts all requests of a chunk to the engine; an inferencer asks one kind of question.
fn ask(engine: &Engine, requests: Vec<Request>, progress: &dyn Progress) -> Vec<Answer> {
    let mut scores = Vec::new();
    let mut generations = Vec::new();
    for request in requests {
        match request {
            Request::Score(request) => scores.push(request),
            Request::Generate(request) => generations.push(request),
        }
    }
    let mut heard = |tokens| progress.tokens(tokens);
    let scored = engine.score(&scores, &mut heard).into_iter();
    let scored = scored
        .map(|answer| answer.map_or_else(|error| Answer::Failed(error.to_string()), Answer::Score));
    let mut answers: Vec<Answer> = scored.collect();
    let generated = engine.generate(&generations, &mut heard).into_iter();
    answers.extend(generated.map(|answer| {
        answer.map_or_else(|error| Answer::Failed(error.to_string()), Answer::Generation)
    }));
    answers
}
