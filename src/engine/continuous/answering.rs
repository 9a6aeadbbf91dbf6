//! From requests to passes and back, for as long as requests come.

use std::collections::BTreeMap;
use std::sync::mpsc::Receiver;

use super::{ContinuousRequest, ContinuousStatus, Event};
use crate::engine::error::RequestError;
use crate::engine::executor::{NextToken, RowQuery, RowReply, TokenRule};
use crate::engine::plan::{ContinuousBatch, ContinuousSchedule, ContinuousWork, RowUse};
use crate::engine::request::{FinishReason, Generation};
use crate::engine::sequence::Sequence;
use crate::engine::session::{Remedy, Session};
use crate::engine::{Engine, Sampling};

/// Requests that are waiting or computed, and what they are computed with.
pub(super) struct Answering<'e, 's, 'w> {
    engine: &'e Engine,
    session: &'w mut Session<'s>,
    schedule: ContinuousSchedule,
    asked: BTreeMap<usize, Asked>,
    generated_tokens: usize,
}

/// A request that is not answered yet.
struct Asked {
    request: ContinuousRequest,
    /// `None` where nothing is to be chosen.
    sequence: Option<Sequence>,
}

impl<'e, 's, 'w> Answering<'e, 's, 'w> {
    pub(super) fn new(engine: &'e Engine, session: &'w mut Session<'s>) -> Self {
        let schedule = ContinuousSchedule::new(&session.pool, engine.options.live_sequences);
        Self { engine, session, schedule, asked: BTreeMap::new(), generated_tokens: 0 }
    }

    /// Until the inbox is closed and all are answered.
    pub(super) fn until_closed(
        mut self,
        inbox: &Receiver<ContinuousRequest>,
        watch: &mut dyn FnMut(ContinuousStatus),
    ) {
        loop {
            if self.asked.is_empty() {
                match inbox.recv() {
                    Ok(request) => self.take_up(request),
                    Err(_) => return,
                }
            }
            while let Ok(request) = inbox.try_recv() {
                self.take_up(request);
            }
            self.let_go();
            self.pass();
            watch(self.status());
        }
    }

    fn status(&self) -> ContinuousStatus {
        let pool = &self.session.pool;
        ContinuousStatus {
            waiting: self.schedule.waiting(),
            running: self.schedule.running(),
            computed_tokens: self.session.statistics.computed_tokens,
            reused_tokens: self.schedule.reused_tokens(),
            generated_tokens: self.generated_tokens,
            cached_tokens: self.schedule.cached_tokens(),
            kv_bytes: (pool.capacity() - pool.free_blocks()) * self.session.bytes_per_block,
            batches: self.session.statistics.batches,
        }
    }

    /// Takes up a request, or says why not.
    fn take_up(&mut self, mut request: ContinuousRequest) {
        let generate = &request.generate;
        let chooses = generate.max_new_tokens > 0;
        let context_tokens = self.engine.continuous_context_tokens();
        let checked = self.engine.check(&generate.ids, usize::from(!chooses)).and_then(|()| {
            let tokens = generate.ids.len() + generate.max_new_tokens;
            let longest = context_tokens + usize::from(!chooses);
            if tokens > longest {
                return Err(RequestError::TooLong { tokens, context_tokens });
            }
            Ok(())
        });
        if let Err(error) = checked {
            return request.listener.hear(Event::Ended(Err(error)));
        }
        let sequence = chooses.then(|| Sequence::new(generate, context_tokens));
        let tokens = generate.ids.len() + generate.max_new_tokens;
        self.session.statistics.nominal_tokens += generate.ids.len();
        let work = ContinuousWork {
            ids: generate.ids.clone(),
            first_target: request.scored.map(|scored| scored.first_target),
            ranked: request.scored.map_or(0, |scored| scored.ranked),
            new_tokens: generate.max_new_tokens,
        };
        match self.schedule.push(work) {
            Ok(number) => _ = self.asked.insert(number, Asked { request, sequence }),
            Err(oversized) => {
                let error = self.session.refusal(oversized, tokens);
                request.listener.hear(Event::Ended(Err(error)));
            }
        }
    }

    /// Lets go of requests whose answer nobody wants any more.
    fn let_go(&mut self) {
        let gone = self.asked.iter().filter(|(_, asked)| asked.request.listener.is_gone());
        let gone: Vec<usize> = gone.map(|(&number, _)| number).collect();
        for number in gone {
            self.asked.remove(&number);
            self.schedule.finish(number);
        }
    }

    /// Computes a pass and tells what comes out of it.
    fn pass(&mut self) {
        let (batch, answered) = self.schedule.next_batch(self.session.batch_tokens);
        for number in answered {
            self.tell_scores(number);
        }
        if batch.rows.is_empty() {
            return;
        }
        let rows = batch.rows.len();
        let queries: Vec<RowQuery<'_>> = batch
            .uses
            .iter()
            .map(|&(row, number, what)| query(self.engine, self.asked.get(&number), row, what))
            .collect();
        match self.session.replies(&batch.rows, &queries) {
            Ok(replies) => {
                drop(queries);
                self.session.computed(rows);
                self.take_in(batch, replies);
            }
            Err(error) => {
                drop(queries);
                match self.session.failed(rows, error) {
                    Remedy::Retry => self.schedule.put_back(batch),
                    Remedy::GiveUp(error) => {
                        for number in self.schedule.give_up(batch) {
                            self.end(number, Err(error.clone()));
                        }
                    }
                }
            }
        }
    }

    /// Takes in what a pass says.
    fn take_in(&mut self, batch: ContinuousBatch, replies: Vec<RowReply>) {
        let mut chosen = Vec::new();
        for (&(_, number, what), reply) in batch.uses.iter().zip(replies) {
            match (what, reply) {
                (RowUse::Target { position, .. }, RowReply { score: Some(score), .. }) => {
                    self.session.statistics.scored_tokens += 1;
                    self.schedule.learn(number, position, score);
                }
                (RowUse::Target { .. }, _) => {}
                (RowUse::Next, reply) => chosen.push((number, reply)),
            }
        }
        for number in self.schedule.computed(batch) {
            self.tell_scores(number);
        }
        for (number, reply) in chosen {
            self.choose(number, reply);
        }
    }

    /// Tells the scores of a prompt that is done, and ends what is only scored.
    fn tell_scores(&mut self, number: usize) {
        let scores = self.schedule.scores(number);
        let Some(asked) = self.asked.get_mut(&number) else { return };
        if scores.iter().any(|score| !score.nats.is_finite()) {
            let error = self.engine.not_finite(&asked.request.generate.ids);
            return self.end(number, Err(error));
        }
        if asked.request.scored.is_some() {
            asked.request.listener.hear(Event::Scored(scores));
        }
        if asked.sequence.is_none() {
            let nothing =
                Generation { ids: Vec::new(), text: String::new(), finish: FinishReason::Length };
            self.end(number, Ok(nothing));
        }
    }

    /// Takes up a token that was chosen.
    fn choose(&mut self, number: usize, reply: RowReply) {
        let Some(asked) = self.asked.get_mut(&number) else { return };
        let Some(sequence) = &mut asked.sequence else { return };
        let (tokenizer, eos_ids) = (&self.engine.model.tokenizer, &self.engine.eos_ids);
        let RowReply { token: Some(id), score } = reply else {
            let error = self.engine.not_finite(&sequence.ids());
            return self.end(number, Err(error));
        };
        self.generated_tokens += 1;
        let is_end = eos_ids.contains(&id);
        asked.request.listener.hear(Event::Token { id, is_end, score });
        match sequence.push(id, eos_ids, tokenizer) {
            Ok(None) => self.schedule.go_on(number, id),
            Ok(Some(finish)) => {
                let generation = asked.sequence.take().map(|own| own.finish(finish, tokenizer));
                if let Some(generation) = generation {
                    self.end(number, generation);
                }
            }
            Err(error) => self.end(number, Err(RequestError::Compute(error.to_string()))),
        }
    }

    /// Ends a request.
    fn end(&mut self, number: usize, answer: Result<Generation, RequestError>) {
        self.schedule.finish(number);
        if let Some(mut asked) = self.asked.remove(&number) {
            asked.request.listener.hear(Event::Ended(answer));
        }
    }
}

/// What a row is asked.
fn query<'a>(
    engine: &'a Engine,
    asked: Option<&'a Asked>,
    row: usize,
    what: RowUse,
) -> RowQuery<'a> {
    match what {
        RowUse::Target { token, .. } => {
            let scored = asked.and_then(|asked| asked.request.scored);
            let ranked = Some(scored.map_or(0, |scored| scored.ranked));
            RowQuery { row, next: NextToken::Known(token), ranked }
        }
        RowUse::Next => {
            let sequence = asked.and_then(|asked| asked.sequence.as_ref());
            let rule = sequence.map(|sequence| TokenRule {
                banned: sequence.banned(&engine.eos_ids),
                sampling: sequence
                    .sampling()
                    .filter(|sampling: &&Sampling| !sampling.is_greedy())
                    .map(|sampling| (sampling, sequence.generated_tokens())),
            });
            RowQuery {
                row,
                next: NextToken::Chosen(rule.unwrap_or_default()),
                ranked: asked.and_then(|asked| asked.request.ranked),
            }
        }
    }
}
