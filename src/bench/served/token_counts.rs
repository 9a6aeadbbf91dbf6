//! How many tokens each piece of an answer holds.
//!
//! Servers send one token a piece, or several, and say at the end how many there were. Time for each token can only be told
//! where it is known which came when: from a server that counts as it goes, from a tokenizer, or because there are as many
//! pieces as tokens. Else it is not known.

use super::{AnswerRecord, PieceRecord};
use crate::{
    answer::served::{StreamPiece, TimedText},
    model::Tokenizer,
};

/// A count above this is no count of an answer's tokens, and is taken for none.
const MOST_TOKENS: usize = 1 << 20;

/// The record of an answer; `seconds` tells when an instant was.
pub(super) fn answer_record(
    heard: &TimedText,
    ended_seconds: f64,
    tokenizer: Option<&Tokenizer>,
    seconds: impl Fn(std::time::Instant) -> f64,
) -> AnswerRecord {
    let TimedText { text, arrivals } = heard;
    let ends = tokenizer.and_then(|tokenizer| {
        let whole = text.reasoning.clone().unwrap_or_default() + &text.text;
        let spans = tokenizer.encode_with_spans(&whole, false).ok()?;
        Some(spans.into_iter().map(|span| span.bytes.end).collect::<Vec<usize>>())
    });
    let told = |tokens: &usize| *tokens <= MOST_TOKENS;
    let new_tokens = text.new_tokens.filter(told).or(ends.as_ref().map(Vec::len));
    let counts = counts(&arrivals.pieces, new_tokens, ends.as_deref());
    let pieces = arrivals.pieces.iter().enumerate().map(|(index, piece)| PieceRecord {
        seconds: seconds(piece.at),
        tokens: counts.as_ref().map_or(0, |counts| counts[index]),
    });
    AnswerRecord {
        pieces: pieces.collect(),
        finished_seconds: arrivals.finished.map_or(ended_seconds, &seconds),
        prompt_tokens: text.prompt_tokens.filter(told),
        new_tokens,
        has_piece_tokens: counts.is_some(),
    }
}

/// The tokens of each piece, where they are known; `ends` are those of the tokens of a tokenizer, in bytes.
fn counts(
    pieces: &[StreamPiece],
    new_tokens: Option<usize>,
    ends: Option<&[usize]>,
) -> Option<Vec<usize>> {
    if pieces.is_empty() {
        return None;
    }
    let tells = pieces.iter().any(|piece| piece.tokens.is_some());
    let as_it_goes: Option<Vec<usize>> = pieces.iter().map(|piece| piece.tokens).collect();
    let is_count = |counts: &Vec<usize>| {
        counts.is_sorted() && counts.last().is_none_or(|last| Some(*last) <= new_tokens)
    };
    let up_to = as_it_goes.filter(is_count).or_else(|| {
        // Another model's tokenizer counts otherwise; marks that are not shown make a small difference.
        let is_own = |ends: &&[usize]| {
            new_tokens.is_none_or(|told| ends.len().abs_diff(told) <= 2 + told / 10)
        };
        let ends = ends.filter(is_own)?;
        let up_to = |piece: &StreamPiece| ends.partition_point(|end| *end <= piece.text_bytes);
        Some(pieces.iter().map(up_to).collect())
    });
    match (up_to, new_tokens) {
        (Some(up_to), _) => {
            let before = std::iter::once(0).chain(up_to.iter().copied());
            Some(up_to.iter().zip(before).map(|(own, before)| own - before).collect())
        }
        // The token that ends an answer may have no text.
        (None, Some(tokens))
            if !tells && (tokens == pieces.len() || tokens == pieces.len() + 1) =>
        {
            Some(vec![1; pieces.len()])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn pieces(own: &[(usize, Option<usize>)]) -> Vec<StreamPiece> {
        let at = Instant::now();
        own.iter().map(|&(text_bytes, tokens)| StreamPiece { at, text_bytes, tokens }).collect()
    }

    #[test]
    fn tokens_of_pieces_are_counted_or_not_known() {
        let plain = pieces(&[(3, None), (6, None)]);
        assert_eq!(counts(&plain, Some(2), None), Some(vec![1, 1]));
        assert_eq!(counts(&plain, Some(3), None), Some(vec![1, 1]));
        assert_eq!(counts(&plain, Some(4), None), None);
        assert_eq!(counts(&plain, Some(1), None), None);
        assert_eq!(counts(&plain, None, None), None);
        // A token that crosses the border of two pieces belongs to the second.
        assert_eq!(counts(&plain, Some(4), Some(&[1, 2, 4, 6])), Some(vec![2, 2]));
        assert_eq!(counts(&plain, Some(20), Some(&[1, 2, 4, 6])), None);
        let told = pieces(&[(3, Some(3)), (6, Some(4))]);
        assert_eq!(counts(&told, Some(5), None), Some(vec![3, 1]));
        // More than there are in the end is no count.
        assert_eq!(counts(&told, Some(3), None), None);
        let odd = pieces(&[(3, Some(3)), (6, Some(2))]);
        assert_eq!(counts(&odd, Some(5), None), None);
        assert_eq!(counts(&[], Some(0), None), None);
    }
}
