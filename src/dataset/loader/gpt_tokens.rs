//! Tokens of `OpenAI`'s models, in which some classes measure and cut texts whatever model is asked.
//!
//! They decide where a needle lies in a haystack and how long a text becomes, so they are part of the data set. The
//! model's own tokens are another matter.

use tiktoken_rs::{
    CoreBPE, cl100k_base_singleton,
    tokenizer::{Tokenizer, get_tokenizer},
};

use super::{
    arguments::Arguments,
    row::{Flaw, Made},
};
use crate::dataset::DatasetError;

/// `tiktoken`'s encoding of a model.
#[derive(Clone, Copy)]
pub(super) struct GptTokens(&'static CoreBPE);

impl GptTokens {
    /// `encoding_for_model` of the field `tokenizer_model`, or of the default where it is not given.
    pub(super) fn of(arguments: &Arguments<'_>, default: &str) -> Result<Self, DatasetError> {
        let model = arguments.text_or("tokenizer_model", default)?;
        match get_tokenizer(model) {
            Some(Tokenizer::Cl100kBase) => Ok(Self(cl100k_base_singleton())),
            _ => arguments.asked(Flaw::new(format!(
                "tokenizer_model='{model}' is not built in; texts are measured with the tokens of 'gpt-4' (cl100k_base), which every config of OpenCompass asks for unless TOKENIZER_MODEL is set"
            ))),
        }
    }

    /// `encode`: a text that holds a special token is an error, as it is there.
    pub(super) fn encode(self, text: &str) -> Made<Vec<u32>> {
        let special = self.0.special_tokens();
        match special.into_iter().find(|special| text.contains(special)) {
            Some(special) => Flaw::new(format!("a text holds the special token {special}")),
            None => Ok(self.0.encode_ordinary(text)),
        }
    }

    /// How many tokens a text is.
    pub(super) fn count(self, text: &str) -> Made<usize> {
        self.encode(text).map(|tokens| tokens.len())
    }

    /// `decode`: bytes that are no letter become the replacement character.
    pub(super) fn decode(self, tokens: &[u32]) -> Made<String> {
        let bytes = self.0.decode_bytes(tokens).map_err(|error| Flaw(error.to_string()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_tokens_and_not_between_letters() {
        let tokens = GptTokens(cl100k_base_singleton());
        assert_eq!(tokens.encode("hello world").unwrap_or_default(), [15_339, 1_917]);
        let cut = tokens.encode("\u{1f980}").unwrap_or_default();
        assert_eq!(tokens.decode(&cut[..1]).ok().as_deref(), Some("\u{fffd}"));
        assert!(tokens.encode("a <|endoftext|> b").is_err());
    }
}
