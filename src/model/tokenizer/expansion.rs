//! How long a text becomes before it is divided into tokens.
//!
//! The library keeps about fifty bytes for each that a text has once it is normalized, so that is bounded
//! for every single text. The bound that follows from the stages alone is enough nearly always. Only where
//! it is not is the text really normalized, in small parts and stage by stage, to see.

use serde_json::Value;
use tokenizers::{
    AddedVocabulary, NormalizedString, Normalizer as _, NormalizerWrapper, OffsetReferential,
    OffsetType,
};

use super::growth::{self, Growth};

/// Most bytes of a text as the model of a tokenizer gets it.
const MOST_EXPANDED_BYTES: usize = 64 << 20;

/// Bytes of a text that are tried at once.
const PART_BYTES: usize = 64 << 10;

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
        if text.len() as f64 * self.growth().per_byte() <= MOST_EXPANDED_BYTES as f64 {
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
            within(*total_bytes + growth.of(written.get().len()))?;
            stage.normalize(&mut written).map_err(|error| error.to_string())?;
        }
        *total_bytes += written.get().len() as f64 * self.words.per_byte();
        within(*total_bytes)
    }
}

fn within(bytes: f64) -> Result<(), String> {
    if bytes <= MOST_EXPANDED_BYTES as f64 {
        return Ok(());
    }
    Err(format!(
        "its normalizer and pre-tokenizer would make more than {} MB of this text, the most that is \
         tokenised at once",
        MOST_EXPANDED_BYTES >> 20
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
        let plain = "a ".repeat(10 << 20);
        compatible.check(&plain, &none).unwrap();
        let ligatures = "ﷺ".repeat(3 << 20);
        let refusal = compatible.check(&ligatures, &none).unwrap_err();
        assert!(refusal.contains("more than 64 MB"), "{refusal}");
        assert!(compatible.check(&"a".repeat(65 << 20), &none).is_err());
        let double = json!({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"});
        let hostile = json!({"type": "Sequence", "normalizers": vec![double; 16]});
        let hostile = Expansion::new(&hostile, &Value::Null).unwrap();
        hostile.check("b a", &none).unwrap();
        hostile.check(&"b".repeat(4096), &none).unwrap();
        assert!(hostile.check(&"a".repeat(4096), &none).is_err());
    }
}
