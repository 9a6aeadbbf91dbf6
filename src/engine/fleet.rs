//! The same model on several devices.
//!
//! Each device has an engine of its own, and each engine a share of the requests: a stretch of them in
//! the order of their tokens, so that what requests have in common is computed on one device, cut
//! where neighbours have least in common. Nothing is exchanged while they compute, and since an answer
//! never depends on what else is asked, it does not depend on how many devices there are. Every
//! engine has the whole model; where that lies on several devices (`model/layer_split`), there is one engine.

use std::ops::Range;
use std::sync::{Arc, mpsc};
use std::thread;

use super::error::RequestError;
use super::{
    Engine, EngineStatistics, GenerateRequest, Generation, RowKeeper, Score, ScoreRequest,
};

/// A share may be this much larger than an even one where that leaves more in common.
const SLACK: f64 = 0.05;

/// Engines with the same model, one for each device.
#[derive(Clone, Debug)]
pub struct Fleet {
    engines: Vec<Engine>,
}

/// What a worker tells.
enum Event<T> {
    Computed(usize),
    Answered(usize, Result<T, RequestError>),
}

impl Fleet {
    /// Shares requests between `engines`; with none of them no request is answered.
    pub fn new(engines: Vec<Engine>) -> Self {
        Self { engines }
    }

    /// As [`Engine::with_row_keeper`], all of them.
    pub fn with_row_keeper<K: RowKeeper + 'static>(self, keeper: &Arc<K>) -> Self {
        let own = |engine: Engine| engine.with_row_keeper(Arc::clone(keeper) as Arc<dyn RowKeeper>);
        Self { engines: self.engines.into_iter().map(own).collect() }
    }

    /// What all engines have done so far; peaks are those of the engine that had the highest.
    pub fn statistics(&self) -> EngineStatistics {
        let statistics = self.engines.iter().map(Engine::statistics);
        statistics.reduce(EngineStatistics::and).unwrap_or_default()
    }

    /// As [`Engine::stop`], all of them.
    pub fn stop(&self) {
        self.engines.iter().for_each(Engine::stop);
    }

    /// As [`Engine::score_each`], but answers come in no particular order.
    pub fn score_each(
        &self,
        requests: &[ScoreRequest],
        progress: &mut dyn FnMut(usize),
        answer: &mut dyn FnMut(usize, Result<Score, RequestError>),
    ) {
        if let [engine] = self.engines.as_slice() {
            return engine.score_each(requests, progress, answer);
        }
        let shares = shares(self.engines.len(), requests.len(), |index| Work {
            ids: &requests[index].ids,
            new_tokens: 0,
        });
        self.spread(requests, shares, progress, answer, Engine::score_each);
    }

    /// As [`Engine::generate_each`], but answers come in no particular order.
    pub fn generate_each(
        &self,
        requests: &[GenerateRequest],
        progress: &mut dyn FnMut(usize),
        answer: &mut dyn FnMut(usize, Result<Generation, RequestError>),
    ) {
        if let [engine] = self.engines.as_slice() {
            return engine.generate_each(requests, progress, answer);
        }
        let shares = shares(self.engines.len(), requests.len(), |index| Work {
            ids: &requests[index].ids,
            new_tokens: requests[index].max_new_tokens,
        });
        self.spread(requests, shares, progress, answer, Engine::generate_each);
    }

    /// Has every engine answer its share on a thread of its own; this thread hears all of them.
    fn spread<R: Clone + Sync, T: Send>(
        &self,
        requests: &[R],
        shares: Vec<Vec<usize>>,
        progress: &mut dyn FnMut(usize),
        answer: &mut dyn FnMut(usize, Result<T, RequestError>),
        ask: impl Fn(
            &Engine,
            &[R],
            &mut dyn FnMut(usize),
            &mut dyn FnMut(usize, Result<T, RequestError>),
        ) + Sync,
    ) {
        let (sender, events) = mpsc::channel();
        let ask = &ask;
        thread::scope(|scope| {
            for (engine, share) in self.engines.iter().zip(shares) {
                let sender = sender.clone();
                scope.spawn(move || {
                    let own: Vec<R> = share.iter().map(|&index| requests[index].clone()).collect();
                    // The thread that hears lives as long as this one.
                    let tell = |event| drop(sender.send(event));
                    ask(
                        engine,
                        &own,
                        &mut |tokens| tell(Event::Computed(tokens)),
                        &mut |place, heard| tell(Event::Answered(share[place], heard)),
                    );
                });
            }
            drop(sender);
            for event in events {
                match event {
                    Event::Computed(tokens) => progress(tokens),
                    Event::Answered(index, heard) => answer(index, heard),
                }
            }
        });
    }
}

/// What a request costs.
struct Work<'a> {
    ids: &'a [u32],
    /// Tokens that follow them.
    new_tokens: usize,
}

/// The requests of each of `workers` engines, about equal in the tokens that have to be computed.
fn shares<'a>(workers: usize, count: usize, work: impl Fn(usize) -> Work<'a>) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&one, &other| work(one).ids.cmp(work(other).ids));
    // What a request has in common with the one before it is computed for that one.
    let common: Vec<usize> = order
        .iter()
        .enumerate()
        .map(|(place, &index)| match place.checked_sub(1).map(|before| work(order[before]).ids) {
            None => 0,
            Some(before) => {
                work(index).ids.iter().zip(before).take_while(|(one, other)| one == other).count()
            }
        })
        .collect();
    let mut spent = vec![0; count + 1];
    for (place, &index) in order.iter().enumerate() {
        let Work { ids, new_tokens } = work(index);
        spent[place + 1] = spent[place] + ids.len() - common[place] + new_tokens;
    }
    let total = spent[count] as f64;
    let mut first = 0;
    (1..=workers)
        .map(|worker| {
            let part = worker as f64 / workers as f64;
            let place = |tokens: f64| spent.partition_point(|&spent| (spent as f64) < tokens);
            let end = if worker == workers {
                count
            } else {
                let slack = SLACK * total / workers as f64;
                let nearby = place(part * total - slack)..place(part * total + slack) + 1;
                least_common(&common, nearby).max(first)
            };
            let share = order[first..end].to_vec();
            first = end;
            share
        })
        .collect()
}

/// The place of `nearby` where a request has least in common with the one before it.
fn least_common(common: &[usize], nearby: Range<usize>) -> usize {
    let places = nearby.start..nearby.end.min(common.len());
    places.min_by_key(|&place| common[place]).unwrap_or(common.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(workers: usize, texts: &[Vec<u32>]) -> Vec<Vec<usize>> {
        shares(workers, texts.len(), |index| Work { ids: &texts[index], new_tokens: 0 })
    }

    #[test]
    fn what_is_common_stays_together() {
        // Three subjects of 100 common tokens, in turns; the middle one has most questions.
        let text = |subject: u32, own: u32| [vec![subject; 100], vec![own; 3]].concat();
        let texts: Vec<Vec<u32>> = (0..30).map(|own| text(own % 3, own)).collect();
        let found = cut(3, &texts);
        for (subject, share) in found.iter().enumerate() {
            assert_eq!(share.len(), 10, "{found:?}");
            assert!(share.iter().all(|index| index % 3 == subject), "{found:?}");
        }
    }

    #[test]
    fn every_request_has_one_share() {
        for workers in 1..6 {
            for count in [0, 1, 2, 5, 40] {
                let texts: Vec<Vec<u32>> =
                    (0..count).map(|index| vec![index % 7; (index % 5) as usize]).collect();
                let found = cut(workers, &texts);
                assert_eq!(found.len(), workers);
                let mut all: Vec<usize> = found.concat();
                all.sort_unstable();
                assert_eq!(all, (0..texts.len()).collect::<Vec<_>>());
            }
        }
    }
}
