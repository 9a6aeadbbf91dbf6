//! Answering the samples of one data set under one model, and keeping every answer.

use super::{Progress, RunError, prepare::Unit};
use crate::{
    engine::Engine,
    infer::{
        Answer, InferError, Inferencer, Outcome, Prepared, PreparedPrompt, Record, Request, Task,
    },
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
    task: &Task<'_>,
    done: usize,
    journal: &mut Journal<Record>,
    progress: &dyn Progress,
) -> Result<Vec<Record>, RunError> {
    let mut records = Vec::new();
    let Unit { inferencer, samples, .. } = unit;
    let chunks = chunks(&samples);
    let mut samples = samples.into_iter().skip(done);
    for chunk in chunks.into_iter().filter(|chunk| chunk.start >= done) {
        let mut chunk: Vec<Live> = samples.by_ref().take(chunk.len()).map(Live::new).collect();
        while chunk.iter().any(|sample| !sample.unanswered().is_empty()) {
            let unanswered = chunk.iter().flat_map(Live::unanswered);
            let requests = unanswered.map(|prompt| inferencer.request(prompt)).collect();
            let mut answers = ask(engine, requests, progress).into_iter();
            for sample in &mut chunk {
                sample.hear(&mut answers, &*inferencer, task);
            }
        }
        let finished: Vec<Record> =
            chunk.into_iter().map(|sample| sample.record(&*inferencer, task)).collect();
        journal.append(&finished)?;
        progress.samples(finished.len());
        records.extend(finished);
    }
    Ok(records)
}

/// A sample that is being asked about.
struct Live {
    prepared: Prepared,
    /// One for each of the first prompts.
    answers: Vec<Answer>,
    /// Why its next prompt cannot be written.
    failure: Option<InferError>,
}

impl Live {
    fn new(prepared: Prepared) -> Self {
        Self { prepared, answers: Vec::new(), failure: None }
    }

    /// The prompts that wait for an answer.
    fn unanswered(&self) -> &[PreparedPrompt] {
        self.prepared.prompts.get(self.answers.len()..).unwrap_or_default()
    }

    /// Takes the answers to its waiting prompts, and finds out what to ask next.
    fn hear(
        &mut self,
        answers: &mut impl Iterator<Item = Answer>,
        inferencer: &dyn Inferencer,
        task: &Task<'_>,
    ) {
        let waiting = self.unanswered().len();
        if waiting == 0 {
            return;
        }
        self.answers.extend(answers.by_ref().take(waiting));
        match inferencer.next(task, &self.prepared, &self.answers) {
            Ok(next) => self.prepared.prompts.extend(next),
            Err(error) => self.failure = Some(error),
        }
    }

    fn record(self, inferencer: &dyn Inferencer, task: &Task<'_>) -> Record {
        let Self { prepared, answers, failure } = self;
        Record {
            id: prepared.sample,
            gold: task.gold(prepared.sample).cloned(),
            dropped_examples: prepared.dropped_examples,
            truncated_tokens: prepared.truncated_tokens(),
            outcome: match failure {
                Some(error) => Outcome::Failed { error: error.to_string() },
                None => inferencer.outcome(prepared, answers),
            },
        }
    }
}

/// Puts requests to the engine together; an inferencer asks one kind of question.
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
