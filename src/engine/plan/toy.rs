//! A stand-in for the model, for tests: it trusts nothing it is told.
//!
//! What it "computes" at a row is a hash of all tokens up to there, read through the segment's table
//! from slots that earlier rows wrote. A slot that nobody wrote, that was freed since, or that belongs
//! to another sequence or position is noticed where it is read. A row of an image that is seen both ways depends on all of it; whether
//! all of it is there, and stands where it should, is noticed, too.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::toy_image::{ToyImage, layout};
use super::{Batch, BlockPool};
use crate::engine::executor::{
    ExecutionError, Executor, NextToken, Reading, RowQuery, RowReply, TokenRule,
};
use crate::model::{Run, Segment};
use crate::ops::head::{RankedToken, Surprisal, TokenScore, greedy};

/// A token whose row cannot be computed.
pub(in crate::engine) const UNCOMPUTABLE: u32 = 999;

/// Tokens there are logits for.
const VOCABULARY: u32 = 5;

/// Keys and values, reduced to what can be wrong with them.
#[derive(Clone, Copy, Debug)]
struct CachedToken {
    position: u32,
    prefix: u64,
    token: u32,
}

/// See the module.
#[derive(Debug)]
pub(in crate::engine) struct Toy {
    pool: BlockPool,
    slots: Vec<Option<CachedToken>>,
    device_rows: usize,
    /// Batches begun so far, and the one whose results cannot be read.
    begun: usize,
    pub(in crate::engine) breaks_at: Option<usize>,
    /// Rows computed so far.
    pub(in crate::engine) rows: usize,
    /// Rows of the largest batch it was shown.
    pub(in crate::engine) most_rows: usize,
}

impl Toy {
    /// A model with memory for the blocks of `pool`, and for `device_rows` rows at a time.
    pub(in crate::engine) fn new(pool: &BlockPool, device_rows: usize) -> Self {
        let slots = vec![None; pool.capacity() * pool.block_tokens()];
        Self {
            pool: pool.clone(),
            slots,
            device_rows,
            begun: 0,
            breaks_at: None,
            rows: 0,
            most_rows: 0,
        }
    }

    /// The hash of every row's prefix.
    fn pass(&mut self, batch: &Batch) -> Result<Vec<u64>, ExecutionError> {
        self.most_rows = self.most_rows.max(batch.len());
        if batch.len() > self.device_rows {
            return Err(ExecutionError::OutOfMemory("too many rows".to_owned()));
        }
        if batch.ids().contains(&UNCOMPUTABLE) {
            return Err(ExecutionError::Failed("told to fail".to_owned()));
        }
        self.rows += batch.len();
        let block_tokens = self.pool.block_tokens();
        for (slot, kept) in self.slots.iter_mut().enumerate() {
            if self.pool.is_free(slot / block_tokens) {
                *kept = None;
            }
        }
        let distinct: BTreeSet<&u32> = batch.rows().slots.iter().collect();
        assert_eq!(distinct.len(), batch.len(), "two rows share a slot");

        let mut prefixes = Vec::with_capacity(batch.len());
        for segment in batch.rows().segments {
            assert_eq!(segment.rows.start, prefixes.len(), "a row belongs to no segment");
            let places = segment.table.iter().flat_map(|&Run { block, tokens }| {
                assert!(tokens as usize <= block_tokens, "a run is longer than a block");
                (block * block_tokens as u32..).take(tokens as usize)
            });
            let places: Vec<u32> = places.collect();
            let first = places
                .len()
                .checked_sub(segment.rows.len())
                .expect("a segment is no longer than its table");
            let (mut prefix, mut sequence) = (0, Vec::with_capacity(places.len()));
            for (position, &slot) in (0u32..).zip(&places) {
                if let Some(own) = (position as usize).checked_sub(first) {
                    let row = segment.rows.start + own;
                    let token = batch.ids()[row];
                    assert_eq!(
                        (batch.rows().positions[row], batch.rows().slots[row]),
                        (position, slot)
                    );
                    assert!(!self.pool.is_free(slot as usize / block_tokens), "a free block");
                    prefix = extended(prefix, token);
                    prefixes.push(seen(prefix, token));
                    sequence.push(token);
                    self.slots[slot as usize] = Some(CachedToken { position, prefix, token });
                } else {
                    let kept = self.slots[slot as usize].expect("a slot nobody wrote");
                    prefix = extended(prefix, kept.token);
                    sequence.push(kept.token);
                    assert_eq!((kept.position, kept.prefix), (position, prefix), "a wrong table");
                }
            }
            check_layout(batch, segment, &sequence, first);
        }
        assert_eq!(prefixes.len(), batch.len());
        Ok(prefixes)
    }
}

/// Checks what a batch says of the rows of `segment`, which are the tokens of `sequence` from the `first` on.
fn check_layout(batch: &Batch, segment: &Segment, sequence: &[u32], first: usize) {
    let layout = layout(sequence).unwrap_or_default();
    let spans = layout.spans(&(first..sequence.len()));
    assert_eq!(segment.both_ways, spans, "other spans");
    let is_whole =
        |span: &std::ops::Range<usize>| first <= span.start && span.end <= sequence.len();
    assert!(spans.iter().all(is_whole), "a span is divided");
    for (row, position) in segment.rows.clone().zip(first..) {
        let plain = [batch.rows().positions[row]; 3];
        let told = batch.rows().places.map_or(plain, |places| places[row]);
        assert_eq!(told, layout.place(position), "a wrong place");
    }
}

impl Executor for Toy {
    fn begin_surprisals(
        &mut self,
        batch: &Batch,
        targets: &[(usize, u32)],
    ) -> Result<Reading, ExecutionError> {
        assert!(targets.is_sorted_by_key(|(row, _)| row), "targets out of order");
        let prefixes = self.pass(batch)?;
        self.begun += 1;
        if self.breaks_at == Some(self.begun) {
            let broken = || Err(ExecutionError::DeviceLost("told to break".to_owned()));
            return Ok(Reading::Awaited(Box::new(broken)));
        }
        assert!(self.breaks_at.is_none_or(|last| self.begun <= last + 1), "asked a lost device");
        let found = targets.iter().map(|&(row, token)| surprisal(prefixes[row], token)).collect();
        // Some are there at once.
        Ok(match self.begun % 3 {
            0 => Reading::Known(found),
            _ => Reading::Awaited(Box::new(move || Ok(found))),
        })
    }

    fn next_tokens(
        &mut self,
        batch: &Batch,
        rows: &[(usize, TokenRule<'_>)],
    ) -> Result<Vec<Option<u32>>, ExecutionError> {
        assert!(rows.is_sorted_by_key(|(row, _)| row), "rows out of order");
        let prefixes = self.pass(batch)?;
        Ok(rows.iter().map(|(row, rule)| greedy(&logits(prefixes[*row]), rule.banned)).collect())
    }

    fn replies(
        &mut self,
        batch: &Batch,
        queries: &[RowQuery<'_>],
    ) -> Result<Vec<RowReply>, ExecutionError> {
        assert!(queries.is_sorted_by_key(|query| query.row), "rows out of order");
        let prefixes = self.pass(batch)?;
        let reply = |query: &RowQuery<'_>| {
            let prefix = prefixes[query.row];
            let token = match query.next {
                NextToken::Known(token) => Some(token),
                NextToken::Chosen(rule) => greedy(&logits(prefix), rule.banned),
            };
            let score = token.zip(query.ranked).map(|(token, count)| score(prefix, token, count));
            RowReply { token, score }
        };
        Ok(queries.iter().map(reply).collect())
    }
}

fn score(prefix: u64, token: u32, count: usize) -> TokenScore {
    let mut likeliest: Vec<RankedToken> =
        (0..VOCABULARY).map(|id| RankedToken { id, nats: nll(prefix, id) }).collect();
    likeliest.sort_by(|one, other| one.nats.total_cmp(&other.nats).then(one.id.cmp(&other.id)));
    likeliest.truncate(count);
    TokenScore { nats: nll(prefix, token), likeliest: likeliest.into() }
}

/// What there is to see at a row, where the tokens up to it have the hash `prefix`.
fn seen(prefix: u64, token: u32) -> u64 {
    match ToyImage::of(token).filter(|(image, _)| image.sees_both_ways()) {
        Some((image, row)) => extended((token + 1..image.ids().end).fold(prefix, extended), row),
        None => prefix,
    }
}

/// What there is to see after `ids`.
fn seen_after(ids: &[u32]) -> u64 {
    let prefix = ids.iter().fold(0, |prefix, &id| extended(prefix, id));
    ids.last().map_or(prefix, |&last| seen(prefix, last))
}

fn extended(prefix: u64, token: u32) -> u64 {
    let mut hasher = DefaultHasher::new();
    (prefix, token).hash(&mut hasher);
    hasher.finish()
}

fn nll(prefix: u64, token: u32) -> f32 {
    (extended(prefix, token) >> 44) as f32
}

fn logits(prefix: u64) -> Vec<f32> {
    (0..VOCABULARY).map(|token| -nll(prefix, token)).collect()
}

fn surprisal(prefix: u64, token: u32) -> Surprisal {
    let is_likeliest = greedy(&logits(prefix), &[]) == Some(token);
    Surprisal { nats: nll(prefix, token), is_likeliest }
}

/// What the toy says about `token` after `ids`.
pub(in crate::engine) fn surprisal_after(ids: &[u32], token: u32) -> Surprisal {
    surprisal(seen_after(ids), token)
}

/// The toy's score of `token` after `ids`, with the `count` likeliest tokens.
pub(in crate::engine) fn score_after(ids: &[u32], token: u32, count: usize) -> TokenScore {
    score(seen_after(ids), token, count)
}

/// The toy's logits after `ids`.
pub(in crate::engine) fn next_logits(ids: &[u32]) -> Vec<f32> {
    logits(seen_after(ids))
}
