//! What is computed when: every distinct pair of a prefix and a token once.
//!
//! Sequences become a [`PrefixTree`]; a schedule walks it depth-first and cuts it into [`Batch`]es of
//! packed rows, whose keys and values live in blocks of a [`BlockPool`] for just as long as something
//! reads them. All of it is a pure function of token ids and budgets: nothing here computes a number,
//! and no answer depends on any choice made here.

mod batch;
mod continuous;
mod fit;
mod generation;
mod layout;
mod pool;
mod prefix_cache;
mod scoring;
mod table;
mod tree;
mod walk;

pub use batch::Batch;
pub use continuous::{ContinuousBatch, ContinuousSchedule, ContinuousWork, RowUse};
pub use fit::{FittingTree, OversizedSequence, fit};
pub use generation::{GenerationBatch, GenerationSchedule};
pub use layout::SequenceLayout;
pub use pool::{Block, BlockPool};
pub use prefix_cache::{CachedPrefix, PrefixCache};
pub use scoring::{ScoreBatch, ScoreSchedule};
pub use tree::{PathEnd, PrefixTree, Segment, TokenPath};

#[cfg(test)]
pub(super) mod toy;
#[cfg(test)]
mod toy_image;
#[cfg(test)]
mod whole_spans;
