//! What a data set costs a model: rows that are computed and memory that they take.

use serde::Serialize;

use super::Unit;
use crate::{
    engine::{
        EngineOptions, MemoryEstimate,
        memory::{generation_peak_blocks, scoring_peak_blocks},
        plan::{PathEnd, PrefixTree, TokenPath},
    },
    infer::Prepared,
    model::{Checkpoint, media::SightMemory, spec::Reach},
};

/// Memory of a model on the CPU while it is asked about a data set, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryCost {
    /// Its parameters: linear maps and the embedding as they are stored, the rest as f32.
    pub weight_bytes: usize,
    /// Beside them, if the budget for keys and values allows.
    #[serde(flatten)]
    pub working: MemoryEstimate,
    /// What images, videos and sounds take.
    #[serde(flatten)]
    pub sight: SightMemory,
}

impl MemoryCost {
    /// All of it.
    pub fn bytes(&self) -> usize {
        self.weight_bytes + self.working.bytes() + self.sight.tower_bytes + self.sight.row_bytes
    }
}

/// Rows and memory of one data set under one model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// Rows that go through the model: what prompts share once, and without new tokens.
    pub(crate) computed_tokens: usize,
    /// Memory meanwhile.
    pub(crate) memory: MemoryCost,
}

impl Cost {
    /// The cost of the prompts that are known before the run, with `options`.
    pub(crate) fn new(checkpoint: &Checkpoint, unit: &Unit, options: &EngineOptions) -> Self {
        let prompts = || unit.samples.iter().flat_map(Prepared::all_prompts);
        let mut cost = Self {
            computed_tokens: 0,
            memory: MemoryCost {
                weight_bytes: checkpoint.weight_bytes(),
                working: MemoryEstimate::default(),
                sight: checkpoint
                    .sight()
                    .memory(prompts().map(|prompt| &*prompt.ids), checkpoint.spec().hidden_size),
            },
        };
        let spec = checkpoint.spec();
        // Sequences of different reach share nothing.
        let kinds = [PathEnd::Target, PathEnd::Row]
            .map(|path_end| [Reach::Native, Reach::Stretched].map(|reach| (path_end, reach)));
        for (path_end, reach) in kinds.into_iter().flatten() {
            let asked = || {
                prompts()
                    .filter(|prompt| (prompt.max_new_tokens == 0) == (path_end == PathEnd::Target))
                    .filter(|prompt| spec.reach(prompt.ids.len()) == reach)
            };
            let paths: Vec<TokenPath<'_>> = asked()
                .map(|prompt| TokenPath::of_tokens(&prompt.ids, prompt.context_tokens))
                .collect();
            if paths.is_empty() {
                continue;
            }
            let tree = PrefixTree::new(paths, path_end);
            let computed_tokens = tree.computed_tokens();
            let blocks = match path_end {
                PathEnd::Target => scoring_peak_blocks(&tree, options),
                PathEnd::Row => {
                    let new_tokens: Vec<usize> =
                        asked().map(|prompt| prompt.max_new_tokens).collect();
                    generation_peak_blocks(&tree, &new_tokens, options)
                }
            };
            let rows = options.batch_tokens.min(computed_tokens);
            let working = MemoryEstimate::new(spec, options, blocks, rows);
            cost.memory.working = cost.memory.working.max(working);
            cost.computed_tokens += computed_tokens;
        }
        cost
    }
}
