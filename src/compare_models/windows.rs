//! A text as windows of tokens.

use super::ComparisonOptions;
use crate::{
    model::{Checkpoint, ModelError},
    prepare::PrepareError,
};

/// Windows of a text, one after another, each read on its own.
///
/// As llama.cpp does it: windows have one length and do not overlap, every window begins with the
/// token that begins sequences if the tokenizer adds one, and only the second half of a window is
/// scored, so that every scored token has at least half a window before it. What is left at the end
/// of the text is not read.
#[derive(Debug)]
pub(super) struct Windows {
    /// The text.
    ids: Vec<u32>,
    /// What each begins with.
    bos_id: Option<u32>,
    /// How long each is, with that.
    tokens: usize,
    count: usize,
}

impl Windows {
    /// Cuts `text` for both checkpoints, which must read it as the same tokens.
    pub(super) fn cut(
        text: &str,
        checkpoints: [&Checkpoint; 2],
        options: &ComparisonOptions,
    ) -> Result<Self, PrepareError> {
        let names = [options.base.as_str(), &options.other];
        let wrong = |subject: &str, problem: String| PrepareError::Comparison {
            subject: subject.to_owned(),
            problem,
        };
        let sizes = checkpoints.map(|checkpoint| checkpoint.spec().vocabulary_size);
        if sizes[0] != sizes[1] {
            return Err(wrong(
                names[1],
                format!(
                    "its vocabulary has {} tokens, that of {} has {}; distributions can only be \
                     compared over the same tokens",
                    sizes[1], names[0], sizes[0]
                ),
            ));
        }
        for (name, checkpoint) in names.into_iter().zip(checkpoints) {
            let context_tokens = checkpoint.spec().context_tokens;
            if options.window_tokens > context_tokens {
                return Err(wrong(
                    name,
                    format!(
                        "reads at most {context_tokens} tokens, but windows have {}; ask for \
                         shorter ones",
                        options.window_tokens
                    ),
                ));
            }
        }
        let encode = |side: usize, text: &str, special: bool| {
            checkpoints[side].tokenizer().encode(text, special).map_err(|source: ModelError| {
                PrepareError::Model { model: names[side].to_owned(), source: Box::new(source) }
            })
        };
        let ids = encode(0, text, false)?;
        let others = encode(1, text, false)?;
        if ids != others {
            let place = ids.iter().zip(&others).take_while(|(id, other)| id == other).count();
            return Err(wrong(
                names[1],
                format!(
                    "reads the text as other tokens than {}, first at token {place}; models are \
                     only compared token by token",
                    names[0]
                ),
            ));
        }
        let bos_id = checkpoints[0]
            .tokenizer()
            .bos_id()
            .filter(|&bos| encode(0, "", true).is_ok_and(|added| added.first() == Some(&bos)));
        let own_tokens = options.window_tokens - usize::from(bos_id.is_some());
        let count = (ids.len() / own_tokens).min(options.most_windows.unwrap_or(usize::MAX));
        if count == 0 {
            return Err(wrong(
                &options.text.display().to_string(),
                format!(
                    "has {} tokens, but a window has {own_tokens}; give a longer text or ask for \
                     shorter windows",
                    ids.len()
                ),
            ));
        }
        Ok(Self { ids, bos_id, tokens: options.window_tokens, count })
    }

    /// How many there are; at least one.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Index, in a window, of the first token that is scored; never 0.
    pub(super) fn first_target(&self) -> usize {
        self.tokens / 2 + 1
    }

    /// Scored tokens of all windows.
    pub(super) fn scored_tokens(&self) -> usize {
        self.count * (self.tokens - self.first_target())
    }

    /// The tokens of each window.
    pub(super) fn iter(&self) -> impl Iterator<Item = Vec<u32>> {
        let own_tokens = self.tokens - usize::from(self.bos_id.is_some());
        let windows = self.ids.chunks_exact(own_tokens).take(self.count);
        windows.map(|own| self.bos_id.iter().chain(own).copied().collect())
    }
}
