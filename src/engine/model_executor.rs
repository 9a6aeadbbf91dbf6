//! The model as an executor.

use std::sync::atomic::{AtomicBool, Ordering};

use candle_core::Tensor;

use super::executor::{
    ExecutionError, Executor, NextToken, Reading, RowQuery, RowReply, TokenRule,
};
use super::given_runs::GivenRuns;
use super::plan::{Batch, BlockPool};
use crate::model::timings::{Phase, Recording, begin_pass};
use crate::model::vision::is_image_id;
use crate::model::{Decoder, KvStore, Rows};
use crate::ops::experts::gather;
use crate::ops::head::{PendingSurprisals, Surprisal, TokenScore};
use crate::ops::host;
use crate::pass_trace::PassTrace;

/// Logits that are held at once while tokens are drawn.
const LOGITS_PER_TILE: usize = 1 << 24;

/// What is told of a row of an image, which is no token.
const UNPREDICTED: Surprisal = Surprisal { nats: 0.0, is_likeliest: true };

/// A decoder and what it keeps of the tokens it has computed.
#[derive(Debug)]
pub(super) struct ModelExecutor<'m> {
    decoder: &'m Decoder,
    kv_store: KvStore,
    pool: BlockPool,
    /// Whether nothing is to be computed any more.
    is_stopped: &'m AtomicBool,
    given: &'m GivenRuns,
}

impl<'m> ModelExecutor<'m> {
    /// Computes with `decoder`; `kv_store` has room for the blocks of `pool` as soon as they are used.
    pub(super) fn new(
        decoder: &'m Decoder,
        kv_store: KvStore,
        pool: BlockPool,
        is_stopped: &'m AtomicBool,
        given: &'m GivenRuns,
    ) -> Self {
        Self { decoder, kv_store, pool, is_stopped, given }
    }

    /// The residual stream after the last layer, of the rows `read`, ascending.
    fn hidden(&mut self, batch: &Batch, read: &[u32]) -> candle_core::Result<Tensor> {
        if self.is_stopped.load(Ordering::Relaxed) {
            candle_core::bail!("stopped");
        }
        self.kv_store.grow(self.pool.peak_blocks())?;
        let rows = Rows { read: Some(read), ..batch.rows() };
        let (decoder, kv_store) = (self.decoder, &mut self.kv_store);
        if !rows.ids.iter().any(|&id| is_image_id(id)) {
            return on_the_pool(|| decoder.hidden(&rows, kv_store));
        }
        let (ids, given) = self.given.rows(rows.ids, self.decoder)?;
        let rows = Rows { ids: &ids, given: &given, ..rows };
        on_the_pool(|| decoder.hidden(&rows, kv_store))
    }
}

/// Does work of many operations on a thread of the pool that shares them out, which then takes part
/// itself. From a thread outside, every operation would wake the pool and wait for it.
fn on_the_pool<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let heard = (Recording::take(), PassTrace::take());
    let (done, heard) = rayon::scope(|_| {
        go_on(heard);
        (work(), (Recording::take(), PassTrace::take()))
    });
    go_on(heard);
    done
}

/// Clocks of the thread that asked go on here.
fn go_on((recording, trace): (Recording, PassTrace)) {
    recording.go_on();
    trace.go_on();
}

impl Executor for ModelExecutor<'_> {
    fn begin_surprisals(
        &mut self,
        batch: &Batch,
        targets: &[(usize, u32)],
    ) -> Result<Reading, ExecutionError> {
        begin_pass(Phase::Prefill, batch.len());
        let decoder = self.decoder;
        // No model predicts an image.
        let predicted: Vec<bool> = targets.iter().map(|&(_, token)| !is_image_id(token)).collect();
        let (mut read, mut of_tokens) = (Vec::new(), Vec::new());
        for &(row, token) in targets.iter().filter(|(_, token)| !is_image_id(*token)) {
            of_tokens.push((place_of(row, &mut read), token));
        }
        let begun = self
            .hidden(batch, &read)
            .and_then(|hidden| on_the_pool(|| decoder.surprisals(&hidden, &of_tokens)));
        let pending = begun.map_err(|error| self.failure(&error))?;
        let all = move |found: Vec<Surprisal>| {
            let mut found = found.into_iter();
            let of = |is_predicted| if is_predicted { found.next() } else { Some(UNPREDICTED) };
            predicted.into_iter().filter_map(of).collect()
        };
        Ok(match pending {
            PendingSurprisals::Known(found) => Reading::Known(all(found)),
            #[cfg(feature = "cuda")]
            pending @ PendingSurprisals::Arriving(_) => {
                Reading::Awaited(Box::new(move || {
                    // What a device has not done shows where its results are read, and it does nothing after that.
                    let read = pending.read().map(all);
                    read.map_err(|error| ExecutionError::DeviceLost(first_line(&error)))
                }))
            }
        })
    }

    fn next_tokens(
        &mut self,
        batch: &Batch,
        rows: &[(usize, TokenRule<'_>)],
    ) -> Result<Vec<Option<u32>>, ExecutionError> {
        self.chosen_tokens(batch, rows).map_err(|error| self.failure(&error))
    }

    fn replies(
        &mut self,
        batch: &Batch,
        queries: &[RowQuery<'_>],
    ) -> Result<Vec<RowReply>, ExecutionError> {
        self.found_replies(batch, queries).map_err(|error| self.failure(&error))
    }
}

impl ModelExecutor<'_> {
    /// As [`Executor::next_tokens`].
    fn chosen_tokens(
        &mut self,
        batch: &Batch,
        rows: &[(usize, TokenRule<'_>)],
    ) -> candle_core::Result<Vec<Option<u32>>> {
        // Only where sequences are continued does a token follow every row.
        let continues = rows.len() == batch.len();
        begin_pass(if continues { Phase::Decode } else { Phase::Prefill }, batch.len());
        let mut read = Vec::with_capacity(rows.len());
        let rows: Vec<_> =
            rows.iter().map(|&(row, rule)| (place_of(row, &mut read), rule)).collect();
        let hidden = self.hidden(batch, &read)?;
        self.tokens_after(&hidden, &rows)
    }

    /// The token after every one of `rows` of the residual stream.
    fn tokens_after(
        &self,
        hidden: &Tensor,
        rows: &[(usize, TokenRule<'_>)],
    ) -> candle_core::Result<Vec<Option<u32>>> {
        let decoder = self.decoder;
        let (drawn, likeliest): (Vec<_>, Vec<_>) =
            (0..rows.len()).partition(|&index| rows[index].1.sampling.is_some());
        let mut tokens = vec![None; rows.len()];
        if !likeliest.is_empty() {
            let banned: Vec<&[u32]> = likeliest.iter().map(|&index| rows[index].1.banned).collect();
            let hidden = selected(hidden, rows, &likeliest)?;
            let found = on_the_pool(|| decoder.most_likely(&hidden, &banned))?;
            for (index, token) in likeliest.into_iter().zip(found) {
                tokens[index] = token;
            }
        }
        let vocabulary_size = self.decoder.spec().vocabulary_size.max(1);
        for drawn in drawn.chunks((LOGITS_PER_TILE / vocabulary_size).max(1)) {
            let hidden = selected(hidden, rows, drawn)?;
            let logits = on_the_pool(|| decoder.logits(&hidden))?;
            host::read(&logits, |logits| {
                for (&index, logits) in drawn.iter().zip(logits.chunks_exact(vocabulary_size)) {
                    let TokenRule { banned, sampling } = rows[index].1;
                    tokens[index] =
                        sampling.and_then(|(sampling, draw)| sampling.draw(logits, banned, draw));
                }
            })?;
        }
        Ok(tokens)
    }

    /// As [`Executor::replies`].
    fn found_replies(
        &mut self,
        batch: &Batch,
        queries: &[RowQuery<'_>],
    ) -> candle_core::Result<Vec<RowReply>> {
        let mut read = Vec::with_capacity(queries.len());
        let placed = |query: &RowQuery<'_>| place_of(query.row, &mut read);
        let places: Vec<usize> = queries.iter().map(placed).collect();
        let queries: Vec<RowQuery<'_>> =
            queries.iter().zip(places).map(|(query, row)| RowQuery { row, ..*query }).collect();
        let queries = queries.as_slice();
        let chosen: Vec<(usize, TokenRule<'_>)> = queries
            .iter()
            .filter_map(|query| match query.next {
                NextToken::Chosen(rule) => Some((query.row, rule)),
                NextToken::Known(_) => None,
            })
            .collect();
        let continues = chosen.len() == batch.len();
        begin_pass(if continues { Phase::Decode } else { Phase::Prefill }, batch.len());
        let hidden = self.hidden(batch, &read)?;
        let mut tokens = self.tokens_after(&hidden, &chosen)?.into_iter();
        let mut replies: Vec<RowReply> = queries
            .iter()
            .map(|query| match query.next {
                NextToken::Known(token) => RowReply { token: Some(token), score: None },
                NextToken::Chosen(_) => RowReply { token: tokens.next().flatten(), score: None },
            })
            .collect();
        // Rows that want as many of the likeliest tokens are asked together.
        let mut counts: Vec<usize> = queries.iter().filter_map(|query| query.ranked).collect();
        counts.sort_unstable();
        counts.dedup();
        for count in counts {
            let places: Vec<usize> = (0..queries.len())
                .filter(|&place| queries[place].ranked == Some(count))
                .filter(|&place| replies[place].token.is_some())
                .collect();
            let scores = self.scores(&hidden, queries, &replies, &places, count)?;
            for (place, score) in places.into_iter().zip(scores) {
                replies[place].score = Some(score);
            }
        }
        Ok(replies)
    }

    /// The scores of the tokens of `replies` at `places`.
    fn scores(
        &self,
        hidden: &Tensor,
        queries: &[RowQuery<'_>],
        replies: &[RowReply],
        places: &[usize],
        count: usize,
    ) -> candle_core::Result<Vec<TokenScore>> {
        let target = |&place: &usize| Some((queries[place].row, replies[place].token?));
        let targets: Vec<(usize, u32)> = places.iter().filter_map(target).collect();
        let decoder = self.decoder;
        on_the_pool(|| decoder.token_scores(hidden, &targets, count))
    }
}

impl ModelExecutor<'_> {
    /// What an error of a tensor operation means.
    fn failure(&self, error: &candle_core::Error) -> ExecutionError {
        // A device that works waits without an error, unless the error was one of its own that stays.
        let mut devices = self.decoder.layers_by_device().into_iter().map(|(device, _)| device);
        if devices.any(|device| device.synchronize().is_err()) {
            return ExecutionError::DeviceLost(first_line(error));
        }
        let message = first_line(error);
        let lower_case = message.to_lowercase();
        // Drivers and libraries tell it in words only, each in its own.
        let full = ["out of memory", "out_of_memory", "cublas_status_alloc_failed"];
        if full.iter().any(|words| lower_case.contains(words)) {
            ExecutionError::OutOfMemory(message)
        } else {
            ExecutionError::Failed(message)
        }
    }
}

/// Where `row` stands among the rows that are read, of which it is the last one or comes after it.
fn place_of(row: usize, read: &mut Vec<u32>) -> usize {
    if read.last() != Some(&(row as u32)) {
        read.push(row as u32);
    }
    read.len() - 1
}

/// What went wrong. With `RUST_BACKTRACE` set, candle's messages go on for pages.
fn first_line(error: &candle_core::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// The rows of `hidden` that the entries `chosen` of `rows` name.
fn selected(
    hidden: &Tensor,
    rows: &[(usize, TokenRule<'_>)],
    chosen: &[usize],
) -> candle_core::Result<Tensor> {
    let rows: Vec<u32> = chosen.iter().map(|&index| rows[index].0 as u32).collect();
    if rows.iter().copied().eq(0..hidden.dim(0)? as u32) {
        return Ok(hidden.clone());
    }
    gather(hidden, &rows)
}
