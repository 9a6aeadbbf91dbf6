//! What a tokenizer says of its stages, examined before any of them runs.
//!
//! Read from `tokenizer.json` beside the library, which builds and runs what it reads in one go. What no
//! text could pass in reasonable memory is refused by its name in the file.

use serde::Deserialize;
use serde_json::Value;

use super::{
    expansion::Expansion,
    growth::{self, Growth},
};

/// Most bytes that normalizer and pre-tokenizer, or the decoder, may make of one. Those that are known
/// stay below 5000, bounded as generously.
const MOST_GROWTH: f64 = 65_536.0;

/// Most tokens that a post-processor may add, and most times that it may repeat a text; real ones add up to
/// five and repeat nothing.
const MOST_ADDED_TOKENS: usize = 1024;
const MOST_REPETITIONS: usize = 8;

/// Most letters of a word that `WordPiece` looks up, which takes their square; the usual number is 100.
const MOST_WORD_LETTERS: u64 = 10_000;

/// A tokenizer without its vocabulary.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Parts {
    #[serde(default)]
    normalizer: Value,
    #[serde(default)]
    pre_tokenizer: Value,
    #[serde(default)]
    post_processor: Value,
    #[serde(default)]
    decoder: Value,
    #[serde(default)]
    added_tokens: Vec<AddedText>,
    #[serde(default)]
    model: ModelPart,
}

#[derive(Debug, Deserialize)]
struct AddedText {
    content: String,
    #[serde(default)]
    normalized: bool,
}

/// The little that matters here of the algorithm.
#[derive(Debug, Default, Deserialize)]
struct ModelPart {
    max_input_chars_per_word: Option<u64>,
}

impl Parts {
    /// Reads the bytes of a `tokenizer.json`.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(bytes).map_err(|error| format!("not a tokenizer: {error}"))
    }

    /// Those of a tokenizer that was put together here.
    pub(super) fn of(tokenizer: &tokenizers::Tokenizer) -> Result<Self, String> {
        let part = |part: serde_json::Result<Value>| part.map_err(|error| error.to_string());
        Ok(Self {
            normalizer: part(serde_json::to_value(tokenizer.get_normalizer()))?,
            pre_tokenizer: part(serde_json::to_value(tokenizer.get_pre_tokenizer()))?,
            post_processor: part(serde_json::to_value(tokenizer.get_post_processor()))?,
            decoder: part(serde_json::to_value(tokenizer.get_decoder()))?,
            added_tokens: Vec::new(),
            model: ModelPart::default(),
        })
    }

    /// Refuses what cannot run in reasonable memory; how texts grow.
    pub(super) fn check(&self) -> Result<Expansion, String> {
        let mut decoded = Growth::NONE;
        for stage in growth::stages(&self.decoder, "decoder")? {
            decoded = decoded.then(growth::of_text(stage, "decoder")?);
        }
        bounded("decoder", decoded)?;
        self.check_post_processor()?;
        if self.model.max_input_chars_per_word.is_some_and(|letters| letters > MOST_WORD_LETTERS) {
            return Err(format!(
                "`max_input_chars_per_word` is more than {MOST_WORD_LETTERS}, which would take hours"
            ));
        }
        let expansion = Expansion::new(&self.normalizer, &self.pre_tokenizer)?;
        bounded("normalizer` and `pre_tokenizer", expansion.growth())?;
        let normalized = self.added_tokens.iter().filter(|token| token.normalized);
        expansion
            .check_pieces(normalized.map(|token| token.content.as_str()))
            .map_err(|problem| format!("`added_tokens`, normalized: {problem}"))?;
        Ok(expansion)
    }

    fn check_post_processor(&self) -> Result<(), String> {
        let (mut added, mut repetitions) = (0_usize, 1_usize);
        for stage in growth::stages(&self.post_processor, "post_processor")? {
            let Some(template) = stage["single"].as_array() else { continue };
            let special = |piece: &Value| {
                let ids = &stage["special_tokens"][piece["SpecialToken"]["id"].as_str()?]["ids"];
                ids.as_array().map(Vec::len)
            };
            let own: usize = template.iter().filter_map(special).sum();
            let texts = template.iter().filter(|piece| piece.get("Sequence").is_some()).count();
            repetitions = repetitions.saturating_mul(texts.max(1));
            added = added.saturating_mul(texts.max(1)).saturating_add(own);
        }
        if repetitions > MOST_REPETITIONS {
            return Err(format!("`post_processor` repeats every text {repetitions} times"));
        }
        if added > MOST_ADDED_TOKENS {
            return Err(format!("`post_processor` adds {added} tokens to every text"));
        }
        Ok(())
    }
}

fn bounded(part: &str, growth: Growth) -> Result<(), String> {
    if growth.factor > MOST_GROWTH {
        return Err(format!(
            "`{part}` may make a text {:.0e} times as long, where {MOST_GROWTH} times is the most that is \
             run",
            growth.factor
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refusal(part: &str, value: &Value) -> String {
        let file = json!({ part: value }).to_string();
        Parts::read(file.as_bytes()).unwrap().check().map(|_| ()).unwrap_err()
    }

    #[test]
    fn parts_that_would_never_end_are_refused_by_name() {
        let double = json!({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"});
        let chain = |field: &str| json!({"type": "Sequence", field: vec![double.clone(); 40]});
        let text = json!({"Sequence": {"id": "A", "type_id": 0}});
        let special = json!({"SpecialToken": {"id": "s", "type_id": 0}});
        let template = |single: Value, ids: usize| {
            json!({"type": "TemplateProcessing", "single": single,
                "special_tokens": {"s": {"id": "s", "ids": vec![1; ids], "tokens": vec!["s"; ids]}}})
        };
        let twice = template(json!([text, text]), 1);
        for (message, expected) in [
            (refusal("normalizer", &chain("normalizers")), "`normalizer` and"),
            (
                refusal("decoder", &chain("decoders")),
                "`decoder` may make a text 1e12 times as long",
            ),
            (
                refusal("post_processor", &template(json!([special, text]), 5000)),
                "adds 5000 tokens",
            ),
            (
                refusal(
                    "post_processor",
                    &json!({"type": "Sequence", "processors": vec![twice; 30]}),
                ),
                "repeats every text",
            ),
            (refusal("model", &json!({"max_input_chars_per_word": 1_u64 << 40})), "take hours"),
        ] {
            assert!(message.contains(expected), "{message}");
        }
        let long = json!({"type": "Sequence", "normalizers": vec![double; 16]});
        let tokens = json!([{"content": "a".repeat(4096), "normalized": true}]);
        let file = json!({"normalizer": long, "added_tokens": tokens}).to_string();
        let message = Parts::read(file.as_bytes()).unwrap().check().map(|_| ()).unwrap_err();
        assert!(message.contains("`added_tokens`"), "{message}");
    }
}
