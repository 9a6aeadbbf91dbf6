//! Asking a model whatever the store has no answer to.
//!
//! Everything that is asked of a model is asked together, whatever data set it belongs to, because the
//! engine computes what questions have in common once, and each question is asked once however many samples
//! have it. Answers go to the store's writer as they come; what a dialogue asks next is found out when the
//! questions before it are answered. Questions that another process has claimed are waited for.

use std::collections::{HashMap, HashSet, VecDeque};

use rayon::prelude::*;

use super::{
    assignment::{Assignment, PromptPlace},
    shard::{Sharing, StopSign},
};
use crate::{
    answer::{
        Answer, AnswerEvent, Answered, Answerer, ModelIdentity, Question, QuestionKey, ServedScore,
    },
    engine::Score,
    infer::{Inferencer, PreparedPrompt},
    kept_run::{RunError, WorkDone},
    prepare::Progress,
    store::{AnswerWriter, Store},
};

/// A question that waits, and everybody who has it.
struct Waiting {
    key: QuestionKey,
    question: Question,
    places: Vec<PromptPlace>,
}

/// What asking needs to know.
pub(super) struct Asking<'r> {
    pub(super) store: &'r mut Store,
    pub(super) writer: &'r mut AnswerWriter,
    pub(super) model: &'r ModelIdentity,
    /// Whether answers that are there do not count.
    pub(super) is_fresh: bool,
    /// Other shards, where the run is one of several or their merge.
    pub(super) sharing: Option<&'r mut Sharing>,
    pub(super) progress: &'r dyn Progress,
}

impl Asking<'_> {
    /// Answers every question of all samples. `answerer` is only called if there is something that the
    /// store has no answer to.
    pub(super) fn answer_all(
        mut self,
        assignments: &mut [Assignment<'_>],
        answerer: &mut dyn FnMut() -> Result<Box<dyn Answerer>, RunError>,
    ) -> Result<WorkDone, RunError> {
        let mut done = WorkDone::default();
        let mut answering: Option<Box<dyn Answerer>> = None;
        let mut computed_before = 0;
        // Answered by this run: with `is_fresh`, the only ones that count.
        let mut own_answers: HashSet<QuestionKey> = HashSet::new();
        // Have a row that could not be read.
        let mut unreadable: HashSet<QuestionKey> = HashSet::new();
        let mut seen: HashSet<QuestionKey> = HashSet::new();
        let mut reused: HashSet<QuestionKey> = HashSet::new();
        let mut notified = 0;
        loop {
            self.finish(assignments);
            let waiting = waiting(assignments, self.model);
            if waiting.is_empty() {
                break;
            }
            let mut unknown = Vec::new();
            for one in waiting {
                done.questions += usize::from(seen.insert(one.key));
                let counts = !self.is_fresh || own_answers.contains(&one.key);
                match if counts { self.store.answer(&one.key)? } else { None } {
                    Some(known) => {
                        if !own_answers.contains(&one.key) {
                            done.reused_questions += usize::from(reused.insert(one.key));
                            done.reused_tokens += tokens(&known);
                        }
                        deliver(assignments, &one.places, &light(&known.answer));
                    }
                    None => unknown.push(one),
                }
            }
            if unknown.is_empty() || self.take_from_others(&mut unknown, assignments)? {
                continue;
            }
            // What was known counts before the first answer comes: somebody may stop the run meanwhile.
            self.finish(assignments);
            let wanted: Vec<(QuestionKey, bool)> = unknown
                .iter()
                .map(|one| (one.key, self.is_fresh || unreadable.contains(&one.key)))
                .collect();
            let claimed = self.store.claim(&wanted)?;
            if claimed.own.is_empty() {
                for index in claimed.others {
                    let key = wanted[index].0;
                    if !self.wait_for(&key, wanted.len(), &mut notified)? {
                        unreadable.insert(key);
                    }
                }
                continue;
            }
            let mut is_own = vec![false; unknown.len()];
            claimed.own.iter().for_each(|&index| is_own[index] = true);
            let own: Vec<Waiting> = unknown
                .into_iter()
                .zip(is_own)
                .filter_map(|(one, own)| own.then_some(one))
                .collect();
            own_answers.extend(own.iter().map(|one| one.key));
            let answerer = if let Some(answerer) = answering.take() {
                answerer
            } else {
                let answerer = answerer()?;
                computed_before = answerer.statistics().computed_tokens;
                answerer
            };
            self.ask(&*answerer, &own, assignments)?;
            answering = Some(answerer);
        }
        if let Some(answerer) = answering {
            done.computed_tokens = answerer.statistics().computed_tokens - computed_before;
        }
        Ok(done)
    }

    /// Takes what other shards have found out about questions; those that they have failed at are no longer waiting.
    /// Whether there is something new.
    ///
    /// # Errors
    /// This process is to end, or nothing is to be asked of a model and something is left.
    fn take_from_others(
        &mut self,
        unknown: &mut Vec<Waiting>,
        assignments: &mut [Assignment<'_>],
    ) -> Result<bool, RunError> {
        let Some(sharing) = &mut self.sharing else { return Ok(false) };
        let keys: Vec<QuestionKey> = unknown.iter().map(|one| one.key).collect();
        let writer = &*self.writer;
        let taken = sharing.take(&keys, &mut |index, answer| {
            writer.put(keys[index], unknown[index].question.clone(), answer);
        })?;
        if taken > 0 {
            self.writer.flush()?;
            return Ok(true);
        }
        unknown.retain(|one| {
            let failure = sharing.known_failure(&one.key);
            if let Some(error) = failure {
                deliver(assignments, &one.places, &Answer::Failed(error.to_owned()));
            }
            failure.is_none()
        });
        if unknown.is_empty() {
            return Ok(true);
        }
        if sharing.is_stopped() {
            return Err(RunError::ShardStopped);
        }
        if sharing.asks() {
            return Ok(false);
        }
        Err(RunError::ShardsLack { questions: unknown.len() })
    }

    /// Asks questions that nobody else asks.
    fn ask(
        &mut self,
        answerer: &dyn Answerer,
        own: &[Waiting],
        assignments: &mut [Assignment<'_>],
    ) -> Result<(), RunError> {
        let questions: Vec<Question> = own.iter().map(|one| one.question.clone()).collect();
        // How many answers a sample still waits for: the bar counts it with the last one. What a dialogue
        // asks next is not known yet.
        let mut open: HashMap<(usize, usize), usize> = HashMap::new();
        for place in own.iter().flat_map(|one| &one.places) {
            let sample = &mut assignments[place.assignment].samples[place.sample];
            if sample.prepared.dialogue.is_none() {
                sample.is_counted = true;
                *open.entry((place.assignment, place.sample)).or_default() += 1;
            }
        }
        let (writer, progress) = (&*self.writer, self.progress);
        let stop = self.sharing.as_ref().map(|sharing| sharing.stop_sign());
        let is_stopped = || stop.as_ref().is_some_and(StopSign::is_raised);
        let written_before = writer.committed();
        // After how many answers each sample was complete: what is told as kept is on disk.
        let mut complete: VecDeque<usize> = VecDeque::new();
        let mut answers: Vec<(usize, Answer)> = Vec::with_capacity(own.len());
        answerer.answer(&questions, &mut |event| match event {
            AnswerEvent::Computed(tokens) => {
                progress.tokens(tokens);
                if is_stopped() {
                    answerer.stop();
                }
            }
            AnswerEvent::Answered(index, answer) => {
                answers.push((index, light(&answer)));
                writer.put(own[index].key, own[index].question.clone(), answer);
                if writer.has_failed() {
                    answerer.stop();
                }
                for place in &own[index].places {
                    if let Some(left) = open.get_mut(&(place.assignment, place.sample)) {
                        *left -= 1;
                        complete.extend((*left == 0).then_some(answers.len()));
                    }
                }
                let written = writer.committed() - written_before;
                while complete.pop_front_if(|after| *after <= written).is_some() {
                    progress.samples(1);
                }
            }
        });
        self.writer.flush()?;
        if is_stopped() {
            // What is not answered now has not failed.
            return Err(RunError::ShardStopped);
        }
        self.progress.samples(complete.len());
        if let Some(sharing) = &mut self.sharing {
            for (index, answer) in &answers {
                if let Answer::Failed(error) = answer {
                    sharing.note_failure(own[*index].key, error.clone());
                }
            }
        }
        for (index, answer) in answers {
            deliver(assignments, &own[index].places, &answer);
        }
        Ok(())
    }

    /// Waits while another process is about to answer a question; whether one was.
    fn wait_for(
        &self,
        key: &QuestionKey,
        waiting: usize,
        notified: &mut u32,
    ) -> Result<bool, RunError> {
        let mut waited = false;
        while let Some(process) = self.store.claimant(key)? {
            if *notified != process {
                *notified = process;
                self.progress.note(&format!(
                    "waiting for process {process}, which computes {waiting} of these answers"
                ));
            }
            waited = true;
            self.store.wait();
        }
        // Without a claim there is an answer, or there was one that cannot be read.
        Ok(waited || self.store.answer(key)?.is_some())
    }

    /// Goes on with every sample whose questions are answered.
    fn finish(&self, assignments: &mut [Assignment<'_>]) {
        for assignment in assignments {
            for sample in 0..assignment.samples.len() {
                let is_finished = assignment.go_on(sample);
                let is_counted = assignment.samples[sample].is_counted;
                self.progress.samples(usize::from(is_finished && !is_counted));
            }
        }
    }
}

/// Every prompt without an answer, each question once.
fn waiting(assignments: &mut [Assignment<'_>], model: &ModelIdentity) -> Vec<Waiting> {
    let mut waiting: Vec<Waiting> = Vec::new();
    let mut known: HashMap<QuestionKey, usize> = HashMap::new();
    for (index, assignment) in assignments.iter_mut().enumerate() {
        let Assignment { inferencer, samples, .. } = assignment;
        let inferencer = &**inferencer;
        // Hashing tens of millions of ids is worth all cores.
        samples.par_iter_mut().filter(|sample| !sample.is_finished).for_each(|sample| {
            for prompt in &sample.prepared.prompts[sample.questions.len()..] {
                sample.questions.push(question(inferencer, prompt, model).key(model));
                sample.answers.push(None);
            }
        });
        for (place, own) in samples.iter().enumerate().filter(|(_, own)| !own.is_finished) {
            for (prompt, answer) in own.answers.iter().enumerate() {
                if answer.is_some() {
                    continue;
                }
                let (key, prompt_place) = (
                    own.questions[prompt],
                    PromptPlace { assignment: index, sample: place, prompt },
                );
                if let Some(&at) = known.get(&key) {
                    waiting[at].places.push(prompt_place);
                } else {
                    known.insert(key, waiting.len());
                    let question = question(inferencer, &own.prepared.prompts[prompt], model);
                    waiting.push(Waiting { key, question, places: vec![prompt_place] });
                }
            }
        }
    }
    waiting
}

/// What is asked about a prompt: about its ids, or of a model behind a server about its text.
fn question(
    inferencer: &dyn Inferencer,
    prompt: &PreparedPrompt,
    model: &ModelIdentity,
) -> Question {
    let question = inferencer.question(prompt);
    if model.is_served { prompt.served(&question) } else { question }
}

fn deliver(assignments: &mut [Assignment<'_>], places: &[PromptPlace], answer: &Answer) {
    for place in places {
        assignments[place.assignment].hear(*place, answer.clone());
    }
}

/// Tokens that the question of an answer has, as far as they are known.
fn tokens(known: &Answered) -> usize {
    match &known.answer {
        Answer::ServedScore(own) => own.tokens.len(),
        Answer::ServedText(own) => own.prompt_tokens.unwrap_or(0),
        _ => known.ids.len(),
    }
}

/// An answer without its surprisals, which nothing asks for before evaluation.
fn light(answer: &Answer) -> Answer {
    match answer {
        Answer::Score(_) => Answer::Score(Score::default()),
        Answer::ServedScore(_) => Answer::ServedScore(ServedScore::default()),
        other => other.clone(),
    }
}
