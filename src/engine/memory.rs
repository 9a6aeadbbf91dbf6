//! How much memory a model takes beside its weights, told from its spec and from a plan.
//!
//! Keys and values are counted in the blocks that a plan comes to hold. What a forward pass holds at
//! once is estimated from the widths of its largest layer; scratch of the kernels, of which every
//! thread has a little, is not counted.

use serde::{Deserialize, Serialize};

use super::options::EngineOptions;
use super::plan::{BlockPool, PrefixTree, ScoreSchedule};
use crate::model::spec::{DecoderSpec, LayerSpec};
use crate::ops::kv::KvShape;

/// Bytes of a number on the CPU.
const NUMBER_BYTES: usize = size_of::<f32>();

/// Memory for keys, values and a forward pass, in bytes, on the CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryEstimate {
    /// Keys and values of one token in all layers.
    pub kv_bytes_per_token: usize,
    /// Bytes of keys and values at their highest, if the budget allows so many.
    pub kv_bytes: usize,
    /// Bytes of the tensors that a forward pass holds between its operations.
    pub activation_bytes: usize,
    /// Bytes of the hidden states that the head reads, for all rows of a pass.
    pub head_bytes: usize,
}

impl MemoryEstimate {
    /// The memory of `blocks` blocks of keys and values and of passes of `rows` rows.
    pub fn new(spec: &DecoderSpec, options: &EngineOptions, blocks: usize, rows: usize) -> Self {
        let block_bytes = kv_bytes(spec, options.block_tokens);
        Self {
            kv_bytes_per_token: block_bytes / options.block_tokens.max(1),
            kv_bytes: blocks * block_bytes,
            activation_bytes: NUMBER_BYTES * rows * activation_numbers(spec),
            // The rows that are scored, gathered and normalised.
            head_bytes: NUMBER_BYTES * rows * 2 * spec.hidden_size,
        }
    }

    /// The larger of two estimates, field by field.
    pub fn max(self, other: Self) -> Self {
        Self {
            kv_bytes_per_token: self.kv_bytes_per_token.max(other.kv_bytes_per_token),
            kv_bytes: self.kv_bytes.max(other.kv_bytes),
            activation_bytes: self.activation_bytes.max(other.activation_bytes),
            head_bytes: self.head_bytes.max(other.head_bytes),
        }
    }

    /// The sum: keys, values, activations and what the head reads.
    pub fn bytes(&self) -> usize {
        self.kv_bytes + self.activation_bytes + self.head_bytes
    }
}

/// Keys and values of a block in all layers.
fn kv_bytes(spec: &DecoderSpec, block_tokens: usize) -> usize {
    let layer = |LayerSpec { attention, .. }: &LayerSpec| {
        KvShape {
            heads: attention.key_value_heads,
            key_size: attention.head_size,
            value_size: attention.value_size(),
        }
        .bytes_per_block(block_tokens, NUMBER_BYTES)
    };
    spec.layers.iter().map(layer).sum()
}

/// Numbers that a row has at once where it has most: inside one of the branches of its widest layer.
fn activation_numbers(spec: &DecoderSpec) -> usize {
    let hidden = spec.hidden_size;
    let layer = |LayerSpec { attention, feed_forward, .. }: &LayerSpec| {
        let queries = attention.heads * attention.head_size;
        let attended = attention.heads * attention.value_size();
        let keys_and_values =
            attention.key_value_heads * (attention.head_size + attention.value_size());
        let projected = queries + keys_and_values;
        // Rows that are expanded from short ones are there twice while they are put side by side.
        let expanded = if attention.latent.is_some() { projected } else { 0 };
        // The stream, its norm, what was projected, what was attended, and the branch's result.
        let attention = 3 * hidden + projected + attended.max(expanded);
        // What an expert reads and gives, beside the sum of what all give.
        let (sent, shared) = feed_forward
            .experts
            .map_or((0, 0), |experts| (2 * hidden, experts.shared.map_or(0, |shared| shared.size)));
        // The stream before and after attention, its norm, the inner row, and the branch's result.
        let feed_forward = 4 * hidden + sent + feed_forward.size.max(shared);
        attention.max(feed_forward)
    };
    spec.layers.iter().map(layer).max().unwrap_or(0)
}

/// Rows of a pass of a model of [`BUSY_HIDDEN_SIZE`] that keep every part of a GPU busy.
const BUSY_ROWS: usize = 8192;
/// Models with narrower rows have less to do for each.
const BUSY_HIDDEN_SIZE: usize = 4096;
/// No pass has more or fewer rows than these for its own sake.
const DEVICE_ROWS: std::ops::RangeInclusive<usize> = 256..=32_768;
/// The part of a GPU's free memory that a pass may take beside keys and values.
const PASS_SHARE: f64 = 0.25;

/// Rows of a forward pass that suit a GPU with so much free memory and numbers of so many bytes: as many as keep it
/// busy, and no more than fit.
///
/// The one place where that is judged; what a pass takes less shows in nothing but speed.
pub fn device_pass_rows(spec: &DecoderSpec, number_bytes: usize, free_bytes: usize) -> usize {
    let busy = BUSY_ROWS * BUSY_HIDDEN_SIZE / spec.hidden_size.max(1);
    let row_bytes = number_bytes * device_row_numbers(spec);
    let fitting = (free_bytes as f64 * PASS_SHARE) as usize / row_bytes.max(1);
    let rows = busy.min(fitting).clamp(*DEVICE_ROWS.start(), *DEVICE_ROWS.end());
    // The largest power of two that is not above.
    1 << rows.ilog2()
}

/// As [`activation_numbers`], where all experts are computed at once.
fn device_row_numbers(spec: &DecoderSpec) -> usize {
    let sent = |LayerSpec { feed_forward, .. }: &LayerSpec| match &feed_forward.experts {
        // Gate and up, their product, and the result.
        Some(experts) => experts.route.chosen * (3 * feed_forward.size + spec.hidden_size),
        None => 2 * feed_forward.size,
    };
    activation_numbers(spec) + spec.layers.iter().map(sent).max().unwrap_or(0)
}

/// How many blocks of keys and values the passes that score `tree` come to hold at once.
///
/// The passes are planned as they will be, in a pool without an end.
pub fn scoring_peak_blocks(tree: &PrefixTree<'_>, options: &EngineOptions) -> usize {
    let pool = BlockPool::new(usize::MAX, options.block_tokens);
    let mut schedule = ScoreSchedule::new(tree, &pool);
    while schedule.next_batch(options.batch_tokens).is_some() {}
    pool.peak_blocks()
}

/// How many blocks continuing the prompts of `tree` can come to hold at once, at most: those of as
/// many of the longest sequences as are continued side by side.
///
/// `new_tokens` are the most that follow each prompt.
pub fn generation_peak_blocks(
    tree: &PrefixTree<'_>,
    new_tokens: &[usize],
    options: &EngineOptions,
) -> usize {
    let prompt_blocks = tree.path_blocks(options.block_tokens);
    let mut prompts: Vec<usize> = new_tokens
        .iter()
        .enumerate()
        .map(|(path, _)| tree.leaf(path).map_or(0, |leaf| prompt_blocks[leaf]))
        .collect();
    let mut own: Vec<usize> = new_tokens
        .iter()
        .map(|tokens| tokens.saturating_sub(1).div_ceil(options.block_tokens.max(1)))
        .collect();
    let largest = |blocks: &mut Vec<usize>| -> usize {
        blocks.sort_unstable_by(|one, other| other.cmp(one));
        blocks.iter().take(options.live_sequences).sum()
    };
    let whole_tree: usize = (0..tree.segments().len())
        .map(|segment| tree.rows(segment).div_ceil(options.block_tokens.max(1)))
        .sum();
    largest(&mut prompts).min(whole_tree) + largest(&mut own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::plan::{PathEnd, TokenPath};

    fn tree(sequences: &[Vec<u32>], path_end: PathEnd) -> PrefixTree<'_> {
        let paths = sequences.iter().map(|ids| TokenPath::of_tokens(ids, 1)).collect();
        PrefixTree::new(paths, path_end)
    }

    #[test]
    fn rows_of_a_pass_follow_from_the_model_and_from_the_memory() {
        let spec = |hidden: usize, inner: usize| {
            let config = serde_json::json!({
                "model_type": "llama", "hidden_size": hidden, "intermediate_size": inner,
                "vocab_size": 50, "num_hidden_layers": 2, "num_attention_heads": 32,
            });
            crate::model::families::describe(std::path::Path::new("config.json"), config)
                .unwrap()
                .spec
        };
        let (large, small) = (spec(4096, 14_336), spec(1024, 2816));
        let free_bytes = 60 << 30;
        assert_eq!(device_pass_rows(&large, 2, free_bytes), 8192);
        assert_eq!(device_pass_rows(&small, 2, free_bytes), 32_768);
        // A quarter of 2 GiB, for rows of 59,392 numbers of two bytes: 4,519 of them.
        assert_eq!(device_pass_rows(&large, 2, 2 << 30), 4096);
        assert_eq!(device_pass_rows(&large, 2, 0), 256);
    }

    #[test]
    fn shared_blocks_are_counted_once() {
        // 64 tokens in common, and 40 of each sequence's own.
        let sequence = |own: u32| [vec![7; 64], vec![own; 40]].concat();
        let sequences: Vec<Vec<u32>> = (10..20).map(sequence).collect();
        let options =
            EngineOptions { block_tokens: 32, live_sequences: 4, ..EngineOptions::default() };
        let broad = EngineOptions { batch_tokens: 4096, ..options };
        let narrow = EngineOptions { batch_tokens: 39, ..options };
        let scored = tree(&sequences, PathEnd::Target);
        assert_eq!(scoring_peak_blocks(&scored, &broad), 2 + 10 * 2);
        assert_eq!(scoring_peak_blocks(&scored, &narrow), 2 + 3);
        let continued = tree(&sequences, PathEnd::Row);
        assert_eq!(generation_peak_blocks(&continued, &[33; 10], &options), 4 * 4 + 4);
        assert_eq!(generation_peak_blocks(&continued, &[34; 10], &options), 4 * 4 + 4 * 2);
    }
}
