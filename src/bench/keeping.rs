//! What it costs to keep the answers.
//!
//! They are written as a run writes them, to a database in a folder of its own. What counts is the time of
//! the thread that computes: it hands each answer over, and another one writes.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use super::{KeepingReport, Workload};
use crate::{
    answer::{AnswerEvent, Answerer, ModelIdentity, ModelKey, Question},
    engine::{Engine, Fleet},
    model::vision::ImageIds,
    prepare::Progress,
    store::{Begun, Renewal, RunKey, Store, StoreError},
};

/// Answers `workload` once more and keeps the answers in `folder`, which must hold no database.
pub(super) fn keep(
    engine: &Engine,
    workload: &Workload,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<KeepingReport, StoreError> {
    if Store::is_in(folder) {
        return Err(StoreError::Exists { folder: folder.to_owned() });
    }
    let (mut store, _) = Store::open(folder)?;
    let key = RunKey([0; 32]);
    let Begun::Own { run, .. } = store.begin(key, key, "{}", Renewal::Everything)? else {
        return Err(StoreError::Exists { folder: folder.to_owned() });
    };
    let model = ModelIdentity {
        key: ModelKey::of([b"bench".as_slice()]),
        eos_token_ids: Vec::new(),
        is_served: false,
        images: ImageIds::default(),
    };
    let mut writer = store.writer(&run)?;
    let scores = workload.scores.iter().cloned().map(Question::Score);
    let generations = workload.generations.iter().cloned().map(Question::Generate);
    let questions: Vec<Question> = scores.chain(generations).collect();
    // A run makes the keys before it asks.
    let keys: Vec<_> = questions.iter().map(|question| question.key(&model)).collect();
    let mut handing = Duration::ZERO;
    let begin = Instant::now();
    Fleet::new(vec![engine.clone()]).answer(&questions, &mut |event| match event {
        AnswerEvent::Computed(tokens) => progress.tokens(tokens),
        AnswerEvent::Answered(index, answer) => {
            let begin = Instant::now();
            writer.put(keys[index], questions[index].clone(), answer);
            handing += begin.elapsed();
        }
    });
    let wall_seconds = begin.elapsed().as_secs_f64();
    let last = Instant::now();
    writer.flush()?;
    let engine_thread_seconds = handing.as_secs_f64();
    let after_last_answer_seconds = last.elapsed().as_secs_f64();
    drop(writer);
    progress.samples(workload.requests());
    Ok(KeepingReport {
        engine_thread_seconds,
        engine_thread_share: engine_thread_seconds / wall_seconds,
        wall_seconds,
        after_last_answer_seconds,
        database_bytes: store.into_bytes()?,
    })
}
