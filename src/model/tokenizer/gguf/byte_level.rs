//! Byte-pair encoding of bytes, as GPT-2 introduced it.

use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::pre_tokenizers::{
    PreTokenizerWrapper,
    byte_level::ByteLevel,
    sequence::Sequence,
    split::{Split, SplitPattern},
};
use tokenizers::{AddedToken, SplitDelimiterBehavior};

use super::split_rules::SplitRule;
use crate::model::tokenizer::pieces::Piece;

/// Tokens in GPT-2's spelling of bytes, and the pairs that are joined, first to last.
pub(super) struct ByteLevelModel<'a> {
    pub(super) tokens: &'a [Piece],
    pub(super) merges: &'a [String],
    pub(super) rule: SplitRule,
}

impl ByteLevelModel<'_> {
    /// The tokenizer; `special` are texts of special tokens beside those that are marked as such. The error
    /// says what is wrong.
    pub(super) fn tokenizer(
        &self,
        special: impl Iterator<Item = String>,
    ) -> Result<tokenizers::Tokenizer, String> {
        let failed = |error: tokenizers::Error| error.to_string();
        let mut vocabulary = Vocab::default();
        for (token, id) in self.tokens.iter().zip(0..) {
            if let Some(first) = vocabulary.insert(token.text.clone(), id) {
                return Err(format!("tokens {first} and {id} are both `{}`", token.text));
            }
        }
        let merges = self.merges.iter().map(|merge| {
            // A left side may itself be a space.
            let at = merge.char_indices().skip(1).find(|(_, letter)| *letter == ' ');
            let (at, _) = at.ok_or_else(|| format!("merge `{merge}` is not two texts"))?;
            Ok((merge[..at].to_owned(), merge[at + 1..].to_owned()))
        });
        let model = BPE::builder()
            .vocab_and_merges(vocabulary, merges.collect::<Result<Vec<_>, String>>()?)
            .ignore_merges(self.rule.takes_whole_words)
            .build()
            .map_err(failed)?;
        let mut tokenizer = tokenizers::Tokenizer::new(model);
        tokenizer.with_pre_tokenizer(Some(self.pre_tokenizer()?));
        tokenizer.with_decoder(Some(ByteLevel::new(false, true, true)));
        let marked = self.tokens.iter().filter_map(Piece::added_token);
        let special = special.map(|text| AddedToken::from(text, true).normalized(false));
        tokenizer.add_tokens(marked.chain(special).collect::<Vec<_>>()).map_err(failed)?;
        Ok(tokenizer)
    }

    fn pre_tokenizer(&self) -> Result<Sequence, String> {
        let split = |pattern: &&str| {
            let pattern = SplitPattern::Regex((*pattern).to_owned());
            let split = Split::new(pattern, SplitDelimiterBehavior::Isolated, false);
            split.map(PreTokenizerWrapper::from).map_err(|error| error.to_string())
        };
        let mut stages = self.rule.patterns.iter().map(split).collect::<Result<Vec<_>, _>>()?;
        stages.push(ByteLevel::new(false, true, self.rule.ends_in_gpt2_words).into());
        Ok(Sequence::new(stages))
    }
}
