//! The prompts of a body: texts or token ids, one or several.

use std::sync::Arc;

use serde_json::Value;

use super::{
    fields::{shown, wrong},
    problem::Problem,
    served_model::ModelFacts,
};
use crate::model::TokenSpan;

const EXPECTED: &str = "a text, a list of token ids, or a list of either";

/// A prompt.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Prompt {
    /// Its tokens.
    pub(super) ids: Arc<[u32]>,
    /// Its text, as it was given or as its ids spell it; of ids nothing unless it is echoed.
    pub(super) text: String,
    /// Whether the tokenizer cut the text.
    is_text: bool,
    /// Where each of its tokens begins in the text, in characters; of a token that is not in it, where it would stand.
    pub(super) offsets: Vec<usize>,
}

impl Prompt {
    /// Reads the field `prompt`: at least one prompt and at most `most`, each of one token at least.
    pub(super) fn list(
        value: Value,
        adds_special_tokens: bool,
        most: usize,
        is_echoed: bool,
        model: &ModelFacts,
    ) -> Result<Vec<Self>, Problem> {
        let of_text = |text: String| Self::of_text(text, adds_special_tokens, model);
        let values = match value {
            Value::String(text) => return Ok(vec![of_text(text)?]),
            Value::Array(values) if values.first().is_some_and(Value::is_number) => {
                return Ok(vec![Self::of_ids(&values, is_echoed, model)?]);
            }
            Value::Array(values) => values,
            other => return Err(wrong("prompt", EXPECTED, &other)),
        };
        if values.is_empty() {
            return Err(Problem::field("prompt", "`prompt` is an empty list"));
        }
        if values.len() > most {
            let message = format!("`prompt` has {} prompts; at most {most} fit", values.len());
            return Err(Problem::field("prompt", message));
        }
        let prompt = |value| match value {
            Value::String(text) => of_text(text),
            Value::Array(ids) => Self::of_ids(&ids, is_echoed, model),
            other => Err(wrong("prompt", EXPECTED, &other)),
        };
        values.into_iter().map(prompt).collect()
    }

    fn of_text(
        text: String,
        adds_special_tokens: bool,
        model: &ModelFacts,
    ) -> Result<Self, Problem> {
        let ids = model.encoded(&text, adds_special_tokens, "prompt")?;
        Self::new(ids, text, true)
    }

    fn of_ids(values: &[Value], is_echoed: bool, model: &ModelFacts) -> Result<Self, Problem> {
        let id = |value: &Value| {
            model.id(value).ok_or_else(|| {
                let message = format!(
                    "`prompt` should have token ids from 0 to {}, found {}",
                    model.vocabulary_size().saturating_sub(1),
                    shown(value)
                );
                Problem::field("prompt", message)
            })
        };
        let ids = values.iter().map(id).collect::<Result<Vec<u32>, _>>()?;
        let text = if is_echoed { model.decoded(&ids, false)? } else { String::new() };
        Self::new(ids, text, false)
    }

    fn new(ids: Vec<u32>, text: String, is_text: bool) -> Result<Self, Problem> {
        if ids.is_empty() {
            let message =
                "a prompt has no tokens, and something has to stand before what is written";
            return Err(Problem::field("prompt", message));
        }
        Ok(Self { ids: ids.into(), text, is_text, offsets: Vec::new() })
    }

    /// A conversation, as it was written.
    pub(super) fn of_conversation(text: String, model: &ModelFacts) -> Result<Self, Problem> {
        let ids = model.encoded(&text, false, "messages")?;
        Self::new(ids, text, true)
            .map_err(|problem| Problem { param: Some("messages".to_owned()), ..problem })
    }

    /// Finds where its tokens stand in its text.
    pub(super) fn locate(&mut self, adds_special_tokens: bool, model: &ModelFacts) {
        let spans = self
            .is_text
            .then(|| model.tokenizer.encode_with_spans(&self.text, adds_special_tokens).ok())
            .flatten();
        self.offsets = if let Some(spans) = spans {
            let (mut bytes, mut letters) = (0, 0);
            let place = |span: &TokenSpan| {
                let start = span.bytes.start.max(bytes);
                letters += self.text.get(bytes..start).map_or(0, |text| text.chars().count());
                bytes = start;
                letters
            };
            spans.iter().map(place).collect()
        } else {
            // Ids need not be how the tokenizer cuts the text.
            let mut offsets = Offsets::default();
            self.ids.iter().map(|&id| offsets.next(&model.spelled(id).bytes)).collect()
        };
    }
}

/// Where tokens begin in the text that they spell, in characters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Offsets {
    /// Characters that have begun.
    begun: usize,
    /// Bytes that the latest of them still lacks.
    missing: usize,
}

impl Offsets {
    /// Offsets from here on.
    pub(super) fn from(letters: usize) -> Self {
        Self { begun: letters, missing: 0 }
    }

    /// Where a token of these bytes begins: within a character that others began, where that does.
    pub(super) fn next(&mut self, bytes: &[u8]) -> usize {
        let start = self.begun - usize::from(self.missing > 0 && self.begun > 0);
        for byte in bytes {
            if matches!(byte, 0x80..=0xBF) {
                self.missing = self.missing.saturating_sub(1);
                continue;
            }
            self.begun += 1;
            self.missing = match byte {
                0xC0..=0xDF => 1,
                0xE0..=0xEF => 2,
                0xF0..=0xF7 => 3,
                _ => 0,
            };
        }
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_within_a_character_begins_where_that_does() {
        let mut offsets = Offsets::default();
        let pieces: [&[u8]; 5] = [b"ab", b"\xe6\xa0", b"\xb9", b" c", b""];
        assert_eq!(pieces.map(|piece| offsets.next(piece)), [0, 2, 2, 3, 5]);
    }
}
