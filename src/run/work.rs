//! Answering all samples of one model, and keeping every answer.
//!
//! Everything that is asked of a model is asked together, whatever data set it belongs to, because the
//! engine computes what requests have in common once. A sample is written down as soon as all its
//! answers are there, in whatever order that happens; when a data set is complete, its records are
//! put into the order of its samples. A sample that a killed run did not write down is asked about
//! again, and since no score depends on what is asked beside it, the records end up the same.

use std::cell::RefCell;

use super::RunError;
use crate::{
    engine::Fleet,
    infer::{
        Answer, InferError, Inferencer, Outcome, Prepared, PreparedPrompt, Record, Request, Task,
    },
    prepare::{Progress, Unit},
    store::{Journal, StoreError},
};

/// Tokens that are computed before records are written: little enough that a killed run loses
/// seconds, enough that the disk is no brake.
const UNWRITTEN_TOKENS: usize = 1 << 14;

/// Most records between two writes; bounds what a killed run of short prompts loses.
const UNWRITTEN_RECORDS: usize = 64;

/// One data set under a model, while it is being answered.
pub(super) struct Assignment<'a> {
    task: Task<'a>,
    inferencer: Box<dyn Inferencer>,
    /// One per sample; those that have a record are gone.
    open: Vec<Option<OpenSample>>,
    /// In the order in which they were finished.
    records: Vec<Record>,
    /// How many of `records` are on disk.
    written: usize,
    journal: Journal<Record>,
}

impl<'a> Assignment<'a> {
    /// A data set of which `journal` holds `records`.
    pub(super) fn new(
        unit: Unit,
        task: Task<'a>,
        journal: Journal<Record>,
        records: Vec<Record>,
    ) -> Self {
        let Unit { inferencer, samples, .. } = unit;
        let mut open: Vec<Option<OpenSample>> =
            samples.into_iter().map(|sample| Some(OpenSample::new(sample))).collect();
        for record in &records {
            if let Some(sample) = open.get_mut(record.id) {
                *sample = None;
            }
        }
        let written = records.len();
        Self { task, inferencer, open, records, written, journal }
    }

    /// Samples without a record.
    pub(super) fn unanswered(&self) -> usize {
        self.open.iter().flatten().count()
    }

    /// Hears an answer; whether the sample is finished with it.
    fn hear(&mut self, sample: usize, prompt: usize, answer: Answer) -> bool {
        if let Some(open) = self.open.get_mut(sample).and_then(Option::as_mut) {
            open.hear(prompt, answer, &*self.inferencer, &self.task);
        }
        self.finish_sample(sample)
    }

    /// Makes the record of a sample about which there is nothing more to ask; whether it is one.
    fn finish_sample(&mut self, sample: usize) -> bool {
        let Some(finished) =
            self.open.get_mut(sample).and_then(|open| open.take_if(|open| open.is_answered()))
        else {
            return false;
        };
        self.records.push(finished.record(&*self.inferencer, &self.task));
        true
    }

    /// Writes down what is finished.
    fn write(&mut self) -> Result<(), StoreError> {
        self.journal.append(&self.records[self.written..])?;
        self.written = self.records.len();
        Ok(())
    }

    /// The records in the order of the samples, on disk too.
    pub(super) fn finish(self) -> Result<Vec<Record>, StoreError> {
        let Self { mut records, mut journal, .. } = self;
        if !records.is_sorted_by_key(|record| record.id) {
            records.sort_by_key(|record| record.id);
            journal.replace(&records)?;
        }
        Ok(records)
    }
}

/// A sample that is being asked about.
struct OpenSample {
    prepared: Prepared,
    /// One for each of the first prompts.
    answers: Vec<Answer>,
    /// Those to the prompts after them, as far as they are there.
    coming: Vec<Option<Answer>>,
    /// Why its next prompt cannot be written.
    failure: Option<InferError>,
}

impl OpenSample {
    fn new(prepared: Prepared) -> Self {
        Self { prepared, answers: Vec::new(), coming: Vec::new(), failure: None }
    }

    /// The prompts that wait for an answer, with their indices.
    fn waiting(&self) -> impl Iterator<Item = (usize, &PreparedPrompt)> {
        self.prepared.prompts.iter().enumerate().skip(self.answers.len())
    }

    fn is_answered(&self) -> bool {
        self.answers.len() == self.prepared.prompts.len()
    }

    /// Takes the answer to a waiting prompt; after the last of them, finds out what to ask next.
    fn hear(
        &mut self,
        prompt: usize,
        answer: Answer,
        inferencer: &dyn Inferencer,
        task: &Task<'_>,
    ) {
        let (first, prompts) = (self.answers.len(), self.prepared.prompts.len());
        self.coming.resize(prompts - first, None);
        if let Some(place) = prompt.checked_sub(first).and_then(|place| self.coming.get_mut(place))
        {
            *place = Some(answer);
        }
        if self.coming.iter().any(Option::is_none) {
            return;
        }
        self.answers.extend(self.coming.drain(..).flatten());
        match inferencer.next(task, &self.prepared, &self.answers) {
            Ok(next) => self.prepared.prompts.extend(next),
            Err(error) => self.failure = Some(error),
        }
    }

    fn record(self, inferencer: &dyn Inferencer, task: &Task<'_>) -> Record {
        let Self { prepared, answers, failure, .. } = self;
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

/// Whose prompt a request is.
#[derive(Clone, Copy)]
struct Place {
    assignment: usize,
    sample: usize,
    prompt: usize,
}

/// What hears the engine.
struct Desk<'w, 'a> {
    assignments: &'w mut [Assignment<'a>],
    progress: &'w dyn Progress,
    unwritten_tokens: usize,
    unwritten_records: usize,
    /// The first record that could not be written.
    failure: Option<StoreError>,
}

impl Desk<'_, '_> {
    fn computed(&mut self, tokens: usize) {
        self.progress.tokens(tokens);
        self.unwritten_tokens += tokens;
    }

    fn hear(&mut self, place: Place, answer: Answer) {
        let Place { assignment, sample, prompt } = place;
        if self.assignments[assignment].hear(sample, prompt, answer) {
            self.unwritten_records += 1;
        }
        if self.unwritten_records >= UNWRITTEN_RECORDS || self.unwritten_tokens >= UNWRITTEN_TOKENS
        {
            self.write();
        }
    }

    fn write(&mut self) {
        let records = std::mem::take(&mut self.unwritten_records);
        self.unwritten_tokens = 0;
        for assignment in &mut *self.assignments {
            if self.failure.is_none()
                && let Err(error) = assignment.write()
            {
                self.failure = Some(error);
            }
        }
        // Whoever stops the run is told how much is kept: only what is written counts.
        if self.failure.is_none() {
            self.progress.samples(records);
        }
    }
}

/// Answers every sample that has no record.
pub(super) fn answer_all(
    fleet: &Fleet,
    assignments: &mut [Assignment<'_>],
    progress: &dyn Progress,
) -> Result<(), RunError> {
    loop {
        let (mut scores, mut scored) = (Vec::new(), Vec::new());
        let (mut generations, mut generated) = (Vec::new(), Vec::new());
        for (index, assignment) in assignments.iter_mut().enumerate() {
            // A dialogue without a turn has no prompt.
            for sample in 0..assignment.open.len() {
                progress.samples(assignment.finish_sample(sample).into());
            }
            for (sample, open) in assignment.open.iter().enumerate() {
                for (prompt, text) in open.iter().flat_map(OpenSample::waiting) {
                    let place = Place { assignment: index, sample, prompt };
                    match assignment.inferencer.request(text) {
                        Request::Score(request) => {
                            scores.push(request);
                            scored.push(place);
                        }
                        Request::Generate(request) => {
                            generations.push(request);
                            generated.push(place);
                        }
                    }
                }
            }
        }
        if scores.is_empty() && generations.is_empty() {
            return Ok(());
        }
        let desk = RefCell::new(Desk {
            assignments: &mut *assignments,
            progress,
            unwritten_tokens: 0,
            unwritten_records: 0,
            failure: None,
        });
        fleet.score_each(
            &scores,
            &mut |tokens| desk.borrow_mut().computed(tokens),
            &mut |index, answer| {
                desk.borrow_mut().hear(scored[index], heard(answer, Answer::Score));
            },
        );
        fleet.generate_each(
            &generations,
            &mut |tokens| desk.borrow_mut().computed(tokens),
            &mut |index, answer| {
                let answer = heard(answer, Answer::Generation);
                desk.borrow_mut().hear(generated[index], answer);
            },
        );
        let mut desk = desk.into_inner();
        desk.write();
        if let Some(error) = desk.failure {
            return Err(error.into());
        }
    }
}

fn heard<T, E: std::fmt::Display>(answer: Result<T, E>, kind: fn(T) -> Answer) -> Answer {
    answer.map_or_else(|error| Answer::Failed(error.to_string()), kind)
}
