//! Generated text in which some special tokens are shown.

use crate::model::{ModelError, Tokenizer};

/// The text of `ids`; of special tokens only those of `shown` are part of it.
pub(super) fn shown_text(
    tokenizer: &Tokenizer,
    ids: &[u32],
    shown: &[u32],
) -> Result<String, ModelError> {
    if !ids.iter().any(|id| shown.contains(id)) {
        return tokenizer.decode(ids, true);
    }
    let mut text = String::new();
    for piece in ids.split_inclusive(|id| shown.contains(id)) {
        match piece.split_last() {
            Some((mark, before)) if shown.contains(mark) => {
                text.push_str(&tokenizer.decode(before, true)?);
                text.push_str(&tokenizer.decode(&[*mark], false)?);
            }
            _ => text.push_str(&tokenizer.decode(piece, true)?),
        }
    }
    Ok(text)
}
