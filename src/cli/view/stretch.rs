//! A prompt cut wherever something about its text changes.

use std::{borrow::Cow, ops::Range};

use crate::{
    cli::visible::visible_line,
    prompt::Section,
    view::{TracedPiece, ViewedImage, ViewedPrompt},
};

/// A run of characters of one piece and one token.
#[derive(Clone, Debug)]
pub(super) struct Stretch<'a> {
    /// The characters; empty where a column is hidden.
    pub(super) text: &'a str,
    /// Index of the first of them in the prompt.
    pub(super) start_char: usize,
    /// The piece that they are part of.
    pub(super) piece: &'a TracedPiece,
    /// The tokens that hold them, as a range of the prompt's; usually one, empty without a tokenizer.
    pub(super) tokens: Range<usize>,
    /// Whether they are cut off to fit the context.
    pub(super) is_cut: bool,
}

/// The stretches of the characters in `range`.
pub(super) fn stretches(prompt: &ViewedPrompt, range: Range<usize>) -> Vec<Stretch<'_>> {
    let tokens = prompt.tokens.as_deref().unwrap_or_default();
    let cut = prompt.truncated_from_token.map_or(0..0, |from| from..from + prompt.truncated_tokens);
    let mut stretches = Vec::new();
    let mut from = 0;
    let mut next_token = 0;
    for piece in &prompt.pieces {
        let to = from + piece.text.chars().count();
        if from == to && range.contains(&from) {
            let tokens = next_token..next_token;
            stretches.push(Stretch { text: "", start_char: from, piece, tokens, is_cut: false });
        }
        let mut rest = piece.text.as_str();
        while from < to {
            while tokens.get(next_token).is_some_and(|token| token.end_char <= from) {
                next_token += 1;
            }
            let holding =
                tokens.iter().skip(next_token).take_while(|token| token.start_char <= from).count();
            let token_end = tokens
                .get(next_token)
                .map_or(to, |token| if holding == 0 { token.start_char } else { token.end_char });
            let borders = [token_end, to, range.start, range.end];
            let end = borders.into_iter().filter(|border| *border > from).min().unwrap_or(to);
            let bytes = rest.char_indices().nth(end - from).map_or(rest.len(), |(byte, _)| byte);
            let (text, after) = rest.split_at(bytes);
            if range.contains(&from) {
                let tokens = next_token..next_token + holding;
                let is_cut = holding > 0 && cut.contains(&next_token);
                stretches.push(Stretch { text, start_char: from, piece, tokens, is_cut });
            }
            rest = after;
            from = end;
        }
    }
    stretches
}

/// What is drawn of a stretch: its characters, and in the place of an image's name `[image cat.jpg · 448 × 336 px · 576 tokens]`.
pub(super) fn shown<'a>(prompt: &ViewedPrompt, stretch: &Stretch<'a>) -> Cow<'a, str> {
    let is_here = |image: &&ViewedImage| image.start_char == stretch.start_char;
    let image = prompt.images.iter().find(is_here).filter(|_| !stretch.text.is_empty());
    let words = |image: &ViewedImage| {
        format!("[{} {}]", image.shown.kind.singular(), visible_line(&image.words())).into()
    };
    image.map_or(Cow::Borrowed(stretch.text), words)
}

/// Whether two pieces stand in the same section, example and role.
pub(super) fn same_speaker(left: &TracedPiece, right: &TracedPiece) -> bool {
    let who = |piece: &TracedPiece| (piece.section, piece.example, piece.role.clone());
    who(left) == who(right)
}

/// The section and example of a piece, for people.
pub(super) fn section_name(piece: &TracedPiece) -> String {
    match (piece.section, piece.example) {
        (Some(Section::Ice), Some(number)) => format!("ice {}", number + 1),
        (section, _) => section.map_or("", Section::name).to_owned(),
    }
}

/// The character at which candidates are split into what they share and what they do not, if what they
/// share is worth showing once.
pub(super) fn split(view: &crate::view::PromptView) -> Option<usize> {
    /// Shorter beginnings are easier to read where they stand.
    const WORTH_CHARS: usize = 40;
    let difference = view.first_difference?;
    let split = difference.token_start_char.unwrap_or(difference.char).min(difference.char);
    (view.candidates().count() > 1 && split >= WORTH_CHARS).then_some(split)
}
