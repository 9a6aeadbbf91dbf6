//! Which answers of a dialogue a model is asked for, and what it sees of the earlier ones.

use serde::Deserialize;

/// The `infer_mode` of an inferencer that holds a dialogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DialogueMode {
    /// Every answer, each after the model's own.
    Every,
    /// Every answer, each after the gold ones.
    EveryWithGt,
    /// The last answer only, after the gold ones.
    Last,
}

impl DialogueMode {
    /// Which of a list of `max_out_len` holds in AISBench: the first, or the last when only the last
    /// answer is asked for.
    pub fn max_out_len(self, list: &[usize]) -> Option<usize> {
        match self {
            Self::Every | Self::EveryWithGt => list.first().copied(),
            Self::Last => list.last().copied(),
        }
    }
}
