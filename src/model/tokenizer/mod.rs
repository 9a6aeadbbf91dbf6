//! Text to token ids and back, as transformers' fast tokenizers do it.
//!
//! `tokenizer.json` holds the algorithm and is run by the crate `tokenizers`, which transformers
//! runs too; what it asks for is examined first, and what it makes of a text is bounded ([`Library`]). Where there is none, sentencepiece's `tokenizer.model` is converted, and a GGUF file's
//! metadata is. `tokenizer_config.json` adds what transformers lays on top: which tokens begin, end
//! and pad a sequence, on which side text is cut, and the chat templates, which are kept as data
//! here and rendered elsewhere. Texts that have much in common are encoded by [`SharedText`].

mod chunk_cache;
mod cuts;
mod expansion;
mod facts;
mod file;
mod gguf;
mod growth;
mod library;
mod parts;
mod pattern;
mod pieces;
mod sentencepiece;
mod settings;
mod shared_text;
mod span;
mod stages;
mod token_bytes;

use std::path::{Path, PathBuf};

use tokenizers::processors::template::TemplateProcessing;
use tokenizers::{PostProcessorWrapper, TruncationDirection};

pub use self::{
    facts::TokenizerFacts,
    settings::{TokenizerSettings, TruncationSide},
    shared_text::SharedText,
    span::TokenSpan,
};
use self::{file::TokenizerFile, library::Library};
use super::error::ModelError;
use super::gguf::Metadata;

/// Most bytes of a token: a model could write as many for each step.
const MOST_TOKEN_BYTES: usize = 64 << 10;

/// A checkpoint's tokenizer.
#[derive(Clone, Debug)]
pub struct Tokenizer {
    library: Library,
    settings: TokenizerSettings,
    path: PathBuf,
    files: Vec<PathBuf>,
}

impl Tokenizer {
    /// Reads the tokenizer files of `folder`: `tokenizer.json`, or else `tokenizer.model`.
    pub fn read(folder: &Path) -> Result<Self, ModelError> {
        let file = TokenizerFile::find(folder).ok_or_else(|| TokenizerFile::missing(folder))?;
        let mut settings = TokenizerSettings::read(folder)?;
        let library = file.read(&mut settings)?;
        let beside = file.companions().iter().map(|name| folder.join(name));
        let files = [file.path().to_owned()].into_iter().chain(beside);
        Self::new(library, settings, files.filter(|path| path.is_file()).collect())
    }

    /// The tokenizer that a GGUF file describes, with its chat templates in the settings.
    pub fn from_gguf(metadata: &Metadata) -> Result<Self, ModelError> {
        let (library, settings) = gguf::read(metadata)?;
        Self::new(library, settings, vec![metadata.path().to_owned()])
    }

    /// Whether there is a tokenizer in `folder`.
    pub fn is_in(folder: &Path) -> bool {
        TokenizerFile::find(folder).is_some()
    }

    /// The tokenizer that `files` describe, first its own.
    fn new(
        mut library: Library,
        settings: TokenizerSettings,
        files: Vec<PathBuf>,
    ) -> Result<Self, ModelError> {
        let path = files.first().cloned().unwrap_or_default();
        // Whoever wrote the file may have left these on; transformers sets them anew for each call.
        library.inner_mut().with_padding(None);
        library.inner_mut().with_truncation(None).map_err(|error| ModelError::Tokenizer {
            path: path.clone(),
            problem: error.to_string(),
        })?;
        let mut tokenizer = Self { library, settings, path, files };
        tokenizer.rebuild_post_processor()?;
        Ok(tokenizer)
    }

    /// Every file that decides what it does.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// A tokenizer that knows no token: every text is empty. For models that are only measured.
    pub(super) fn without_vocabulary() -> Self {
        Self {
            library: Library::without_vocabulary(),
            settings: TokenizerSettings::default(),
            path: PathBuf::new(),
            files: Vec::new(),
        }
    }

    /// What stands beside the algorithm, most of it in `tokenizer_config.json`.
    pub fn settings(&self) -> &TokenizerSettings {
        &self.settings
    }

    /// The ids of a text, with the special tokens the tokenizer adds if `add_special_tokens`.
    pub fn encode(&self, text: &str, add_special_tokens: bool) -> Result<Vec<u32>, ModelError> {
        let encoding = self.library.encode(text, add_special_tokens);
        Ok(encoding.map_err(|problem| self.failed(problem))?.get_ids().to_vec())
    }

    /// As [`Self::encode`], cut so that at most `most_tokens` remain.
    ///
    /// The text is cut, never the added special tokens, on `side` as transformers'
    /// `truncation=True`.
    pub fn encode_truncated(
        &self,
        text: &str,
        add_special_tokens: bool,
        most_tokens: usize,
        side: TruncationSide,
    ) -> Result<Vec<u32>, ModelError> {
        let encoding = self
            .library
            .encode_truncated(text, add_special_tokens, most_tokens, direction(side))
            .map_err(|problem| self.failed(problem))?;
        Ok(encoding.get_ids().iter().copied().take(most_tokens).collect())
    }

    /// The most bytes of a text that `most_tokens` can stand for, as the vocabulary writes them.
    pub fn most_text_bytes(&self, most_tokens: usize) -> usize {
        most_tokens.saturating_mul(self.library.longest_token_bytes())
    }

    /// The text of ids. Bytes that are not UTF-8 become U+FFFD; ids without a token are left out.
    pub fn decode(&self, ids: &[u32], skip_special_tokens: bool) -> Result<String, ModelError> {
        let text = self
            .library
            .decode(ids, skip_special_tokens)
            .map_err(|problem| self.failed(problem))?;
        Ok(if self.settings.clean_up_spaces { settings::clean_up_spaces(&text) } else { text })
    }

    /// What a token adds to a text, its leading space included; a part of a character is U+FFFD.
    pub fn token_text(&self, id: u32) -> String {
        self.text_behind_letter(id, |ids| self.decode(ids, false).ok())
    }

    /// The id of a token, by its exact content.
    pub fn token_id(&self, token: &str) -> Option<u32> {
        self.library.inner().token_to_id(token)
    }

    /// Whether an id is a special token, which decoding may skip.
    pub fn is_special(&self, id: u32) -> bool {
        self.library
            .inner()
            .get_added_vocabulary()
            .get_added_tokens_decoder()
            .get(&id)
            .is_some_and(|token| token.special)
    }

    /// The texts of all special tokens.
    pub fn special_tokens(&self) -> Vec<String> {
        let tokens = self.library.inner().get_added_tokens_decoder();
        tokens.into_values().filter(|token| token.special).map(|token| token.content).collect()
    }

    /// The id of the token that ends a sequence.
    pub fn eos_id(&self) -> Option<u32> {
        self.settings.eos_token.as_deref().and_then(|token| self.token_id(token))
    }

    /// The id of the token that begins a sequence.
    pub fn bos_id(&self) -> Option<u32> {
        self.settings.bos_token.as_deref().and_then(|token| self.token_id(token))
    }

    /// Refuses a tokenizer that can produce ids the embedding has no row for, or endless text.
    pub(super) fn check_vocabulary(&self, vocabulary_size: usize) -> Result<(), ModelError> {
        if self.library.longest_token_bytes() > MOST_TOKEN_BYTES {
            return Err(self.failed(format!(
                "a token has {} bytes, where {MOST_TOKEN_BYTES} is the most that makes sense",
                self.library.longest_token_bytes()
            )));
        }
        match self.library.inner().get_vocab(true).into_iter().map(|(token, id)| (id, token)).max()
        {
            Some((id, token)) if id as usize >= vocabulary_size => Err(ModelError::Tokenizer {
                path: self.path.clone(),
                problem: format!(
                    "token `{token}` has id {id}, but the model's vocabulary ends at {}; the \
                     tokenizer belongs to another model",
                    vocabulary_size.saturating_sub(1)
                ),
            }),
            _ => Ok(()),
        }
    }

    /// Llama's and Gemma's tokenizer classes decide themselves whether a sequence begins with BOS
    /// and ends with EOS, whatever post-processor `tokenizer.json` holds.
    fn rebuild_post_processor(&mut self) -> Result<(), ModelError> {
        let Some(added) = self.settings.sequence_tokens() else { return Ok(()) };
        let id_of = |token: &Option<String>, kind: &str| {
            let problem = match token {
                None => format!("add_{kind}_token is on, but there is no {kind}_token"),
                Some(token) => match self.library.inner().token_to_id(token) {
                    Some(id) => return Ok((token.clone(), id)),
                    None => format!("{kind}_token `{token}` is not in the vocabulary"),
                },
            };
            Err(ModelError::Tokenizer { path: self.path.clone(), problem })
        };
        let first = added.bos.then(|| id_of(&self.settings.bos_token, "bos")).transpose()?;
        let last = added.eos.then(|| id_of(&self.settings.eos_token, "eos")).transpose()?;
        let template: Vec<String> = first
            .iter()
            .map(|(token, _)| format!("{token}:0"))
            .chain(["$A:0".to_owned()])
            .chain(last.iter().map(|(token, _)| format!("{token}:0")))
            .collect();
        let special_tokens: Vec<(String, u32)> = first.into_iter().chain(last).collect();
        let refused = |problem: String| ModelError::Tokenizer { path: self.path.clone(), problem };
        let mut builder = TemplateProcessing::builder();
        let processor = builder
            .try_single(template)
            .map_err(refused)?
            .special_tokens(special_tokens)
            .build()
            .map_err(|error| refused(error.to_string()))?;
        self.library.inner_mut().with_post_processor(Some(PostProcessorWrapper::from(processor)));
        Ok(())
    }

    fn failed(&self, problem: String) -> ModelError {
        ModelError::Tokenizer { path: self.path.clone(), problem }
    }
}

fn direction(side: TruncationSide) -> TruncationDirection {
    match side {
        TruncationSide::Left => TruncationDirection::Left,
        TruncationSide::Right => TruncationDirection::Right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/models/llama");

    /// The fixture's tokenizer with a `tokenizer_config.json` beside it.
    fn tokenizer(config: &str) -> Result<Tokenizer, ModelError> {
        let folder = tempfile::tempdir().unwrap();
        let place = |file: &str| folder.path().join(file);
        std::fs::copy(Path::new(FIXTURE).join("tokenizer.json"), place("tokenizer.json")).unwrap();
        std::fs::write(place("tokenizer_config.json"), config).unwrap();
        Tokenizer::read(folder.path())
    }

    const LLAMA_CLASS: &str = r#"{"tokenizer_class": "LlamaTokenizer", "add_eos_token": true,
        "bos_token": "<|im_start|>", "eos_token": "<|im_end|>"}"#;

    #[test]
    fn the_tokenizer_class_decides_what_stands_around_a_sequence() {
        let plain = tokenizer("{}").unwrap();
        let wrapped = tokenizer(LLAMA_CLASS).unwrap();
        let text = "Question: 1+1";
        let ids = plain.encode(text, true).unwrap();
        assert_eq!(wrapped.encode(text, false).unwrap(), ids);
        assert_eq!(wrapped.encode(text, true).unwrap(), [&[1], ids.as_slice(), &[2]].concat());
        assert!(tokenizer(r#"{"tokenizer_class": "LlamaTokenizer"}"#).is_err());
    }

    #[test]
    fn truncation_cuts_the_text_and_keeps_added_tokens() {
        let tokenizer = tokenizer(LLAMA_CLASS).unwrap();
        let text = "Question: Which is true?";
        let whole = tokenizer.encode(text, false).unwrap();
        let cut = |most_tokens, side| tokenizer.encode_truncated(text, true, most_tokens, side);
        let kept = |part: &[u32]| [&[1], part, &[2]].concat();
        assert_eq!(cut(6, TruncationSide::Right).unwrap(), kept(&whole[..4]));
        assert_eq!(cut(6, TruncationSide::Left).unwrap(), kept(&whole[whole.len() - 4..]));
        assert_eq!(cut(500, TruncationSide::Left).unwrap(), kept(&whole));
        assert_eq!(cut(2, TruncationSide::Right).unwrap(), [1, 2]);
        assert!(cut(0, TruncationSide::Right).unwrap().is_empty());
    }

    #[test]
    fn special_tokens_are_skipped_and_broken_characters_marked() {
        let tokenizer = tokenizer("{}").unwrap();
        let ids = tokenizer.encode("<|im_start|>根", true).unwrap();
        assert_eq!(tokenizer.decode(&ids, true).unwrap(), "根");
        assert_eq!(tokenizer.decode(&ids, false).unwrap(), "<|im_start|>根");
        assert_eq!(tokenizer.decode(&ids[..2], true).unwrap(), "\u{fffd}");
        assert_eq!(tokenizer.decode(&[9999], true).unwrap(), "");
    }
}
