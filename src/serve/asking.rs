//! The way from a body to the engine and back: sequences that are asked together, and what is heard of each.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    time::{Instant, timeout_at},
};

use super::problem::Problem;
use crate::engine::{
    GenerateRequest, Generation, TokenScore,
    continuous::{ContinuousRequest, Event, Listener, ScoredPrompt},
};

/// One sequence, as it is asked.
#[derive(Clone, Debug)]
pub(super) struct SequenceRequest {
    pub(super) generate: GenerateRequest,
    pub(super) scored: Option<ScoredPrompt>,
    pub(super) ranked: Option<usize>,
}

/// A place among the sequences that wait or are computed; free again when it is dropped.
#[derive(Debug)]
struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Hears of one sequence.
struct SequenceListener {
    index: usize,
    events: UnboundedSender<(usize, Event)>,
    _place: Place,
}

impl Listener for SequenceListener {
    fn hear(&mut self, event: Event) {
        // Whoever asked may be gone.
        _ = self.events.send((self.index, event));
    }

    fn is_gone(&self) -> bool {
        self.events.is_closed()
    }
}

/// Sequences that were asked together. When it is dropped, nothing more is computed for them.
#[derive(Debug)]
pub(super) struct Asked {
    events: UnboundedReceiver<(usize, Event)>,
    count: usize,
    ended: usize,
    deadline: Instant,
    seconds: u64,
}

/// What was heard of one sequence when it has ended.
#[derive(Clone, Debug)]
pub(super) struct AnsweredSequence {
    /// Of the prompt's tokens from the second on.
    pub(super) scores: Vec<TokenScore>,
    /// What was written, the token that ended it included.
    pub(super) tokens: Vec<(u32, Option<TokenScore>)>,
    pub(super) generation: Generation,
}

impl Asked {
    /// Makes requests for the engine of `sequences`, if places for all of them are left among `most`; `open` are taken.
    pub(super) fn prepare(
        sequences: Vec<SequenceRequest>,
        open: &Arc<AtomicUsize>,
        most: usize,
        seconds: u64,
    ) -> Result<(Self, Vec<ContinuousRequest>), Problem> {
        let count = sequences.len();
        let taken = open.fetch_add(count, Ordering::Relaxed);
        // From here on each of them is given back with its place.
        let places: Vec<Place> = (0..count).map(|_| Place(Arc::clone(open))).collect();
        if taken + count > most {
            return Err(Problem::busy(taken));
        }
        let (sender, events) = unbounded_channel();
        let requests = sequences.into_iter().zip(places).enumerate();
        let requests = requests.map(|(index, (sequence, place))| ContinuousRequest {
            generate: sequence.generate,
            scored: sequence.scored,
            ranked: sequence.ranked,
            listener: Box::new(SequenceListener { index, events: sender.clone(), _place: place }),
        });
        let deadline = Instant::now() + Duration::from_secs(seconds);
        let asked = Self { events, count, ended: 0, deadline, seconds };
        Ok((asked, requests.collect()))
    }

    /// What is heard next, and of which sequence; `None` once all have ended.
    pub(super) async fn next(&mut self) -> Option<Result<(usize, Event), Problem>> {
        if self.ended == self.count {
            return None;
        }
        let heard = timeout_at(self.deadline, self.events.recv()).await;
        Some(match heard {
            Err(_) => Err(Problem::out_of_time(self.seconds)),
            Ok(None) => Err(Problem::failed("the engine has stopped")),
            Ok(Some((_, Event::Ended(Err(error))))) => Err(Problem::of(&error)),
            Ok(Some((index, event))) => {
                self.ended += usize::from(matches!(event, Event::Ended(_)));
                Ok((index, event))
            }
        })
    }

    /// Everything, once all have ended.
    pub(super) async fn answers(mut self) -> Result<Vec<AnsweredSequence>, Problem> {
        let empty = || (Vec::new(), Vec::new(), None);
        let mut heard: Vec<(Vec<TokenScore>, Vec<_>, Option<Generation>)> =
            (0..self.count).map(|_| empty()).collect();
        while let Some(event) = self.next().await {
            let (index, event) = event?;
            let (scores, tokens, generation) = &mut heard[index];
            match event {
                Event::Scored(known) => *scores = known,
                Event::Token { id, score, .. } => tokens.push((id, score)),
                Event::Ended(ended) => *generation = ended.ok(),
            }
        }
        let answer = |(scores, tokens, generation): (_, _, Option<Generation>)| {
            let generation = generation.ok_or_else(|| Problem::failed("a sequence has no end"))?;
            Ok(AnsweredSequence { scores, tokens, generation })
        };
        heard.into_iter().map(answer).collect()
    }
}
