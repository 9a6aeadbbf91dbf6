//! The tokenizer that a GGUF file's metadata describes.
//!
//! The file names a kind of tokenizer and lists tokens, types, scores or merges; what texts go through
//! before that is only a name (`tokenizer.ggml.pre`), whose meaning is llama.cpp's. What this module reads
//! becomes the same parts as a folder's files: a tokenizer of the crate `tokenizers`, and settings with
//! special tokens and chat templates. Kinds and names that are not known here are refused.

mod byte_level;
mod split_rules;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tokenizers::AddedToken;

use self::byte_level::ByteLevelModel;
use super::{
    library::Library,
    pieces::{AddedTokens, Algorithm, Normalization, Piece, PieceKind, PieceModel, SpacePrefix},
    settings::TokenizerSettings,
};
use crate::model::error::ModelError;
use crate::model::gguf::Metadata;

const MODEL: &str = "tokenizer.ggml.model";
const TOKENS: &str = "tokenizer.ggml.tokens";
const TYPES: &str = "tokenizer.ggml.token_type";
const SCORES: &str = "tokenizer.ggml.scores";
const MERGES: &str = "tokenizer.ggml.merges";
const SPLIT_RULE: &str = "tokenizer.ggml.pre";
const TEMPLATE: &str = "tokenizer.chat_template";

/// The special tokens of settings and the keys that say which they are.
const SPECIAL_TOKENS: [(&str, &str); 4] = [
    ("bos_token", "tokenizer.ggml.bos_token_id"),
    ("eos_token", "tokenizer.ggml.eos_token_id"),
    ("unk_token", "tokenizer.ggml.unknown_token_id"),
    ("pad_token", "tokenizer.ggml.padding_token_id"),
];

/// Builds the tokenizer and its settings.
pub(super) fn read(metadata: &Metadata) -> Result<(Library, TokenizerSettings), ModelError> {
    let refused =
        |problem: String| ModelError::Tokenizer { path: metadata.path().to_owned(), problem };
    match metadata.required::<&str>(MODEL)? {
        "llama" => {
            let mut pieces = pieces(metadata)?;
            let special = special_tokens(metadata, &pieces, [Some(1), Some(2), None, None])?;
            let unknown = special.get("unk_token");
            for piece in &mut pieces {
                if piece.kind == PieceKind::Normal
                    && unknown.is_some_and(|text| *text == *piece.text)
                {
                    piece.kind = PieceKind::Unknown;
                }
            }
            let settings = settings(metadata, special, true)?;
            let added = AddedTokens::new(stripping_tokens(metadata, &pieces)?, &settings);
            let normalization = normalization(metadata)?;
            let model = PieceModel { pieces, algorithm: Algorithm::Bpe, normalization };
            Ok((Library::build(|| model.tokenizer(&added)).map_err(refused)?, settings))
        }
        "gpt2" => {
            let rule = match metadata.optional::<&str>(SPLIT_RULE)? {
                Some(name) => {
                    split_rules::of(name).ok_or_else(|| metadata.unsupported(SPLIT_RULE))?
                }
                None => {
                    return Err(refused(format!(
                        "does not say how words are divided (`{SPLIT_RULE}`); an old converter made it, \
                         so convert the model again"
                    )));
                }
            };
            let tokens = pieces(metadata)?;
            let special = special_tokens(metadata, &tokens, [None; 4])?;
            let settings = settings(metadata, special, rule.adds_bos)?;
            let merges = metadata.required(MERGES)?;
            let model = ByteLevelModel { tokens: &tokens, merges, rule };
            let library = Library::build(|| model.tokenizer(settings.special_token_texts()));
            Ok((library.map_err(refused)?, settings))
        }
        _ => Err(metadata.unsupported(MODEL)),
    }
}

/// Tokens with their scores and types. A byte-level vocabulary has no scores; where types are missing, all
/// tokens are text.
fn pieces(metadata: &Metadata) -> Result<Vec<Piece>, ModelError> {
    let tokens: &[String] = metadata.required(TOKENS)?;
    let scores: Option<&[f64]> = metadata.optional(SCORES)?;
    let types: Option<&[i128]> = metadata.optional(TYPES)?;
    let lengths = [(SCORES, scores.map(<[_]>::len)), (TYPES, types.map(<[_]>::len))];
    for (key, length) in lengths {
        if length.is_some_and(|length| length != tokens.len()) {
            let what = format!("as long as the {} entries of `{TOKENS}`", tokens.len());
            return Err(metadata.expected(key, &what));
        }
    }
    let piece = |(id, text): (usize, &String)| {
        let kind = match types.map_or(1, |types| types[id]) {
            // 0 is "undefined", which llama.cpp takes for text.
            0 | 1 => PieceKind::Normal,
            2 => PieceKind::Unknown,
            3 => PieceKind::Control,
            4 => PieceKind::UserDefined,
            5 => PieceKind::Unused,
            6 => PieceKind::Byte,
            other => {
                let what = format!("numbers from 0 to 6 (token `{text}` has {other})");
                return Err(metadata.expected(TYPES, &what));
            }
        };
        // As llama.cpp names a token without text.
        let text = if text.is_empty() { format!("[EMPTY_{id}]") } else { text.clone() };
        Ok(Piece { text, score: scores.map_or(0.0, |scores| scores[id]), kind })
    };
    tokens.iter().enumerate().map(piece).collect()
}

/// The special tokens by the names that settings have for them; `defaults` are the ids where the file
/// names none.
fn special_tokens(
    metadata: &Metadata,
    pieces: &[Piece],
    defaults: [Option<usize>; 4],
) -> Result<Map<String, Value>, ModelError> {
    let mut found = Map::new();
    for ((name, key), default) in SPECIAL_TOKENS.into_iter().zip(defaults) {
        let own = metadata.optional::<usize>(key)?;
        match (own, own.or(default).and_then(|id| pieces.get(id))) {
            (_, Some(piece)) => {
                found.insert(name.to_owned(), piece.text.clone().into());
            }
            (Some(_), None) => {
                return Err(metadata.expected(key, &format!("an id below {}", pieces.len())));
            }
            (None, None) => {}
        }
    }
    Ok(found)
}

/// What a folder's `tokenizer_config.json` would say.
fn settings(
    metadata: &Metadata,
    mut config: Map<String, Value>,
    adds_bos: bool,
) -> Result<TokenizerSettings, ModelError> {
    let flag = |key: &str| metadata.optional::<bool>(key);
    let adds_bos = flag("tokenizer.ggml.add_bos_token")?.unwrap_or(adds_bos);
    let adds_eos = flag("tokenizer.ggml.add_eos_token")?.unwrap_or(false);
    config.insert("add_bos_token".to_owned(), adds_bos.into());
    config.insert("add_eos_token".to_owned(), adds_eos.into());
    let mut templates = Vec::new();
    for key in metadata.keys() {
        let name = match key.strip_prefix(TEMPLATE) {
            Some("") => "default",
            Some(rest) => match rest.strip_prefix('.') {
                Some(name) => name,
                None => continue,
            },
            None => continue,
        };
        templates.push(json!({"name": name, "template": metadata.required::<&str>(key)?}));
    }
    config.insert("chat_template".to_owned(), templates.into());
    let mut settings = TokenizerSettings::from_json(&config.into(), &Value::Null);
    settings.fill(Vec::new());
    Ok(settings)
}

fn normalization(metadata: &Metadata) -> Result<Normalization, ModelError> {
    let flag = |key: &str| metadata.optional::<bool>(key);
    let key = "tokenizer.ggml.precompiled_charsmap";
    let charsmap: &[i128] = metadata.optional(key)?.unwrap_or_default();
    // Writers store the bytes with a sign or without.
    let byte = |number: &i128| u8::try_from(*number & 0xff).ok();
    let prefix = flag("tokenizer.ggml.add_space_prefix")?.unwrap_or(true);
    Ok(Normalization {
        charsmap: charsmap.iter().filter_map(byte).collect(),
        removes_extra_spaces: flag("tokenizer.ggml.remove_extra_whitespaces")?.unwrap_or(false),
        space_prefix: if prefix { SpacePrefix::EveryStretch } else { SpacePrefix::Nowhere },
    })
}

/// Special tokens that take the white space behind them along, by id. Files do not say so; it is known of
/// Phi-3, in whose own tokenizer three do not.
fn stripping_tokens(
    metadata: &Metadata,
    pieces: &[Piece],
) -> Result<BTreeMap<u32, AddedToken>, ModelError> {
    let mut found = BTreeMap::new();
    if metadata.optional::<&str>("general.architecture")? == Some("phi3") {
        for (id, piece) in (0..).zip(pieces) {
            let is_special = piece.kind == PieceKind::Control;
            let is_one = is_special || piece.kind == PieceKind::UserDefined || piece.text == "</s>";
            if is_one && !["<s>", "<unk>", "<|endoftext|>"].contains(&piece.text.as_str()) {
                let token = AddedToken::from(piece.text.as_str(), is_special);
                found.insert(id, token.normalized(false).rstrip(true));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use candle_core::quantized::gguf_file::{self, Value as Written};

    use super::*;
    use crate::model::{Tokenizer, gguf::GgufFile};

    fn text(text: &str) -> Written {
        Written::String(text.to_owned())
    }

    fn texts(all: &[&str]) -> Written {
        Written::Array(all.iter().map(|one| text(one)).collect())
    }

    fn numbers(all: &[i32]) -> Written {
        Written::Array(all.iter().map(|one| Written::I32(*one)).collect())
    }

    /// The tokenizer of a small vocabulary, with some entries written otherwise or, as `None`, not at all.
    fn read(model: &str, changes: &[(&str, Option<Written>)]) -> Result<Tokenizer, String> {
        let mut entries = BTreeMap::from([
            (MODEL, text(model)),
            (SPLIT_RULE, text("gpt-2")),
            (TOKENS, texts(&["<unk>", "<s>", "</s>", "▁", "a", "▁a", "<|end|>"])),
            (TYPES, numbers(&[2, 3, 3, 1, 1, 1, 3])),
            (SCORES, Written::Array((0..7).map(|at| Written::F32(-(at as f32))).collect())),
            (MERGES, texts(&["▁ a"])),
        ]);
        for (key, value) in changes {
            match value {
                Some(value) => entries.insert(key, value.clone()),
                None => entries.remove(key),
            };
        }
        let entries: Vec<(&str, &Written)> =
            entries.iter().map(|(key, value)| (*key, value)).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.gguf");
        gguf_file::write(&mut std::fs::File::create(&path).unwrap(), &entries, &[]).unwrap();
        let file = GgufFile::open(&path).unwrap();
        Tokenizer::from_gguf(file.metadata()).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_known_or_does_not_fit_is_refused() {
        let bos = "tokenizer.ggml.bos_token_id";
        let add_bos = "tokenizer.ggml.add_bos_token";
        for (model, key, value, expected) in [
            (
                "bert",
                MODEL,
                Some(text("bert")),
                "`tokenizer.ggml.model` = \"bert\" is not supported",
            ),
            (
                "gpt2",
                SPLIT_RULE,
                Some(text("new")),
                "`tokenizer.ggml.pre` = \"new\" is not supported",
            ),
            ("gpt2", SPLIT_RULE, None, "does not say how words are divided"),
            (
                "gpt2",
                MERGES,
                None,
                "`tokenizer.ggml.merges` should be a list of texts, found nothing",
            ),
            ("gpt2", MERGES, Some(texts(&["▁a"])), "merge `▁a` is not two texts"),
            ("gpt2", MERGES, Some(texts(&["a b"])), "`b` out of vocabulary"),
            ("gpt2", add_bos, Some(Written::Bool(true)), "there is no bos_token"),
            ("gpt2", TOKENS, Some(texts(&["a", "a", "b", "c", "d", "e", "f"])), "tokens 0 and 1"),
            ("llama", TOKENS, Some(texts(&["a"])), "as long as the 1 entries"),
            ("llama", TYPES, Some(numbers(&[1, 1, 1, 1, 1, 1, 9])), "token `<|end|>` has 9"),
            ("llama", bos, Some(Written::U32(7)), "an id below 7"),
        ] {
            let message = read(model, &[(key, value)]).expect_err("refused");
            assert!(message.contains(expected), "{message:?} does not say {expected:?}");
        }
    }

    #[test]
    fn pieces_are_joined_and_phi3_takes_space_along() {
        let phi3 = [("general.architecture", Some(text("phi3")))];
        for (changes, with_space) in [(&[][..], vec![1, 5, 6, 3, 5]), (&phi3, vec![1, 5, 6, 5])] {
            let tokenizer = read("llama", changes).unwrap();
            assert_eq!(tokenizer.encode("a<|end|> a", true).unwrap(), with_space);
            assert_eq!(tokenizer.encode("<s> a", false).unwrap(), [1, 3, 5]);
        }
    }
}
