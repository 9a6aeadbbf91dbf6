//! Which pieces a byte-pair model joins, and in which order.
//!
//! Sentencepiece joins any two neighbours whose text together is a piece, the one with the highest
//! score first. The crate `tokenizers` wants the pairs in the order in which they are joined. The order
//! among pairs is that of transformers' `generate_merges`: by score, then the pair with the longer
//! left side, then the longer right side, then by id. Sentencepiece joins what is further left first among
//! pieces of one score, which an order of pairs cannot say; models that it trained have no such pieces.

use std::collections::HashMap;

use super::{Piece, PieceKind};

/// All pairs of pieces whose text together is a piece, first to last.
pub(super) fn of(pieces: &[Piece]) -> Vec<(String, String)> {
    let is_text = |piece: &&Piece| matches!(piece.kind, PieceKind::Normal | PieceKind::UserDefined);
    let lengths: HashMap<&str, usize> = pieces
        .iter()
        .filter(is_text)
        .map(|piece| (piece.text.as_str(), piece.text.chars().count()))
        .collect();
    let mut found = Vec::new();
    for piece in pieces.iter().filter(is_text) {
        for (at, _) in piece.text.char_indices().skip(1) {
            let (left, right) = piece.text.split_at(at);
            if let (Some(left_chars), Some(right_chars)) = (lengths.get(left), lengths.get(right)) {
                found.push((piece.score, *left_chars, *right_chars, left, right));
            }
        }
    }
    found.sort_by(|one, other| {
        let (score, left_chars, right_chars, ..) = one;
        let (other_score, other_left_chars, other_right_chars, ..) = other;
        other_score
            .total_cmp(score)
            .then(other_left_chars.cmp(left_chars))
            .then(other_right_chars.cmp(right_chars))
    });
    found.into_iter().map(|(.., left, right)| (left.to_owned(), right.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_in_the_order_of_scores_and_longer_left_sides() {
        let piece = |text: &str, score| {
            let kind = if text.starts_with('<') { PieceKind::Control } else { PieceKind::Normal };
            Piece { text: text.to_owned(), score, kind }
        };
        let pieces = [
            ("a", -9.0),
            ("b", -9.0),
            ("<", -9.0),
            ("abc", -3.0),
            ("bc", -2.0),
            ("ab", -1.0),
            ("c", -9.0),
            ("<b", -1.0),
        ]
        .map(|(text, score)| piece(text, score));
        let pairs = of(&pieces);
        let expected = [("a", "b"), ("b", "c"), ("ab", "c"), ("a", "bc")];
        assert_eq!(pairs, expected.map(|(left, right)| (left.to_owned(), right.to_owned())));
    }
}
