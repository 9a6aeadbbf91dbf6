//! From token paths to surprisals.

use std::collections::VecDeque;
use std::ops::Range;

use super::error::RequestError;
use super::executor::Reading;
use super::plan::{FittingTree, PathEnd, PrefixTree, ScoreBatch, ScoreSchedule, TokenPath, fit};
use super::session::{Remedy, Session};
use crate::ops::head::Surprisal;
use crate::pass_trace::{PassClock, PassPhase, PassSize, phase};

/// Stands where nothing is computed.
const MISSING: Surprisal = Surprisal { nats: f32::NAN, is_likeliest: false };

/// Hears the surprisals of each path's targets, as soon as they are known.
pub(super) type Listener<'l> = dyn FnMut(usize, Result<Vec<Surprisal>, RequestError>) + 'l;

/// Computes every distinct surprisal of `paths` once. Paths are answered in the order they are
/// finished.
///
/// A batch is begun before the one ahead of it is read, so a GPU never waits for the host.
pub(super) fn surprisals(
    session: &mut Session<'_>,
    paths: &[TokenPath<'_>],
    answer: &mut Listener<'_>,
) {
    let fitted = || fit(paths, PathEnd::Target, &session.pool, &|_| 0);
    let (trees, oversized) = phase(PassPhase::Plan, fitted);
    for sequence in oversized {
        let tokens = paths[sequence.member].ids.len();
        answer(sequence.member, Err(session.refusal(sequence, tokens)));
    }
    for FittingTree { tree, members } in trees {
        session.statistics.nominal_tokens += tree.nominal_tokens();
        session.statistics.scored_tokens += tree.scored_tokens();
        let mut schedule = ScoreSchedule::new(&tree, &session.pool);
        let mut answers = Answers::new(&tree, &members, answer);
        let mut begun: Option<BegunBatch> = None;
        while let Some(batch) = phase(PassPhase::Plan, || schedule.next_batch(session.batch_tokens))
        {
            let rows = batch.rows.len();
            let size = PassSize { rows, tokens: batch.targets.len() };
            let clock = PassClock::begin(size);
            match session.begin_surprisals(&batch.rows, &batch.targets) {
                Ok(read) => {
                    let finished_segments = schedule.finished_segments();
                    // Its blocks may be named again: what comes after it is done after it.
                    let ScoreBatch { slots, .. } = batch;
                    let next = BegunBatch { slots, rows, finished_segments, read, clock };
                    if let Some(before) = begun.take() {
                        answers.take_up(session, before);
                    }
                    if matches!(next.read, Reading::Known(_)) {
                        answers.take_up(session, next);
                    } else {
                        begun = Some(next);
                    }
                }
                Err(error) => {
                    clock.end();
                    match session.failed(rows, error) {
                        Remedy::Retry => schedule.put_back(batch),
                        Remedy::GiveUp(error) => {
                            if let Some(before) = begun.take() {
                                answers.take_up(session, before);
                            }
                            let segments = schedule.give_up(batch);
                            answers.tell(schedule.finished_segments(), Some(&(segments, &error)));
                        }
                    }
                }
            }
        }
        if let Some(last) = begun {
            answers.take_up(session, last);
        }
        answers.tell_needless();
    }
}

/// A batch whose results are not read yet.
struct BegunBatch {
    /// For each target, the index of its surprisal among those of all segments.
    slots: Vec<usize>,
    rows: usize,
    /// Segments that have all their surprisals once it is read.
    finished_segments: usize,
    read: Reading,
    clock: PassClock,
}

/// What is known of a tree's paths, and who hears it.
struct Answers<'t, 'a, 'l, 'h> {
    tree: &'t PrefixTree<'a>,
    members: &'t [usize],
    all: Vec<Surprisal>,
    /// In the order they are finished.
    unanswered: VecDeque<usize>,
    /// Why results are missing that were begun.
    lost: Option<RequestError>,
    answer: &'l mut Listener<'h>,
}

impl<'t, 'a, 'l, 'h> Answers<'t, 'a, 'l, 'h> {
    fn new(tree: &'t PrefixTree<'a>, members: &'t [usize], answer: &'l mut Listener<'h>) -> Self {
        let all = vec![MISSING; tree.scored_tokens()];
        let unanswered = tree.order().iter().copied().collect();
        Self { tree, members, all, unanswered, lost: None, answer }
    }

    /// Reads a batch and tells what is finished with it.
    fn take_up(&mut self, session: &mut Session<'_>, batch: BegunBatch) {
        let BegunBatch { slots, rows, finished_segments, read, clock } = batch;
        let read = read.read();
        clock.end();
        match read {
            Ok(computed) => {
                for (slot, surprisal) in slots.iter().zip(computed) {
                    self.all[*slot] = surprisal;
                }
                session.computed(rows);
            }
            Err(error) => self.lost = Some(session.unreadable(error)),
        }
        phase(PassPhase::Write, || self.tell(finished_segments, None));
    }

    /// Tells the paths that end before `finished`; of those in the segments of a failure, whoever misses a surprisal
    /// hears of it.
    fn tell(&mut self, finished: usize, failure: Option<&(Range<usize>, &RequestError)>) {
        while let Some(&path) = self.unanswered.front()
            && let Some(leaf) = self.tree.leaf(path)
            && leaf < finished
        {
            self.unanswered.pop_front();
            let own = self.tree.of_targets(path, &self.all, MISSING);
            // A target may be scored by a row of an earlier batch than its own segment's.
            let is_missing = own.iter().any(|one| one.nats.is_nan());
            let failed = match failure {
                Some((segments, error)) if segments.contains(&leaf) => Some(*error),
                _ => self.lost.as_ref(),
            };
            let heard = match failed {
                Some(error) if is_missing => Err(error.clone()),
                _ => Ok(own),
            };
            (self.answer)(self.members[path], heard);
        }
    }

    /// Tells the paths of which nothing is wanted.
    fn tell_needless(&mut self) {
        let needless = (0..self.members.len()).filter(|&path| self.tree.leaf(path).is_none());
        for path in needless {
            (self.answer)(self.members[path], Ok(Vec::new()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::engine::plan::BlockPool;
    use crate::engine::plan::toy::{Toy, UNCOMPUTABLE, surprisal_after};
    use crate::engine::statistics::EngineStatistics;

    type Requests = Vec<(Vec<u32>, usize)>;

    fn requests() -> impl Strategy<Value = Requests> {
        let ids = (1u32..5).prop_flat_map(|letters| prop::collection::vec(0..letters, 0..24));
        let request = (ids, 0usize..24);
        prop::collection::vec(request, 0..24).prop_flat_map(|requests| {
            // Some requests come twice, go on from others, or end within them.
            let len = requests.len();
            let again = (0..len.max(1), 0usize..24, prop::collection::vec(0u32..3, 0..4));
            (Just(requests), prop::collection::vec(again, 0..8)).prop_map(|(requests, again)| {
                let mut all = requests.clone();
                for (source, cut, more) in again {
                    if let Some((ids, first_target)) = requests.get(source) {
                        let mut ids = ids.clone();
                        ids.truncate(ids.len().saturating_sub(cut));
                        ids.extend(more);
                        all.push((ids, *first_target));
                    }
                }
                all
            })
        })
    }

    fn expected((ids, first_target): &(Vec<u32>, usize)) -> Vec<Surprisal> {
        let targets = (*first_target).max(1)..ids.len();
        targets.map(|end| surprisal_after(&ids[..end], ids[end])).collect()
    }

    type Answers = Vec<Result<Vec<Surprisal>, RequestError>>;

    fn answers(
        requests: &Requests,
        toy: &mut Toy,
        pool: &BlockPool,
        batch_tokens: usize,
    ) -> (Answers, EngineStatistics) {
        let paths: Vec<TokenPath<'_>> = requests
            .iter()
            .map(|(ids, first_target)| TokenPath::of_tokens(ids, *first_target))
            .collect();
        let mut statistics = EngineStatistics::default();
        let mut session = Session {
            executor: toy,
            pool: pool.clone(),
            bytes_per_block: 3,
            batch_tokens,
            statistics: &mut statistics,
            lost: None,
            progress: &mut |_| (),
        };
        let mut answers = vec![None; requests.len()];
        surprisals(&mut session, &paths, &mut |path, surprisals| {
            assert!(answers[path].replace(surprisals).is_none(), "answered twice");
        });
        (answers.into_iter().map(Option::unwrap).collect(), statistics)
    }

    /// Rows of the prefix tree: distinct prefixes that a needed token follows.
    fn distinct_rows<'a>(requests: impl Iterator<Item = &'a (Vec<u32>, usize)>) -> usize {
        let mut prefixes = BTreeSet::new();
        for (ids, first_target) in requests {
            if (*first_target).max(1) < ids.len() {
                prefixes.extend((1..ids.len()).map(|end| &ids[..end]));
            }
        }
        prefixes.len()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// Under any budget, every request gets what it gets alone, and every row is computed once.
        #[test]
        fn every_row_is_computed_once_and_every_request_as_if_alone(
            requests in requests(),
            batch_tokens in 1usize..300,
            block_tokens in 1usize..9,
            spare_blocks in 0usize..20,
            device_rows in prop::option::of(1usize..30),
        ) {
            // Small, but just large enough for all together: whoever shares begins more blocks.
            let paths = requests.iter().map(|(ids, first_target)| {
                TokenPath::of_tokens(ids, *first_target)
            });
            let tree = crate::engine::plan::PrefixTree::new(paths.collect(), PathEnd::Target);
            let longest = tree.path_blocks(block_tokens).into_iter().max().unwrap_or(0);
            let pool = BlockPool::new(longest + spare_blocks, block_tokens);
            let mut toy = Toy::new(&pool, device_rows.unwrap_or(usize::MAX));
            let (answers, statistics) = answers(&requests, &mut toy, &pool, batch_tokens);
            for (request, answer) in requests.iter().zip(answers) {
                prop_assert_eq!(answer, Ok(expected(request)));
            }
            prop_assert_eq!(toy.rows, distinct_rows(requests.iter()));
            prop_assert_eq!(statistics.computed_tokens, toy.rows);
            prop_assert!(toy.most_rows <= batch_tokens);
            prop_assert_eq!(pool.free_blocks(), pool.capacity());
        }

        /// Exactly the requests that do not fit alone are refused, with what they need.
        #[test]
        fn whoever_fits_alone_is_answered(
            requests in requests(),
            batch_tokens in 1usize..40,
            block_tokens in 1usize..6,
            blocks in 1usize..8,
        ) {
            let pool = BlockPool::new(blocks, block_tokens);
            let mut toy = Toy::new(&pool, usize::MAX);
            let (answers, _) = answers(&requests, &mut toy, &pool, batch_tokens);
            for (request, answer) in requests.iter().zip(answers) {
                let (ids, first_target) = request;
                let rows = if (*first_target).max(1) < ids.len() { ids.len() - 1 } else { 0 };
                let needed = rows.div_ceil(block_tokens);
                let refusal = RequestError::TooLarge {
                    tokens: ids.len(),
                    needed_bytes: needed * 3,
                    budget_bytes: blocks * 3,
                };
                let expected =
                    if needed > blocks { Err(refusal) } else { Ok(expected(request)) };
                prop_assert_eq!(answer, expected);
            }
            prop_assert_eq!(pool.free_blocks(), blocks);
        }

        /// Once results cannot be read, whoever misses one hears that, and at most the batch that was begun
        /// meanwhile is asked for.
        #[test]
        fn a_lost_device_is_asked_no_more(
            requests in requests(),
            breaks_at in 1usize..6,
            batch_tokens in 1usize..20,
        ) {
            let pool = BlockPool::new(1000, 4);
            let mut toy = Toy::new(&pool, usize::MAX);
            toy.breaks_at = Some(breaks_at);
            let (answers, _) = answers(&requests, &mut toy, &pool, batch_tokens);
            let lost = RequestError::DeviceLost("told to break".to_owned());
            for (request, answer) in requests.iter().zip(answers) {
                prop_assert!(answer == Ok(expected(request)) || answer == Err(lost.clone()));
            }
            prop_assert_eq!(pool.free_blocks(), 1000);
        }

        /// A batch that fails takes only those with it that need it.
        #[test]
        fn a_failure_stays_with_its_batch(
            requests in requests(),
            broken in 0usize..24,
            batch_tokens in 1usize..40,
            block_tokens in 1usize..6,
        ) {
            let mut requests = requests;
            if let Some((ids, first_target)) = requests.get_mut(broken) {
                ids.extend([UNCOMPUTABLE, 0]);
                *first_target = 0;
            }
            let broken = broken < requests.len();
            let pool = BlockPool::new(1000, block_tokens);
            let mut toy = Toy::new(&pool, usize::MAX);
            let (answers, _) = answers(&requests, &mut toy, &pool, batch_tokens);
            for (request, answer) in requests.iter().zip(answers) {
                match answer {
                    Ok(surprisals) => {
                        prop_assert_eq!(surprisals, expected(request));
                        let rows = request.0.len().saturating_sub(1);
                        prop_assert!(!request.0[..rows].contains(&UNCOMPUTABLE));
                    }
                    Err(error) => prop_assert!(
                        broken && error == RequestError::Compute("told to fail".to_owned())
                    ),
                }
            }
            prop_assert_eq!(pool.free_blocks(), 1000);
        }
    }
}
