//! Where the answers of candidates stand in their texts: after the template's `sep_token` if it has one, else
//! where the candidates part.
//!
//! In tokens, an answer begins with the first id that not all candidates share. In text, it begins with the
//! token that holds the first character that differs, so that the length of an answer is that of whole
//! characters, whatever pieces of them tokens are. An answer that another one begins with, such as `1` of `10`,
//! keeps its last token: without one its surprisal would be 0, and it would always win.

use super::{InferError, PreparedPrompt, Task, Tokenize, examples::Examples};

/// Bytes that are compared at once.
const CHUNK_BYTES: usize = 64;

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

/// Moves the answers to where the template says that they begin, by its `sep_token`, if it says so for all
/// candidates. Tokens are parted as lm-eval parts context and continuation: white space at the end of the context
/// belongs to the answer, and the answer has the tokens that the whole has more than the context.
pub(super) fn mark_separated(
    task: &Task<'_>,
    examples: &Examples,
    prompts: &mut [PreparedPrompt],
) -> Result<(), InferError> {
    if task.assembly.separator().is_none() {
        return Ok(());
    }
    let sample = examples.sample();
    let mut places = Vec::with_capacity(prompts.len());
    for prompt in prompts.iter() {
        let Some(label) = &prompt.label else { return Ok(()) };
        let parts = task
            .candidate_parts(sample, examples.prompt(), label)
            .map_err(|source| InferError::Prompt { sample, source })?;
        let Some((context, answer)) = parts else { return Ok(()) };
        // A text of megabytes is not whole any more.
        if prompt.text.strip_suffix(&*answer) != Some(&context) {
            return Ok(());
        }
        if task.tokenizer.measured_tokens("").is_some() {
            // Which tokens these are, is found out once the server has told its own.
            places.push((0, answer.len()));
            continue;
        }
        let ids = task.tokenizer.encode(context.trim_end());
        let context_tokens = ids.map_err(|what| InferError::Tokenizer { sample, what })?.len();
        let answer_tokens = prompt.uncut_tokens().saturating_sub(context_tokens).max(1);
        places.push((prompt.ids.len().saturating_sub(answer_tokens), answer.len()));
    }
    for (prompt, (answer_start, answer_bytes)) in prompts.iter_mut().zip(places) {
        (prompt.answer_start, prompt.answer_bytes) = (answer_start, answer_bytes);
        prompt.is_separated = true;
    }
    Ok(())
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
pub(crate) fn shared_bytes(left: &str, right: &str) -> usize {
    let chunks = left.as_bytes().chunks(CHUNK_BYTES).zip(right.as_bytes().chunks(CHUNK_BYTES));
    let chunks = chunks.take_while(|(left, right)| left == right);
    let same = chunks.map(|(left, _)| left.len()).sum::<usize>();
    let rest = left.as_bytes()[same..].iter().zip(&right.as_bytes()[same..]);
    let mut shared = same + rest.take_while(|(left, right)| left == right).count();
    while !left.is_char_boundary(shared) || !right.is_char_boundary(shared) {
        shared -= 1;
    }
    shared
}

/// The byte at which the token begins that holds byte `at`; none without a tokenizer.
fn token_start(task: &Task<'_>, text: &str, at: usize) -> Option<usize> {
    let stretch = task.tokenizer.stretch(text, at);
    let (begins, inside) = (stretch.start == 0, at.checked_sub(stretch.start)?);
    let start = start_in_stretch(task.tokenizer, text.get(stretch.clone())?, begins, inside)?;
    Some(text.floor_char_boundary(stretch.start + start))
}

/// Where in a stretch of a text the token begins that holds its byte `inside`; `begins` says whether the stretch
/// begins the text. None without a tokenizer.
pub(crate) fn start_in_stretch(
    tokenizer: &dyn Tokenize,
    stretch: &str,
    begins: bool,
    inside: usize,
) -> Option<usize> {
    let tokens = tokenizer.encode_stretch(stretch, begins)?;
    let (_, place) = tokens.into_iter().find(|(_, place)| place.end > inside)?;
    Some(place.start.min(inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_in_whole_characters() {
        assert_eq!(shared_bytes("né", "nè"), 1);
        assert_eq!(shared_bytes("ab", "abc"), 2);
        assert_eq!(shared_bytes("東京", "東方"), 3);
        let long = "x".repeat(200);
        assert_eq!(shared_bytes(&format!("{long}a"), &format!("{long}b")), 200);
        assert_eq!(shared_bytes(&long, &long), 200);
    }
}
