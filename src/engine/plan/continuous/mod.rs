//! What is computed when, for sequences that come while others are computed.
//!
//! A pass has one row for each sequence that is being continued and fills up with prompts, in the order they came. What
//! a prompt has in common with one that is done is not computed again ([`PrefixCache`]); one that has more in common
//! with a prompt at hand waits until that is done. A row that was computed is gone, but for its keys and values: whoever
//! goes on from a cached prefix computes its last row again, to know what that says of the next token.
//!
//! A sequence joins with all the blocks it may come to need, for which cached prefixes make room, so none ever has to
//! stop.

mod member;

use std::collections::{BTreeMap, VecDeque};

pub use member::ContinuousWork;

use super::batch::Batch;
use super::fit::OversizedSequence;
use super::pool::BlockPool;
use super::prefix_cache::PrefixCache;
use super::table::BlockTable;
use super::tree::common_tokens;
use crate::ops::head::TokenScore;
use member::Member;

/// Waiting sequences that are looked at to fill a pass.
const LOOKED_AT: usize = 256;

/// What a row is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowUse {
    /// The token at `position` of its sequence is scored.
    Target {
        /// Counted from the beginning of the sequence.
        position: usize,
        /// The token.
        token: u32,
    },
    /// The token after it is chosen.
    Next,
}

/// A forward pass.
#[derive(Debug, Default)]
pub struct ContinuousBatch {
    /// The rows.
    pub rows: Batch,
    /// Rows that something is wanted of, ascending: the row, its sequence, and what.
    pub uses: Vec<(usize, usize, RowUse)>,
    /// Sequences with the number of their rows, in the order of these.
    parts: Vec<(usize, usize)>,
}

/// See the module. Sequences are known by numbers, which are not used again.
#[derive(Debug)]
pub struct ContinuousSchedule {
    pool: BlockPool,
    cache: PrefixCache<TokenScore>,
    most_live: usize,
    members: BTreeMap<usize, Member>,
    next_number: usize,
    /// Sequences that have not joined.
    waiting: VecDeque<usize>,
    /// Sequences whose prompts have rows to come.
    prefilling: Vec<usize>,
    /// Sequences whose newest token has no row yet, in turn.
    ready: VecDeque<usize>,
    reused_tokens: usize,
}

/// Whether a sequence could join.
enum Admission {
    Joined,
    /// All is known already.
    Answered,
    NoRoom,
}

impl ContinuousSchedule {
    /// Passes with keys and values in `pool`, and at most `most_live` sequences that are continued side by side.
    pub fn new(pool: &BlockPool, most_live: usize) -> Self {
        Self {
            pool: pool.clone(),
            cache: PrefixCache::default(),
            most_live: most_live.max(1),
            members: BTreeMap::new(),
            next_number: 0,
            waiting: VecDeque::new(),
            prefilling: Vec::new(),
            ready: VecDeque::new(),
            reused_tokens: 0,
        }
    }

    /// Takes up a sequence of one token at least; its number.
    ///
    /// # Errors
    /// It does not fit into the pool alone.
    pub fn push(&mut self, work: ContinuousWork) -> Result<usize, OversizedSequence> {
        let member = Member::new(work);
        let number = self.next_number;
        let blocks = member.rows_to_come(0).div_ceil(self.pool.block_tokens());
        if blocks > self.pool.capacity() {
            return Err(OversizedSequence { member: number, blocks });
        }
        self.next_number += 1;
        self.members.insert(number, member);
        self.waiting.push_back(number);
        Ok(number)
    }

    /// How many sequences have not joined.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// How many sequences are computed.
    pub fn running(&self) -> usize {
        self.members.len() - self.waiting.len()
    }

    /// How many tokens of sequences that are done are kept.
    pub fn cached_tokens(&self) -> usize {
        self.cache.tokens()
    }

    /// How many tokens of prompts had not to be computed so far.
    pub fn reused_tokens(&self) -> usize {
        self.reused_tokens
    }

    /// The next pass, of at most `batch_tokens` rows, but of one at least, and the sequences that need none: all that is
    /// wanted of them is known. The pass is empty where there is nothing to compute.
    ///
    /// The pass before it must have been taken up by [`Self::computed`], and its choices by [`Self::go_on`] or
    /// [`Self::finish`].
    pub fn next_batch(&mut self, batch_tokens: usize) -> (ContinuousBatch, Vec<usize>) {
        let batch_tokens = batch_tokens.max(1);
        let mut batch = ContinuousBatch::default();
        while batch.rows.len() < batch_tokens
            && let Some(number) = self.ready.pop_front()
        {
            self.add(&mut batch, number, 1);
        }
        for place in 0..self.prefilling.len() {
            self.add(&mut batch, self.prefilling[place], batch_tokens);
        }
        let answered = self.admit(&mut batch, batch_tokens);
        (batch, answered)
    }

    /// Adds rows of a sequence until the pass has `batch_tokens`.
    fn add(&mut self, batch: &mut ContinuousBatch, number: usize, batch_tokens: usize) {
        let Some(member) = self.members.get_mut(&number) else { return };
        let prefills = !member.is_prefilled();
        let (end, room) = if prefills {
            (member.prompt_rows, batch_tokens.saturating_sub(batch.rows.len()))
        } else {
            (member.ids.len(), 1)
        };
        let start = member.rows;
        let ids = &member.ids[start..end.min(start.saturating_add(room))];
        let first_row = batch.rows.len();
        let added = batch.rows.push(ids, (start, None), &mut member.table, &self.pool);
        if added == 0 {
            return;
        }
        member.rows += added;
        batch.parts.push((number, added));
        for (row, position) in (first_row..).zip(start + 1..=start + added) {
            let generates = member.work.new_tokens > 0;
            if generates && position >= member.prompt_rows {
                batch.uses.push((row, number, RowUse::Next));
            } else if member.is_missing(position) {
                let token = member.ids[position];
                batch.uses.push((row, number, RowUse::Target { position, token }));
            }
        }
    }

    /// Lets sequences join while the pass has room; those that need no row.
    fn admit(&mut self, batch: &mut ContinuousBatch, batch_tokens: usize) -> Vec<usize> {
        let mut answered = Vec::new();
        let mut place = 0;
        while batch.rows.len() < batch_tokens && place < self.waiting.len().min(LOOKED_AT) {
            let number = self.waiting[place];
            if self.has_to_wait(number) {
                place += 1;
                continue;
            }
            match self.join(number) {
                Admission::Joined => {
                    self.waiting.remove(place);
                    self.prefilling.push(number);
                    self.add(batch, number, batch_tokens);
                }
                Admission::Answered => {
                    self.waiting.remove(place);
                    answered.push(number);
                }
                Admission::NoRoom => break,
            }
        }
        answered
    }

    /// Whether others have to be done first: too many are continued, or a prompt at hand has more in common with a
    /// sequence than anything that is done.
    fn has_to_wait(&self, number: usize) -> bool {
        let Some(member) = self.members.get(&number) else { return false };
        let live = || {
            let joined = self.members.values().filter(|member| member.own_blocks.is_some());
            joined.filter(|member| member.work.new_tokens > 0).count()
        };
        if member.work.new_tokens > 0 && live() >= self.most_live {
            return true;
        }
        let ids = &member.ids[..member.prompt_rows];
        let at_hand = self.prefilling.iter().filter_map(|other| self.members.get(other));
        let common = at_hand.map(|other| common_tokens(&other.ids[..other.prompt_rows], ids));
        common.max().is_some_and(|common| common > self.cache.common_tokens(ids))
    }

    /// Sets a sequence's blocks aside.
    fn join(&mut self, number: usize) -> Admission {
        let Some(mut member) = self.members.remove(&number) else { return Admission::Answered };
        let admission = self.join_as(&mut member);
        self.members.insert(number, member);
        admission
    }

    fn join_as(&mut self, member: &mut Member) -> Admission {
        let found = self.cache.find(&member.work.ids);
        member.known[..found.tokens].clone_from_slice(&found.known);
        let generates = member.work.new_tokens > 0;
        let mut cached = found.tokens.min(member.prompt_rows);
        match member.first_missing() {
            Some(position) => cached = cached.min(position - 1),
            None if !generates => {
                self.reused_tokens += member.prompt_rows;
                return Admission::Answered;
            }
            None => {}
        }
        if generates {
            cached = cached.min(member.prompt_rows - 1);
        }
        let block_tokens = self.pool.block_tokens();
        let mut blocks = member.rows_to_come(cached).div_ceil(block_tokens);
        let taken: usize = self.members.values().filter_map(|member| member.own_blocks).sum();
        if taken > 0 && blocks > self.pool.capacity() - taken.min(self.pool.capacity()) {
            return Admission::NoRoom;
        }
        let mut table = found.table(cached);
        drop(found);
        if !self.cache.make_room(blocks, &self.pool) {
            if taken > 0 {
                return Admission::NoRoom;
            }
            // Only what it would reuse is still held, and beside that it does not fit.
            table = BlockTable::default();
            cached = 0;
            blocks = member.rows_to_come(0).div_ceil(block_tokens);
        }
        let Some(own) = self.pool.take_all(blocks) else { return Admission::NoRoom };
        table.reserve(own);
        (member.table, member.rows, member.own_blocks) = (table, cached, Some(blocks));
        self.reused_tokens += cached;
        Admission::Joined
    }

    /// Notes what was found out about a token.
    pub fn learn(&mut self, number: usize, position: usize, score: TokenScore) {
        let member = self.members.get_mut(&number);
        if let Some(known) = member.and_then(|member| member.known.get_mut(position)) {
            *known = Some(score);
        }
    }

    /// Notes that a pass was computed and all it says was learnt; the sequences whose prompts are done with it.
    pub fn computed(&mut self, batch: ContinuousBatch) -> Vec<usize> {
        let ContinuousBatch { rows, parts, .. } = batch;
        drop(rows);
        let mut done = Vec::new();
        for (number, _) in parts {
            let place = self.prefilling.iter().position(|&other| other == number);
            let Some(member) = self.members.get(&number).filter(|member| member.is_prefilled())
            else {
                continue;
            };
            if let Some(place) = place {
                self.prefilling.remove(place);
                keep(&mut self.cache, member);
                done.push(number);
            }
        }
        done
    }

    /// The scores of a sequence's prompt, once it is done, with as many of the likeliest tokens as it wants.
    pub fn scores(&self, number: usize) -> Vec<TokenScore> {
        let Some(member) = self.members.get(&number) else { return Vec::new() };
        let Some(first) = member.work.first_target else { return Vec::new() };
        let wanted = |score: &Option<TokenScore>| {
            let mut score = score.clone().unwrap_or_default();
            if score.likeliest.len() > member.work.ranked {
                score.likeliest = score.likeliest[..member.work.ranked].into();
            }
            score
        };
        let targets = member.known.get(first.max(1)..member.work.ids.len());
        targets.unwrap_or_default().iter().map(wanted).collect()
    }

    /// Continues a sequence by the token that was chosen for it.
    pub fn go_on(&mut self, number: usize, token: u32) {
        if let Some(member) = self.members.get_mut(&number) {
            member.ids.push(token);
            member.known.push(None);
            self.ready.push_back(number);
        }
    }

    /// Ends a sequence, whether or not it is done. What was computed of it is kept.
    pub fn finish(&mut self, number: usize) {
        if let Some(member) = self.forget(number)
            && member.rows > 0
        {
            keep(&mut self.cache, &member);
        }
    }

    /// Undoes a pass: the next one computes the same rows, and may be smaller.
    pub fn put_back(&mut self, batch: ContinuousBatch) {
        let ContinuousBatch { rows, parts, .. } = batch;
        drop(rows);
        for (number, rows) in parts.into_iter().rev() {
            let Some(member) = self.members.get_mut(&number) else { continue };
            let continued = member.rows > member.prompt_rows;
            (0..rows).for_each(|_| member.table.pop());
            member.rows -= rows;
            if continued {
                self.ready.push_front(number);
            }
        }
    }

    /// Goes on without a pass and the sequences in it, which end unanswered.
    pub fn give_up(&mut self, batch: ContinuousBatch) -> Vec<usize> {
        let ContinuousBatch { rows, parts, .. } = batch;
        drop(rows);
        let lost: Vec<usize> = parts.into_iter().map(|(number, _)| number).collect();
        for &number in &lost {
            self.forget(number);
        }
        lost
    }

    fn forget(&mut self, number: usize) -> Option<Member> {
        self.waiting.retain(|&other| other != number);
        self.prefilling.retain(|&other| other != number);
        self.ready.retain(|&other| other != number);
        self.members.remove(&number)
    }
}

/// Keeps what was computed of a sequence.
fn keep(cache: &mut PrefixCache<TokenScore>, member: &Member) {
    let rows = member.rows;
    let is_better =
        |found: &TokenScore, have: &TokenScore| found.likeliest.len() > have.likeliest.len();
    cache.keep(&member.ids[..rows], &member.table, &member.known[..rows], is_better);
}

#[cfg(test)]
mod tests;
