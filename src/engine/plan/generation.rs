//! What is computed when, for continuations.

use std::collections::VecDeque;

use super::batch::Batch;
use super::pool::BlockPool;
use super::table::BlockTable;
use super::tree::PrefixTree;
use super::walk::Walk;

/// The passes that continue every prompt of a prefix tree.
///
/// A pass has one row for each live sequence and fills up with prompts, in depth-first order: what
/// prompts share is computed once, and several samples of one prompt share all of it. A sequence
/// joins with all the blocks it may come to need, so that it can always go on to its end; while there
/// are too few, no further prompt is begun. A span that is seen both ways is computed in one pass, which
/// is its own where it has no room beside the live sequences. Whoever is left when all others are gone fits
/// (see [`super::fit()`]), so nothing ever waits forever.
#[derive(Debug)]
pub struct GenerationSchedule<'t, 'a> {
    tree: &'t PrefixTree<'a>,
    pool: BlockPool,
    walk: Walk<'t, 'a>,
    /// Blocks that each path may come to need beside its prompt's.
    own_blocks: Vec<usize>,
    most_live: usize,
    sequences: Vec<Option<Sequence>>,
    /// How many paths of the tree's order have had their prompt computed.
    begun: usize,
    /// Live sequences whose newest token has no row yet, in turn.
    ready: VecDeque<usize>,
    /// Sequences of the latest prompt for which there was no room yet.
    waiting: VecDeque<usize>,
    live: usize,
    rewind_point: RewindPoint<'t, 'a>,
}

/// The state before the latest pass, as far as undoing the pass needs it.
#[derive(Debug)]
struct RewindPoint<'t, 'a> {
    walk: Walk<'t, 'a>,
    begun: usize,
}

/// A sequence that is being continued.
#[derive(Debug)]
struct Sequence {
    table: BlockTable,
    /// How many of its tokens have rows.
    tokens: usize,
    /// Its newest token, if that has no row yet.
    newest: Option<u32>,
    is_live: bool,
}

/// A forward pass; after some of its rows a next token is chosen.
#[derive(Debug, Default)]
pub struct GenerationBatch {
    /// The rows.
    pub rows: Batch,
    /// Rows and the path whose next token is chosen by each, ascending by row.
    pub choices: Vec<(usize, usize)>,
    /// How many of the choices continue sequences, before those that begin one.
    continued: usize,
}

impl<'t, 'a> GenerationSchedule<'t, 'a> {
    /// The passes for `tree`, with keys and values in `pool` and at most `most_live` sequences side by
    /// side, but one at least.
    ///
    /// For each path, `own_blocks` tells how many blocks it may come to need for new tokens. Together
    /// with its path's they must fit into the pool.
    pub fn new(
        tree: &'t PrefixTree<'a>,
        own_blocks: Vec<usize>,
        pool: &BlockPool,
        most_live: usize,
    ) -> Self {
        let walk = Walk::new(tree, pool);
        Self {
            tree,
            pool: pool.clone(),
            rewind_point: RewindPoint { walk: walk.clone(), begun: 0 },
            walk,
            sequences: own_blocks.iter().map(|_| None).collect(),
            own_blocks,
            most_live: most_live.max(1),
            begun: 0,
            ready: VecDeque::new(),
            waiting: VecDeque::new(),
            live: 0,
        }
    }

    /// The next pass, of at most `batch_tokens` rows, but of one at least; `None` at the end.
    ///
    /// Every choice of the pass before it must have been answered by [`Self::push`] or
    /// [`Self::finish`].
    pub fn next_batch(&mut self, batch_tokens: usize) -> Option<GenerationBatch> {
        let batch_tokens = batch_tokens.max(1);
        self.rewind_point = RewindPoint { walk: self.walk.clone(), begun: self.begun };
        self.admit_waiting();
        let mut batch = GenerationBatch::default();
        if !self.span_goes_first(batch_tokens) {
            while batch.rows.len() < batch_tokens
                && let Some(path) = self.ready.pop_front()
            {
                self.go_on(&mut batch, path);
            }
        }
        batch.continued = batch.choices.len();
        while let Some(room) = batch_tokens.checked_sub(batch.rows.len()).filter(|&room| room > 0)
            && self.waiting.is_empty()
            && self.live < self.most_live
            && let Some(piece) = self.walk.advance(&mut batch.rows, room)
        {
            if piece.ends_segment {
                self.begin(&mut batch, piece.segment);
                self.walk.proceed();
            }
        }
        (!batch.rows.is_empty()).then_some(batch)
    }

    /// Whether the prompt at hand goes on with a span that has no room beside the rows of all live sequences. Then they pause for a pass:
    /// it would have to wait until they are gone, and whatever comes after it.
    fn span_goes_first(&self, batch_tokens: usize) -> bool {
        let joins = self.waiting.is_empty() && self.live < self.most_live;
        let rows = self.walk.span_at_hand().filter(|_| joins);
        rows.is_some_and(|rows| rows.saturating_add(self.ready.len()) > batch_tokens)
    }

    /// Lets sequences join that had no room before.
    fn admit_waiting(&mut self) {
        while let Some(&path) = self.waiting.front()
            && self.admit(path)
        {
            self.waiting.pop_front();
            self.ready.push_back(path);
        }
    }

    /// Sets a sequence's blocks aside; whether there are enough.
    fn admit(&mut self, path: usize) -> bool {
        let Some(sequence) = &mut self.sequences[path] else { return true };
        if self.live == self.most_live {
            return false;
        }
        let Some(blocks) = self.pool.take_all(self.own_blocks[path]) else { return false };
        sequence.table.reserve(blocks);
        sequence.is_live = true;
        self.live += 1;
        true
    }

    /// Adds a sequence's newest token.
    fn go_on(&mut self, batch: &mut GenerationBatch, path: usize) {
        let Some(sequence) = &mut self.sequences[path] else { return };
        let Some(token) = sequence.newest.take() else { return };
        let row = batch.rows.len();
        let table = &mut sequence.table;
        sequence.tokens += {
            let at = (sequence.tokens, self.tree.layout(path));
            batch.rows.push(&[token], at, table, &self.pool)
        };
        batch.choices.push((row, path));
    }

    /// Begins the sequences whose prompts end with a segment that has just become rows.
    fn begin(&mut self, batch: &mut GenerationBatch, segment: usize) {
        while let Some(&path) = self.tree.order().get(self.begun)
            && self.tree.leaf(path) == Some(segment)
        {
            self.begun += 1;
            batch.choices.push((batch.rows.len() - 1, path));
            self.sequences[path] = Some(Sequence {
                table: self.walk.table().fork(),
                tokens: self.tree.segments()[segment].end,
                newest: None,
                is_live: false,
            });
            if !(self.waiting.is_empty() && self.admit(path)) {
                self.waiting.push_back(path);
            }
        }
    }

    /// Continues a sequence by the token that was chosen for it.
    pub fn push(&mut self, path: usize, token: u32) {
        if let Some(sequence) = &mut self.sequences[path] {
            sequence.newest = Some(token);
            if sequence.is_live {
                self.ready.push_back(path);
            }
        }
    }

    /// Ends a sequence; its blocks are free at once.
    pub fn finish(&mut self, path: usize) {
        match self.sequences[path].take() {
            Some(sequence) if sequence.is_live => self.live -= 1,
            Some(_) => self.waiting.retain(|waiting| *waiting != path),
            None => {}
        }
    }

    /// Undoes the latest pass: the next one computes the same rows, and may be smaller.
    pub fn put_back(&mut self, batch: GenerationBatch) {
        let GenerationBatch { rows, choices, continued } = batch;
        let (continued, begun) = choices.split_at(continued);
        for &(_, path) in begun {
            self.finish(path);
        }
        for &(row, path) in continued.iter().rev() {
            if let Some(sequence) = &mut self.sequences[path] {
                sequence.table.pop();
                sequence.tokens -= 1;
                sequence.newest = rows.ids().get(row).copied();
                self.ready.push_front(path);
            }
        }
        self.walk = self.rewind_point.walk.clone();
        self.begun = self.rewind_point.begun;
    }

    /// Goes on without the latest pass and all that depends on it: the paths that end unanswered.
    pub fn give_up(&mut self, batch: GenerationBatch) -> Vec<usize> {
        let GenerationBatch { choices, continued, .. } = batch;
        let mut lost: Vec<usize> = choices[..continued].iter().map(|(_, path)| *path).collect();
        let segments = self.walk.skip_since(&self.rewind_point.walk);
        let prompts = &self.tree.order()[self.rewind_point.begun..];
        let of_segments =
            |path: &&usize| self.tree.leaf(**path).is_some_and(|leaf| segments.contains(&leaf));
        let lost_prompts = prompts.iter().take_while(of_segments);
        self.begun = self.rewind_point.begun + lost_prompts.clone().count();
        lost.extend(lost_prompts);
        for &path in &lost {
            self.finish(path);
        }
        lost
    }
}
