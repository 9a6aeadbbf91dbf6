//! Tokens with what was said of them, and the bytes that they are kept in.
//!
//! Three blobs: ids; surprisals as little-endian f32, none where no token was scored; and a bit for each token
//! that says whether it was the likeliest, the lowest bit of a byte first, without zero bytes at the end.

use std::ops::Range;

use crate::engine::Score;

/// What stands for the surprisal of a token that was not scored.
const NOT_SCORED: f32 = f32::NAN;

/// A token and what was said of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scored {
    pub(super) id: u32,
    /// The bits of its surprisal; of NaN if it was not scored.
    pub(super) nll_bits: u32,
    /// Whether it was the likeliest; false if it was not scored.
    pub(super) is_likeliest: bool,
}

impl Scored {
    fn new(id: u32, nll: f32, is_likeliest: bool) -> Self {
        Self { id, nll_bits: nll.to_bits(), is_likeliest }
    }
}

/// A sequence with the score of its tokens from `first_target` on.
pub(super) fn scored(ids: &[u32], first_target: usize, score: &Score) -> Vec<Scored> {
    debug_assert_eq!(score.nlls.len(), score.likeliest.len());
    let scores = score.nlls.iter().copied().zip(score.likeliest.iter().copied());
    let unscored = (NOT_SCORED, false);
    let all = std::iter::repeat_n(unscored, first_target).chain(scores);
    ids.iter()
        .zip(all.chain(std::iter::repeat(unscored)))
        .map(|(&id, (nll, is_likeliest))| Scored::new(id, nll, is_likeliest))
        .collect()
}

/// A sequence, or what a row holds of one.
#[derive(Debug, Default)]
pub(super) struct ScoredTokens {
    pub(super) ids: Vec<u32>,
    /// One for each id; NaN where there is none.
    pub(super) nlls: Vec<f32>,
    /// One for each id.
    pub(super) likeliest: Vec<bool>,
}

impl ScoredTokens {
    /// The tokens up to `end`; nothing if there are fewer.
    pub(super) fn tokens(&self, end: usize) -> Option<impl Iterator<Item = Scored>> {
        let (ids, nlls, likeliest) =
            (self.ids.get(..end)?, self.nlls.get(..end)?, self.likeliest.get(..end)?);
        let tokens = ids.iter().zip(nlls).zip(likeliest);
        Some(tokens.map(|((&id, &nll), &is_likeliest)| Scored::new(id, nll, is_likeliest)))
    }

    /// What was said of the tokens in `range`; nothing if there are fewer.
    pub(super) fn score(&self, range: Range<usize>) -> Option<Score> {
        let nlls = self.nlls.get(range.clone())?.to_vec();
        Some(Score { nlls, likeliest: self.likeliest.get(range)?.to_vec() })
    }

    /// The first `start` tokens of this one, and then those of `own`; nothing if there are fewer.
    pub(super) fn continued(&self, start: usize, own: &Self) -> Option<Self> {
        Some(Self {
            ids: [self.ids.get(..start)?, &own.ids].concat(),
            nlls: [self.nlls.get(..start)?, &own.nlls].concat(),
            likeliest: [self.likeliest.get(..start)?, &own.likeliest].concat(),
        })
    }
}

/// Tokens as they are written.
pub(super) struct Blobs {
    /// The first byte says how many bytes each takes.
    pub(super) ids: Vec<u8>,
    pub(super) nlls: Vec<u8>,
    pub(super) likeliest: Vec<u8>,
}

impl Blobs {
    /// The blobs of a row with these tokens.
    pub(super) fn of(own: &[Scored]) -> Self {
        Self { ids: packed_ids(own), nlls: packed_nlls(own), likeliest: packed_flags(own) }
    }

    /// The tokens; nothing if the blobs do not fit each other.
    pub(super) fn tokens(&self) -> Option<ScoredTokens> {
        let ids = unpacked_ids(&self.ids)?;
        let nlls = if self.nlls.is_empty() {
            vec![NOT_SCORED; ids.len()]
        } else {
            self.nlls.chunks_exact(4).map(|four| f32::from_bits(le_u32(four))).collect()
        };
        let likeliest = unpacked_flags(&self.likeliest, ids.len())?;
        (nlls.len() == ids.len()).then_some(ScoredTokens { ids, nlls, likeliest })
    }
}

/// Ids in 2 or 4 bytes each, which the first byte says.
fn packed_ids(own: &[Scored]) -> Vec<u8> {
    if own.iter().all(|token| u16::try_from(token.id).is_ok()) {
        std::iter::once(2)
            .chain(own.iter().flat_map(|token| (token.id as u16).to_le_bytes()))
            .collect()
    } else {
        std::iter::once(4).chain(own.iter().flat_map(|token| token.id.to_le_bytes())).collect()
    }
}

fn unpacked_ids(bytes: &[u8]) -> Option<Vec<u32>> {
    match bytes.split_first()? {
        (2, rest) => Some(
            rest.chunks_exact(2)
                .map(|two| u32::from(u16::from_le_bytes([two[0], two[1]])))
                .collect(),
        ),
        (4, rest) => Some(rest.chunks_exact(4).map(le_u32).collect()),
        _ => None,
    }
}

/// Surprisals as little-endian f32; nothing where none of the tokens was scored.
fn packed_nlls(own: &[Scored]) -> Vec<u8> {
    if own.iter().all(|token| token.nll_bits == NOT_SCORED.to_bits()) {
        return Vec::new();
    }
    own.iter().flat_map(|token| token.nll_bits.to_le_bytes()).collect()
}

/// A bit for each token, without zero bytes at the end.
fn packed_flags(own: &[Scored]) -> Vec<u8> {
    let byte = |eight: &[Scored]| {
        eight.iter().rev().fold(0, |byte, token| (byte << 1) | u8::from(token.is_likeliest))
    };
    let mut bytes: Vec<u8> = own.chunks(8).map(byte).collect();
    let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    bytes.truncate(used);
    bytes
}

/// The flags of `count` tokens; nothing if there are bytes for more.
fn unpacked_flags(bytes: &[u8], count: usize) -> Option<Vec<bool>> {
    let flag =
        |index: usize| bytes.get(index / 8).is_some_and(|byte| (byte >> (index % 8)) & 1 == 1);
    (bytes.len() <= count.div_ceil(8)).then(|| (0..count).map(flag).collect())
}

fn le_u32(four: &[u8]) -> u32 {
    u32::from_le_bytes([four[0], four[1], four[2], four[3]])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn tokens_are_read_as_they_were_written(
            tokens in prop::collection::vec((0u32..70_000, prop::option::of((0f32..9.0, any::<bool>()))), 0..40)
        ) {
            let tokens: Vec<Scored> = tokens
                .into_iter()
                .map(|(id, score)| {
                    let (nll, is_likeliest) = score.unwrap_or((NOT_SCORED, false));
                    Scored::new(id, nll, is_likeliest)
                })
                .collect();
            let kept = Blobs::of(&tokens).tokens().unwrap();
            let read: Vec<Scored> = kept.tokens(tokens.len()).unwrap().collect();
            prop_assert_eq!(read, tokens);
        }
    }

    #[test]
    fn flags_cost_a_bit_for_each_token_up_to_the_last_that_is_set() {
        let token = |is_likeliest| Scored::new(1, 0.5, is_likeliest);
        let flags = |set: &[usize], count: usize| {
            packed_flags(&(0..count).map(|at| token(set.contains(&at))).collect::<Vec<_>>())
        };
        assert!(flags(&[], 20).is_empty());
        assert_eq!(flags(&[0, 3], 20), [0b1001]);
        assert_eq!(flags(&[9], 20), [0, 0b10]);
        assert_eq!(unpacked_flags(&[0, 0], 8), None);
        assert_eq!(unpacked_flags(&[0b10], 3), Some(vec![false, true, false]));
    }
}
