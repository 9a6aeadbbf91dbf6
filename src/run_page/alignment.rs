//! Tokens beside a text that the tokenizer changed before it divided it.
//!
//! Where they part, the stretch up to the next place that fits is divided by characters, or, if that cannot be,
//! stands whole at the first of its tokens, and is counted.

use std::ops::Range;

use super::spelling::{Place, fits};
use crate::{report::page::PieceKind, store::KeptToken};

/// How far ahead, in tokens and in bytes, text and tokens are looked for that fit again.
const LOOK_AHEAD_TOKENS: usize = 16;
const LOOK_AHEAD_BYTES: usize = 128;

/// So many bytes that fit are no chance.
const TELLING_BYTES: usize = 2;

/// Tokens and a text that part somewhere; and of how many tokens the place is not known.
pub(super) fn aligned<'s>(tokens: &[&'s KeptToken], text: &'s [u8]) -> (Vec<Place<'s>>, usize) {
    let mut places: Vec<Place<'s>> = Vec::with_capacity(tokens.len());
    let (mut at, mut unplaced, mut begins) = (0, 0, true);
    while let Some(token) = tokens.get(places.len()) {
        if let Some((kind, bytes)) = fits(token, &text[at..], begins) {
            at += if kind == PieceKind::Text { bytes.len() } else { 0 };
            begins = token.is_special || at == 0;
            places.push((kind, bytes));
            continue;
        }
        let rest = &tokens[places.len()..];
        let (count, bytes) = next_fit(rest, &text[at..]).unwrap_or((rest.len(), text.len() - at));
        let stretch = at..at + bytes;
        unplaced += divide(&rest[..count], text, stretch.clone(), &mut places);
        at = stretch.end;
        begins = false;
    }
    (places, unplaced)
}

/// After how many tokens and bytes text and tokens fit again.
fn next_fit(tokens: &[&KeptToken], text: &[u8]) -> Option<(usize, usize)> {
    let most_bytes = text.len().min(LOOK_AHEAD_BYTES);
    let most_tokens = tokens.len().min(LOOK_AHEAD_TOKENS);
    let fits_at = |skipped: usize, bytes: usize| {
        let mut spelled = 0;
        for token in &tokens[skipped..] {
            if spelled >= TELLING_BYTES {
                return true;
            }
            if token.is_special || !text[bytes + spelled..].starts_with(&token.bytes) {
                return false;
            }
            spelled += token.bytes.len();
        }
        spelled > 0 && bytes + spelled == text.len()
    };
    // The nearest first: as many bytes as tokens, more or less.
    (1..=most_tokens + most_bytes).find_map(|distance| {
        (1..=distance.min(most_tokens).min(tokens.len().saturating_sub(1)))
            .map(|skipped| (skipped, distance - skipped))
            .find(|(skipped, bytes)| *bytes <= most_bytes && fits_at(*skipped, *bytes))
    })
}

/// Divides a stretch among tokens: by characters if both have as many, else it stands at the first. Gives how many
/// tokens have no place of their own.
fn divide<'s>(
    tokens: &[&'s KeptToken],
    text: &'s [u8],
    stretch: Range<usize>,
    places: &mut Vec<Place<'s>>,
) -> usize {
    let own = &text[stretch];
    let chars = |bytes: &[u8]| std::str::from_utf8(bytes).ok().map(|text| text.chars().count());
    let counts: Option<Vec<usize>> =
        tokens.iter().map(|own| if own.is_special { Some(0) } else { chars(&own.bytes) }).collect();
    let counts = counts.filter(|counts| chars(own) == Some(counts.iter().sum()));
    let mut rest = own;
    let mut placed = 0;
    for (index, token) in tokens.iter().enumerate() {
        if token.is_special {
            places.push((PieceKind::Added, token.bytes.as_slice()));
            continue;
        }
        let length = match &counts {
            Some(counts) => std::str::from_utf8(rest)
                .ok()
                .and_then(|text| text.char_indices().nth(counts[index]))
                .map_or(rest.len(), |(at, _)| at),
            None => rest.len(),
        };
        let (first, after) = rest.split_at(length);
        places.push((PieceKind::Text, first));
        rest = after;
        placed += 1;
    }
    if counts.is_some() || placed < 2 { 0 } else { placed }
}
