//! A sequence that came while others were computed, and how far it is.

use std::sync::Arc;

use super::BlockTable;
use crate::ops::head::TokenScore;

/// A sequence, and what is wanted of it.
#[derive(Clone, Debug)]
pub struct ContinuousWork {
    /// Its tokens.
    pub ids: Arc<[u32]>,
    /// Index of the first token that is scored, 0 like 1; `None` if none is.
    pub first_target: Option<usize>,
    /// How many of the likeliest tokens are wanted beside each score.
    pub ranked: usize,
    /// Most tokens that are chosen to follow.
    pub new_tokens: usize,
}

/// A sequence on its way.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) work: ContinuousWork,
    /// The prompt and what was chosen to follow.
    pub(super) ids: Vec<u32>,
    /// What is known of each of them.
    pub(super) known: Vec<Option<TokenScore>>,
    /// How many rows its prompt needs.
    pub(super) prompt_rows: usize,
    /// How many of its tokens have rows.
    pub(super) rows: usize,
    pub(super) table: BlockTable,
    /// Blocks that were set aside for it, once it has joined.
    pub(super) own_blocks: Option<usize>,
}

impl Member {
    pub(super) fn new(work: ContinuousWork) -> Self {
        let prompt_rows = match (work.new_tokens, work.first_target) {
            (0, None) => 0,
            (0, Some(_)) => work.ids.len().saturating_sub(1),
            _ => work.ids.len(),
        };
        Self {
            ids: work.ids.to_vec(),
            known: vec![None; work.ids.len()],
            prompt_rows,
            rows: 0,
            table: BlockTable::default(),
            own_blocks: None,
            work,
        }
    }

    /// Rows that it may come to need when the first `cached` are there.
    pub(super) fn rows_to_come(&self, cached: usize) -> usize {
        self.prompt_rows.saturating_sub(cached) + self.work.new_tokens.saturating_sub(1)
    }

    /// Whether the token at `position` is scored and its score is not known.
    pub(super) fn is_missing(&self, position: usize) -> bool {
        let Some(first) = self.work.first_target else { return false };
        let is_enough = |known: &TokenScore| {
            known.likeliest.len() >= self.work.ranked || !known.nats.is_finite()
        };
        (first.max(1)..self.work.ids.len()).contains(&position)
            && !self.known[position].as_ref().is_some_and(is_enough)
    }

    /// The first score that is missing.
    pub(super) fn first_missing(&self) -> Option<usize> {
        let first = self.work.first_target?;
        (first.max(1)..self.work.ids.len()).find(|&position| self.is_missing(position))
    }

    pub(super) fn is_prefilled(&self) -> bool {
        self.rows >= self.prompt_rows
    }
}
