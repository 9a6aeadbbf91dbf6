//! The file of a folder that its tokenizer is read from.

use std::path::{Path, PathBuf};

use super::{
    library::Library,
    pieces::{ADDED_TOKENS_FILE, AddedTokens, SpacePrefix},
    sentencepiece::SentencepieceModel,
    settings::TokenizerSettings,
};
use crate::model::error::ModelError;
use crate::regular_file::{self, MOST_TOKENIZER_BYTES};

const JSON: &str = "tokenizer.json";
const SENTENCEPIECE: &str = "tokenizer.model";

/// A tokenizer's own file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenizerFile {
    /// `tokenizer.json`, of the crate `tokenizers`.
    Json(PathBuf),
    /// `tokenizer.model`, of sentencepiece.
    Sentencepiece(PathBuf),
}

impl TokenizerFile {
    /// The file in a folder: `tokenizer.json`, or else `tokenizer.model`.
    pub(super) fn find(folder: &Path) -> Option<Self> {
        let there = |name: &str| Some(folder.join(name)).filter(|path| path.exists());
        there(JSON).map(Self::Json).or_else(|| there(SENTENCEPIECE).map(Self::Sentencepiece))
    }

    /// The complaint that a folder has none.
    pub(super) fn missing(folder: &Path) -> ModelError {
        let problem = match tiktoken_file(folder) {
            Some(name) => format!(
                "there is neither {JSON} nor {SENTENCEPIECE}; {name} is a tiktoken vocabulary, {ONLY_RANKS}"
            ),
            None => format!(
                "there is neither {JSON} nor {SENTENCEPIECE}; other formats are converted by loading the \
                 tokenizer with transformers and calling `save_pretrained`, which writes {JSON}"
            ),
        };
        ModelError::Tokenizer { path: folder.to_owned(), problem }
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Json(path) | Self::Sentencepiece(path) => path,
        }
    }

    /// Names of the files beside it that decide what it does.
    pub(super) fn companions(&self) -> &'static [&'static str] {
        match self {
            Self::Json(_) => &["tokenizer_config.json", "special_tokens_map.json"],
            Self::Sentencepiece(_) => {
                &["tokenizer_config.json", "special_tokens_map.json", ADDED_TOKENS_FILE]
            }
        }
    }

    /// Reads the tokenizer. What its file says about special tokens fills what `settings` leave open.
    pub(super) fn read(&self, settings: &mut TokenizerSettings) -> Result<Library, ModelError> {
        let path = self.path();
        let refused = |problem: String| ModelError::Tokenizer { path: path.to_owned(), problem };
        let bytes = regular_file::read(path, MOST_TOKENIZER_BYTES)
            .map_err(|source| ModelError::Io { path: path.to_owned(), source })?;
        match self {
            Self::Json(_) => Library::from_json(&bytes).map_err(refused),
            Self::Sentencepiece(_) if is_tiktoken(&bytes) => {
                Err(refused(format!("a tiktoken vocabulary, {ONLY_RANKS}")))
            }
            Self::Sentencepiece(_) => {
                let read = SentencepieceModel::parse(&bytes).map_err(refused)?;
                let SentencepieceModel { mut model, special_tokens } = read;
                settings.fill(special_tokens);
                let prefix = &mut model.normalization.space_prefix;
                match settings.add_prefix_space() {
                    Some(true) => *prefix = SpacePrefix::EveryStretch,
                    Some(false) => *prefix = SpacePrefix::Nowhere,
                    None => {}
                }
                if *prefix == SpacePrefix::EveryStretch && !settings.is_legacy() {
                    *prefix = SpacePrefix::Beginning;
                }
                let folder = path.parent().unwrap_or(Path::new(""));
                let added = AddedTokens::read(folder, settings)?;
                Library::build(|| model.tokenizer(&added)).map_err(refused)
            }
        }
    }
}

/// Why a tiktoken vocabulary is not enough, and what to do.
const ONLY_RANKS: &str = "which does not say how words are divided; get tokenizer.json from the edition of the \
                          model for transformers (for Llama 3 the folder above `original`), or load the \
                          tokenizer with transformers and call `save_pretrained`";

/// The name of a file with a tiktoken vocabulary.
fn tiktoken_file(folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| name.ends_with(".tiktoken")).min()
}

/// Whether a file begins as tiktoken's do: bytes in base64, a space, a rank.
fn is_tiktoken(bytes: &[u8]) -> bool {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end();
    let mut parts = line.split(|byte| *byte == b' ');
    let (Some(token), Some(rank), None) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    !token.is_empty()
        && token.len() % 4 == 0
        && token.iter().all(is_base64)
        && !rank.is_empty()
        && rank.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::tokenizer::Tokenizer;

    #[test]
    fn a_tiktoken_vocabulary_is_told_from_a_sentencepiece_model() {
        assert!(is_tiktoken(b"IQ== 0\nIg== 1\n") && is_tiktoken(b"IQ== 0\r\n"));
        assert!(
            !is_tiktoken(b"\n\x0e\n\x05<unk>\x15") && !is_tiktoken(b"") && !is_tiktoken(b"a b")
        );
        let folder = tempfile::tempdir().unwrap();
        let message = || Tokenizer::read(folder.path()).unwrap_err().to_string();
        assert!(message().contains("neither tokenizer.json nor tokenizer.model"), "{}", message());
        std::fs::write(folder.path().join("qwen.tiktoken"), "IQ== 0\n").unwrap();
        assert!(message().contains("qwen.tiktoken is a tiktoken vocabulary"), "{}", message());
        std::fs::write(folder.path().join(SENTENCEPIECE), "IQ== 0\n").unwrap();
        assert!(message().contains("tokenizer.model: a tiktoken vocabulary"), "{}", message());
    }
}
