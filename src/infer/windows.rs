//! `SWCELossInferencer`: how surprising all texts of a data set are, one after another, in windows that overlap.
//!
//! The texts are tokenised one by one and joined. A window is `block_size` tokens and the one after them; the next
//! begins `stride` tokens further, and scores only what no window before it has scored. What is left at the end and
//! fills no window is not scored, although its characters count: as in OpenCompass, and told. A window belongs to the
//! sample of its first scored token.

use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

use serde::Deserialize;

use super::{
    InferError, Inferencer, ModelDefaults, Outcome, Prepared, PreparedPrompt, Task, fit::Fitted,
    ppl::candidate,
};
use crate::{
    answer::Question,
    config::{Component, ConfigError},
    engine::ScoreRequest,
    prompt::{Mode, Prompt},
};

/// Scores the joined texts of a data set in windows.
#[derive(Clone, Debug)]
pub struct WindowsInferencer {
    block_size_tokens: usize,
    stride_tokens: usize,
    joined: OnceLock<Result<Arc<Joined>, String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    #[serde(default = "default_block_size")]
    block_size: usize,
    #[serde(default = "default_stride")]
    stride: usize,
}

fn default_block_size() -> usize {
    1900
}

fn default_stride() -> usize {
    512
}

/// The texts of a data set, one after another.
#[derive(Debug)]
struct Joined {
    ids: Vec<u32>,
    /// Where the tokens of each sample end.
    ends: Vec<usize>,
    chars: usize,
}

impl WindowsInferencer {
    /// Reads `dict(type=SWCELossInferencer, block_size=1900, stride=512)`.
    pub fn from_component(component: &Component) -> Result<Self, ConfigError> {
        let Params { block_size, stride } = component.read()?;
        if block_size == 0 || stride == 0 || stride > block_size {
            let what = format!("block_size is {block_size} and stride {stride}");
            return Err(ConfigError::at(&component.origin, what)
                .with_hint("stride is from 1 to block_size tokens"));
        }
        let joined = OnceLock::new();
        Ok(Self { block_size_tokens: block_size, stride_tokens: stride, joined })
    }

    /// The joined texts, which are made once.
    fn joined(&self, task: &Task<'_>) -> Result<Arc<Joined>, InferError> {
        let joined = self.joined.get_or_init(|| {
            let mut joined = Joined { ids: Vec::new(), ends: Vec::new(), chars: 0 };
            let none = Prompt::Text(String::new());
            for sample in 0..task.test.len() {
                let text = task
                    .generation_text(sample, &none, "", Mode::Gen)
                    .map_err(|error| format!("sample {sample}: {error}"))?;
                let ids = task.tokenizer.encode(&text);
                joined.ids.extend(ids.map_err(|what| {
                    format!("sample {sample}: the prompt cannot be made into tokens: {what}")
                })?);
                joined.ends.push(joined.ids.len());
                joined.chars += text.chars().count();
            }
            Ok(Arc::new(joined))
        });
        joined.clone().map_err(InferError::Mismatch)
    }

    /// The windows, each with the index of its first token that is scored.
    fn windows(&self, tokens: usize) -> impl Iterator<Item = (Range<usize>, usize)> {
        let (length, stride) = (self.block_size_tokens + 1, self.stride_tokens);
        let count = tokens.checked_sub(length).map_or(0, |rest| rest / stride + 1);
        (0..count).map(move |window| {
            let start = window * stride;
            let first = if window == 0 { 1 } else { start + length - stride };
            (start..start + length, first)
        })
    }
}

impl Inferencer for WindowsInferencer {
    fn mode(&self) -> &'static str {
        "ppl"
    }

    fn summary_mode(&self) -> &'static str {
        "unknown"
    }

    fn with_defaults(&self, _: ModelDefaults) -> Box<dyn Inferencer> {
        // Another model has other tokens.
        Box::new(Self { joined: OnceLock::new(), ..self.clone() })
    }

    fn shows_examples(&self) -> bool {
        false
    }

    fn check(&self, task: &Task<'_>) -> Result<Vec<String>, InferError> {
        let refused = |what: String| Err(InferError::Mismatch(what));
        if let Some(column) = task.output_column {
            return refused(format!(
                "SWCELossInferencer scores texts and has no gold answers, but reader_cfg.output_column is {column:?}; set it \
                 to None"
            ));
        }
        if self.block_size_tokens >= task.max_seq_len_tokens {
            return refused(format!(
                "a window is {} tokens and the model's context {}; lower block_size",
                self.block_size_tokens + 1,
                task.max_seq_len_tokens
            ));
        }
        let tokens = self.joined(task)?.ids.len();
        let Some((last, _)) = self.windows(tokens).last() else {
            return refused(format!(
                "all texts together are {tokens} tokens and one window is {}; lower block_size, or give more text",
                self.block_size_tokens + 1
            ));
        };
        let left = tokens - last.end;
        Ok(Vec::from_iter((left > 0).then(|| {
            format!(
                "the last {left} of {tokens} tokens fill no window and are not scored, although their characters count, as in \
                 OpenCompass"
            )
        })))
    }

    fn prepare(&self, task: &Task<'_>, sample: usize) -> Result<Prepared, InferError> {
        let joined = self.joined(task)?;
        let end = joined.ends.get(sample).copied().unwrap_or(joined.ids.len());
        let start = sample.checked_sub(1).and_then(|before| joined.ends.get(before)).copied();
        // The very first token is scored by none.
        let own = start.map_or(0, |start| start)..end;
        let mut prompts = Vec::new();
        for (window, first) in self.windows(joined.ids.len()).filter(|(_, at)| own.contains(at)) {
            let ids = joined.ids.get(window.clone()).unwrap_or_default().to_vec();
            let fitted = Fitted { text: String::new(), ids, truncated_tokens: 0 };
            let context_tokens = first - window.start;
            prompts.push(PreparedPrompt { context_tokens, ..PreparedPrompt::of(fitted) });
        }
        Ok(Prepared::of_prompts(sample, prompts, 0))
    }

    fn question(&self, prompt: &PreparedPrompt) -> Question {
        let first_target = prompt.context_tokens.max(1);
        Question::Score(ScoreRequest { ids: prompt.ids.clone(), first_target })
    }

    fn outcome(&self, prepared: &Prepared) -> Outcome {
        let joined = self.joined.get().and_then(|joined| joined.as_ref().ok());
        Outcome::Windows {
            total_chars: joined.map_or(0, |joined| joined.chars),
            windows: prepared.prompts.iter().map(candidate).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_scored_once() {
        let inferencer =
            WindowsInferencer { block_size_tokens: 7, stride_tokens: 3, joined: OnceLock::new() };
        let windows: Vec<_> = inferencer.windows(15).collect();
        assert_eq!(windows, [(0..8, 1), (3..11, 8), (6..14, 11)]);
        assert_eq!(inferencer.windows(7).count(), 0);
    }
}
