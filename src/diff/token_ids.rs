//! Ids of texts whose side does not tell them, by the tokenizer of the model of the other side.

use std::path::Path;

use super::{pair::Pair, prompt_difference::TokenDifference, side::Side};
use crate::model::{Checkpoint, Tokenizer};

/// The first prompt whose ids differ, by the tokenizer of the left side's model. Nothing where all are the same, where the
/// checkpoint is not at hand, or where its tokenizer does not give the ids that the left side has: it is another one then.
pub(super) fn first_difference(
    pairs: &[Pair<'_>],
    tokenizer: &Tokenizer,
) -> Option<TokenDifference> {
    let differing = pairs.iter().flat_map(|pair| pair.requests.iter().map(move |own| (pair, own)));
    for (pair, request) in differing.filter(|(_, own)| !own.has_same_text()) {
        let ids = request.left.ids.as_ref()?;
        // With the tokens that the tokenizer adds, or without them: as it was asked.
        let is_added = [true, false].into_iter().find(|is_added| {
            tokenizer.encode(&request.left.text, *is_added).is_ok_and(|own| own[..] == ids[..])
        })?;
        let other = tokenizer.encode(&request.right.text, is_added).ok()?;
        if other[..] != ids[..] {
            return Some(TokenDifference::of(pair, request, [ids, &other], true));
        }
    }
    None
}

/// Whether ids of the right side have to be made, because it tells none and prompts differ.
pub(super) fn is_needed(pairs: &[Pair<'_>], right: &Side) -> bool {
    let has_ids = right.samples.iter().flat_map(|own| &own.requests).any(|own| own.ids.is_some());
    !has_ids && pairs.iter().any(|pair| !pair.has_same_prompts())
}

/// The tokenizer of a checkpoint on this machine; nothing if there is none.
pub(super) fn tokenizer_at(path: &Path) -> Option<Tokenizer> {
    if Checkpoint::is_gguf(path) {
        return Some(Checkpoint::open_gguf(path).ok()?.tokenizer().clone());
    }
    Tokenizer::is_in(path).then(|| Tokenizer::read(path).ok()).flatten()
}
