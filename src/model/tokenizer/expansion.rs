//! How long a text becomes before it is divided into tokens.
//!
//! The library keeps about fifty bytes for each that a text has once it is normalized, so that is bounded
//! for every single text. The bound that follows from the stages alone is enough nearly always. Only where
//! it is not is the text really normalized, in small parts and stage by stage, to see. No part may grow
//! much: texts of people become at most eleven times as long, by Unicode's compatibility forms.

use serde_json::Value;
use tokenizers::{
    AddedVocabulary, NormalizedString, Normalizer as _, NormalizerWrapper, OffsetReferential,
    OffsetType,
};

use super::growth::{self, Growth};

/// Most bytes of a text as the model of a tokenizer gets it.
const MOST_EXPANDED_BYTES: usize = 64 << 20;

/// What by the bound of its stages becomes no longer than this is not tried.
const TRUSTED_BYTES: usize = 16 << 20;

/// Bytes of a text that are tried at once …
const PART_BYTES: usize = 64 << 10;

/// … and the most that they may become.
const MOST_PART_BYTES: usize = 4 << 20;

/// What normalizer and pre-tokenizer make of texts.
#[derive(Clone, Debug, Default)]
pub(super) struct Expansion {
    stages: Vec<(NormalizerWrapper, Growth)>,
    /// By the pre-tokenizer.
    words: Growth,
}

impl Expansion {
    /// That of the components of a `tokenizer.json`.
    pub(super) fn new(normalizer: &Value, pre_tokenizer: &Value) -> Result<Self, String> {
        let stage = |stage: &Value| {
            let growth = growth::of_text(stage, "normalizer")?;
            let stage = serde_json::from_value(stage.clone());
            stage.map(|stage| (stage, growth)).map_err(|error| format!("`normalizer`: {error}"))
        };
        let stages = growth::stages(normalizer, "normalizer")?;
        let mut words = Growth::NONE;
        for stage in growth::stages(pre_tokenizer, "pre_tokenizer")? {
            words = words.then(growth::of_words(stage)?);
        }
        Ok(Self { stages: stages.into_iter().map(stage).collect::<Result<_, _>>()?, words })
    }

    /// The growth by all stages.
    pub(super) fn growth(&self) -> Growth {
        let normalized =
            self.stages.iter().fold(Growth::NONE, |growth, (_, stage)| growth.then(*stage));
        normalized.then(self.words)
    }

    /// Refuses a text that would become too long; `added` cuts it into the pieces that are normalized.
    pub(super) fn check(&self, text: &str, added: &AddedVocabulary) -> Result<(), String> {
        if text.len() as f64 * self.growth().per_byte() <= TRUSTED_BYTES as f64 {
            return Ok(());
        }
        let mut total_bytes = 0.0;
        let mut rest = text;
        while !rest.is_empty() {
            let (part, behind) = rest.split_at(rest.floor_char_boundary(PART_BYTES));
            rest = behind;
            let pieces = added.extract_and_normalize(None::<&NormalizerWrapper>, part);
            for (piece, _, _) in pieces.get_splits(OffsetReferential::Original, OffsetType::Byte) {
                self.add(piece, &mut total_bytes)?;
            }
        }
        Ok(())
    }

    /// Refuses pieces that would become too long together.
    pub(super) fn check_pieces<'t>(
        &self,
        pieces: impl Iterator<Item = &'t str>,
    ) -> Result<(), String> {
        let mut total_bytes = 0.0;
        for piece in pieces {
            self.add(piece, &mut total_bytes)?;
        }
        Ok(())
    }

    /// Counts what a piece becomes.
    fn add(&self, piece: &str, total_bytes: &mut f64) -> Result<(), String> {
        let mut written = NormalizedString::from(piece);
        for (stage, growth) in &self.stages {
            within(growth.of(written.get().len()), MOST_PART_BYTES)?;
            stage.normalize(&mut written).map_err(|error| error.to_string())?;
        }
        *total_bytes += written.get().len() as f64 * self.words.per_byte();
        within(*total_bytes, MOST_EXPANDED_BYTES)
    }
}

fn within(bytes: f64, most_bytes: usize) -> Result<(), String> {
    if bytes <= most_bytes as f64 {
        return Ok(());
    }
    let what = if most_bytes == MOST_PART_BYTES { "a part of this text" } else { "this text" };
    Err(format!(
        "its normalizer and pre-tokenizer would make more than {} MB of {what}, the most that is \
         tokenised at once",
        most_bytes >> 20
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_really_grows_is_refused() {
        let none = AddedVocabulary::new();
        let compatible = Expansion::new(&json!({"type": "NFKC"}), &Value::Null).unwrap();
        compatible.check(&"a ".repeat(10 << 20), &none).unwrap();
        compatible.check(&"ﷺ".repeat(1 << 20), &none).unwrap();
        let refusal = compatible.check(&"a".repeat(65 << 20), &none).unwrap_err();
        assert!(refusal.contains("more than 64 MB of this text"), "{refusal}");
        let double = json!({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"});
        let hostile = json!({"type": "Sequence", "normalizers": vec![double; 16]});
        let hostile = Expansion::new(&hostile, &Value::Null).unwrap();
        hostile.check("b a", &none).unwrap();
        hostile.check(&"b".repeat(4096), &none).unwrap();
        let refusal = hostile.check(&"a".repeat(4096), &none).unwrap_err();
        assert!(refusal.contains("MB of a part of this text"), "{refusal}");
    }
}
