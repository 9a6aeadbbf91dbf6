//! Texts made of pieces.

use proptest::{collection::vec, prelude::*, sample::select};

/// Pieces one after another, now and then with something that is no piece among them.
pub(crate) fn pieces(known: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        40 => select(known).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => ".{0,6}",
    ];
    vec(piece, 0..most).prop_map(|pieces| pieces.concat())
}

/// A text of which a part was taken out, doubled or put elsewhere.
pub(crate) fn mutated(texts: &'static [&'static str]) -> impl Strategy<Value = String> {
    let cuts = (any::<prop::sample::Index>(), any::<prop::sample::Index>());
    (select(texts), select(texts), cuts, 0..3_u8).prop_map(|(text, other, (from, to), how)| {
        let letters: Vec<char> = text.chars().collect();
        let others: Vec<char> = other.chars().collect();
        let (from, to) = (from.index(letters.len() + 1), to.index(letters.len() + 1));
        let (from, to) = (from.min(to), from.max(to));
        let middle: Vec<char> = match how {
            0 => Vec::new(),
            1 => letters[from..to].repeat(2),
            _ => others[from.min(others.len())..].to_vec(),
        };
        letters[..from].iter().chain(&middle).chain(&letters[to..]).collect()
    })
}
