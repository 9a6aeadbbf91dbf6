//! Where the answers of candidates stand in their texts: where the candidates part.
//!
//! In tokens, an answer begins with the first id that not all candidates share. In text, it begins with the
//! token that holds the first character that differs, so that the length of an answer is that of whole
//! characters, whatever pieces of them tokens are. An answer that another one begins with, such as `1` of `10`,
//! keeps its last token: without one its surprisal would be 0, and it would always win.

use super::{PreparedPrompt, Task};

/// Marks the answers of a sample's candidates.
pub(super) fn mark(task: &Task<'_>, prompts: &mut [PreparedPrompt]) {
    let Some((first, others)) = prompts.split_first() else { return };
    let common = |other: &PreparedPrompt| {
        first.ids.iter().zip(&*other.ids).take_while(|(one, another)| one == another).count()
    };
    let shortest = prompts.iter().map(|prompt| prompt.ids.len()).min().unwrap_or(0);
    let parting = others.iter().map(common).min().unwrap_or(0).min(shortest.saturating_sub(1));
    let start = text_start(task, prompts);
    for prompt in prompts {
        prompt.answer_start = parting;
        prompt.answer_bytes = prompt.text.len().saturating_sub(start);
    }
}

/// The byte at which the answers begin in all texts.
fn text_start(task: &Task<'_>, prompts: &[PreparedPrompt]) -> usize {
    let Some((first, others)) = prompts.split_first() else { return 0 };
    let shared = others.iter().map(|other| shared_bytes(&first.text, &other.text)).min();
    let shortest = prompts.iter().map(|prompt| &prompt.text).min_by_key(|text| text.len());
    let last = shortest.and_then(|text| text.char_indices().next_back()).map_or(0, |(at, _)| at);
    let at = shared.unwrap_or(0).min(last);
    prompts.iter().filter_map(|prompt| token_start(task, &prompt.text, at)).min().unwrap_or(at)
}

/// How far two texts are the same, in whole characters.
fn shared_bytes(one: &str, other: &str) -> usize {
    let bytes = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    one.floor_char_boundary(bytes).min(other.floor_char_boundary(bytes))
}

/// The byte at which the token begins that holds byte `at`; none without a tokenizer.
fn token_start(task: &Task<'_>, text: &str, at: usize) -> Option<usize> {
    let stretch = task.tokenizer.stretch(text, at);
    let inside = at.checked_sub(stretch.start)?;
    let tokens = task.tokenizer.encode_stretch(text.get(stretch.clone())?, stretch.start == 0)?;
    let (_, place) = tokens.into_iter().find(|(_, place)| place.end > inside)?;
    Some(text.floor_char_boundary(stretch.start + place.start.min(inside)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_in_whole_characters() {
        assert_eq!(shared_bytes("né", "nè"), 1);
        assert_eq!(shared_bytes("ab", "abc"), 2);
        assert_eq!(shared_bytes("東京", "東方"), 3);
    }
}
