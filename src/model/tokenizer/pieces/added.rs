//! Tokens that a checkpoint's files add to its pieces, or name anew.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde_json::Value;
use tokenizers::AddedToken;

use super::{super::settings::TokenizerSettings, Piece, PieceKind};
use crate::model::error::ModelError;
use crate::model::json;

/// Where older checkpoints list their added tokens.
pub(in super::super) const ADDED_TOKENS_FILE: &str = "added_tokens.json";

/// Tokens that are cut out of a text before anything else is done to it, by id.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct AddedTokens {
    by_id: BTreeMap<u32, AddedToken>,
    /// Special tokens of the settings; those without a piece and an id of their own come last.
    special: Vec<String>,
}

impl AddedTokens {
    /// These tokens by id, and the special tokens of settings.
    pub(in super::super) fn new(
        by_id: BTreeMap<u32, AddedToken>,
        settings: &TokenizerSettings,
    ) -> Self {
        Self { by_id, special: settings.special_token_texts().collect() }
    }

    /// The tokens of a folder: `added_tokens_decoder` of `tokenizer_config.json`, or else
    /// `added_tokens.json`; and the special tokens of its settings.
    pub(in super::super) fn read(
        folder: &Path,
        settings: &TokenizerSettings,
    ) -> Result<Self, ModelError> {
        let path = folder.join("tokenizer_config.json");
        let config = json::read_optional(&path)?.unwrap_or_default();
        let wrong =
            |path: &Path, problem: String| ModelError::Config { path: path.to_owned(), problem };
        let mut by_id = BTreeMap::new();
        if let Value::Object(tokens) = &config["added_tokens_decoder"] {
            for (id, token) in tokens {
                let id: u32 = id.parse().map_err(|_| {
                    wrong(&path, format!("`added_tokens_decoder` has `{id}` where an id should be"))
                })?;
                let token = added_token(token).ok_or_else(|| {
                    wrong(&path, format!("token {id} of `added_tokens_decoder` has no `content`"))
                })?;
                by_id.insert(id, token);
            }
            return Ok(Self::new(by_id, settings));
        }
        let special: Vec<String> = settings.special_token_texts().collect();
        let path = folder.join(ADDED_TOKENS_FILE);
        let tokens = json::read_optional(&path)?.unwrap_or_default();
        for (text, id) in tokens.as_object().into_iter().flatten() {
            let whole = id.as_u64().and_then(|id| id.try_into().ok());
            let id = whole.ok_or_else(|| {
                wrong(&path, format!("the id of `{text}` should be a whole number, found {id}"))
            })?;
            let is_special = special.contains(text);
            by_id.insert(id, AddedToken::from(text.as_str(), is_special).normalized(!is_special));
        }
        Ok(Self { by_id, special })
    }

    /// Gives the pieces the names that they have here. Returns all tokens as they are to be added, those
    /// with an id behind the pieces in the order of their ids.
    pub(super) fn place(&self, pieces: &mut [Piece]) -> Result<Vec<AddedToken>, String> {
        let mut ids: HashMap<String, usize> =
            pieces.iter().enumerate().map(|(id, piece)| (piece.text.clone(), id)).collect();
        let mut next_id = pieces.len();
        for (id, token) in &self.by_id {
            let (id, text) = (*id as usize, &token.content);
            match ids.get(text) {
                Some(own) if *own == id => {}
                Some(own) => {
                    return Err(format!(
                        "added token `{text}` should have id {id}, but it is the token with id {own}"
                    ));
                }
                None if id < pieces.len() => {
                    ids.insert(text.clone(), id);
                    ids.remove(&std::mem::replace(&mut pieces[id].text, text.clone()));
                    if pieces[id].kind != PieceKind::Unknown {
                        pieces[id].kind = PieceKind::UserDefined;
                    }
                }
                None if id == next_id => {
                    ids.insert(text.clone(), id);
                    next_id += 1;
                }
                None => {
                    return Err(format!(
                        "added token `{text}` should have id {id}, but no token has id {next_id}"
                    ));
                }
            }
        }
        let is_listed = |text: &String| self.by_id.values().any(|token| token.content == *text);
        let is_marked = |text: &String| {
            let kind = ids.get(text).and_then(|id| pieces.get(*id)).map(|piece| piece.kind);
            matches!(kind, Some(PieceKind::Control | PieceKind::Unknown))
        };
        let special = self.special.iter().filter(|text| !is_listed(text) && !is_marked(text));
        let special = special.map(|text| AddedToken::from(text.as_str(), true).normalized(false));
        Ok(self.by_id.values().cloned().chain(special).collect())
    }
}

/// An entry of `added_tokens_decoder`; what it leaves out is as transformers' `AddedToken` has it.
fn added_token(entry: &Value) -> Option<AddedToken> {
    let flag = |name: &str| entry[name].as_bool();
    let special = flag("special").unwrap_or(false);
    let token = AddedToken::from(entry["content"].as_str()?, special)
        .single_word(flag("single_word").unwrap_or(false))
        .lstrip(flag("lstrip").unwrap_or(false))
        .rstrip(flag("rstrip").unwrap_or(false))
        .normalized(flag("normalized").unwrap_or(!special));
    Some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_name_pieces_anew_or_stand_behind_them() {
        let place = |tokens: &[(u32, &str)]| {
            let mut pieces = ["<unk>", "a", "<unused0>"].map(|text| Piece {
                text: text.to_owned(),
                score: 0.0,
                kind: PieceKind::Normal,
            });
            let token = |(id, text): &(u32, &str)| (*id, AddedToken::from(*text, true));
            let by_id = tokens.iter().map(token).collect();
            let added = AddedTokens { by_id, special: vec!["a".to_owned(), "<new>".to_owned()] };
            let placed = added.place(&mut pieces)?;
            let texts = placed.into_iter().map(|token| token.content).collect::<Vec<_>>();
            Ok::<_, String>((pieces.map(|piece| piece.text), texts))
        };
        let (pieces, added) = place(&[(2, "<x>"), (3, "<y>")]).unwrap();
        assert_eq!(pieces, ["<unk>", "a", "<x>"]);
        assert_eq!(added, ["<x>", "<y>", "a", "<new>"]);
        assert!(place(&[(2, "a")]).unwrap_err().contains("token with id 1"));
        assert!(place(&[(3, "<y>"), (4, "<y>")]).unwrap_err().contains("token with id 3"));
        assert!(place(&[(3, "<y>"), (5, "<z>")]).unwrap_err().contains("no token has id 4"));
    }
}
