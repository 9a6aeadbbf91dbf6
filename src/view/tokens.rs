//! The tokens of a viewed prompt.

use std::ops::Range;

use serde::Serialize;

use super::ViewedImage;
use crate::{model::media::PlacedToken, origin::TracedPiece, prompt::Section};

/// One token and the characters it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ViewedToken {
    /// Its id.
    pub id: u32,
    /// Index of its first character. A character of several tokens is in the range of each.
    pub start_char: usize,
    /// Index after its last character; the same as `start_char` for a token that the tokenizer adds.
    pub end_char: usize,
    /// Which of the prompt's images it is. All tokens of an image are one entry, with the id of the token for its rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<usize>,
}

/// How much of a prompt a section is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SectionSize {
    /// `begin`, `ice`, `round`, `end`, or `other` for what stands between them; `special` for tokens
    /// that the tokenizer adds.
    pub section: &'static str,
    /// Its characters.
    pub chars: usize,
    /// Tokens that begin in it; unknown without a tokenizer.
    pub tokens: Option<usize>,
}

/// Tokens with their positions in characters of `text`.
pub(super) fn in_chars(text: &str, tokens: &[PlacedToken]) -> Vec<ViewedToken> {
    let starts: Vec<usize> = text.char_indices().map(|(start, _)| start).collect();
    let chars = |byte: usize| starts.partition_point(|start| *start < byte);
    tokens
        .iter()
        .map(|PlacedToken { span, image }| ViewedToken {
            id: span.id,
            start_char: chars(span.bytes.start),
            end_char: chars(span.bytes.end),
            image: *image,
        })
        .collect()
}

/// How many tokens an entry is: those of an image are one.
pub(super) fn count(token: &ViewedToken, images: &[ViewedImage]) -> usize {
    let image = token.image.and_then(|image| images.get(image));
    image.map_or(1, |image| image.shown.tokens)
}

/// Characters and tokens of each section, in order of appearance.
pub(super) fn section_sizes(
    pieces: &[TracedPiece],
    tokens: Option<&[ViewedToken]>,
    images: &[ViewedImage],
) -> Vec<SectionSize> {
    let mut sizes: Vec<SectionSize> = Vec::new();
    let mut add = |section: &'static str, chars: usize, count: Option<usize>| {
        if chars == 0 && count.unwrap_or(0) == 0 {
            return;
        }
        match sizes.iter_mut().find(|size| size.section == section) {
            Some(size) => {
                size.chars += chars;
                size.tokens = size.tokens.zip(count).map(|(sum, more)| sum + more);
            }
            None => sizes.push(SectionSize { section, chars, tokens: count }),
        }
    };
    let is_added = |token: &&ViewedToken| token.start_char == token.end_char;
    let mut from = 0;
    for piece in pieces {
        let to = from + piece.text.chars().count();
        let within = |tokens: &[ViewedToken]| {
            let begins = |token: &&ViewedToken| (from..to).contains(&token.start_char);
            let own = tokens.iter().filter(|token| !is_added(token)).filter(begins);
            own.map(|token| count(token, images)).sum()
        };
        add(piece.section.map_or("other", Section::name), to - from, tokens.map(within));
        from = to;
    }
    add("special", 0, tokens.map(|tokens| tokens.iter().filter(is_added).count()));
    sizes
}

/// Which tokens of `all` are not sent, `kept` being what is left of them after a cut in one place.
pub(super) fn cut(all: &[u32], kept: &[u32]) -> Range<usize> {
    let missing = all.len().saturating_sub(kept.len());
    let start = all.iter().zip(kept).take_while(|(own, other)| own == other).count();
    start..start + missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_characters() {
        let span = |id, bytes: Range<usize>| PlacedToken {
            span: crate::model::TokenSpan { id, bytes },
            image: None,
        };
        let tokens =
            in_chars("né 根", &[span(1, 0..0), span(2, 0..3), span(3, 3..7), span(4, 4..7)]);
        let found: Vec<_> = tokens.iter().map(|token| (token.start_char, token.end_char)).collect();
        assert_eq!(found, [(0, 0), (0, 2), (2, 4), (3, 4)]);
    }

    #[test]
    fn a_cut_is_found_on_either_side() {
        assert_eq!(cut(&[1, 5, 6, 7, 2], &[1, 5, 2]), 2..4);
        assert_eq!(cut(&[1, 5, 6, 7, 2], &[1, 7, 2]), 1..3);
        assert_eq!(cut(&[1, 2], &[1, 2]), 2..2);
    }
}
