//! The most likely next token.

use candle_core::{Result, Tensor};

use super::Head;
use crate::ops::host;
use crate::ops::tile::COLUMNS;

/// For every row of `hidden` the most likely token that is not in the row's `banned`; of equals the
/// lowest. `None` if a logit is not a number or no token is left.
pub fn most_likely(hidden: &Tensor, head: Head<'_>, banned: &[&[u32]]) -> Result<Vec<Option<u32>>> {
    let (rows, size) = hidden.dims2()?;
    if banned.len() != rows {
        candle_core::bail!("{} lists of banned tokens for {rows} rows", banned.len())
    }
    #[cfg(feature = "cuda")]
    if head.weight.is_on_gpu() {
        return crate::ops::cuda::most_likely(hidden, head, banned);
    }
    let vocabulary = head.weight.output_size();
    if !head.weight.is_packed() {
        let logits = head.logits(hidden)?;
        return host::read(&logits, |logits| {
            let rows = logits.chunks_exact(vocabulary).zip(banned);
            rows.map(|(logits, banned)| greedy(logits, banned)).collect()
        });
    }
    let hidden = hidden.contiguous()?;
    let numbers = host::numbers(&hidden)?;
    let stretches = head.stretches();
    // (token, logit) of every row and stretch; no number where the choice is impossible.
    let mut partials = vec![Choice::None; rows * stretches];
    let shared = std::sync::Mutex::new(&mut partials);
    head.scan(
        rows,
        |row| &numbers[row * size..(row + 1) * size],
        |block| vec![Choice::None; block.rows.len()],
        |choices, block, tokens, logits| {
            let rows = block.rows.clone().zip(choices).zip(logits.chunks_exact(COLUMNS));
            for ((row, choice), logits) in rows {
                let first = tokens.start as u32;
                choice.take_up(first, &logits[..tokens.len()], banned[row]);
            }
        },
        |choices, block, stretch| {
            if let Ok(mut partials) = shared.lock() {
                for (row, choice) in block.rows.clone().zip(choices) {
                    partials[row * stretches + stretch] = choice;
                }
            }
        },
    )?;
    let merged = partials.chunks_exact(stretches).map(|partials| {
        let best = partials.iter().fold(Choice::None, |best, &other| best.or_better(other));
        best.token()
    });
    Ok(merged.collect())
}

/// Index of the largest logit that is not `banned`; of equals the lowest.
///
/// `None` if a logit is not a number or none is left.
pub fn greedy(logits: &[f32], banned: &[u32]) -> Option<u32> {
    let mut choice = Choice::None;
    choice.take_up(0, logits, banned);
    choice.token()
}

/// The best of the tokens seen so far.
#[derive(Clone, Copy)]
enum Choice {
    /// None that may be chosen was seen.
    None,
    /// This one, with its logit.
    Token(u32, f32),
    /// A logit was not a number.
    Damaged,
}

impl Choice {
    fn take_up(&mut self, first: u32, logits: &[f32], banned: &[u32]) {
        for (id, &logit) in (first..).zip(logits) {
            if logit.is_nan() {
                *self = Self::Damaged;
                return;
            }
            let better = match *self {
                Self::None => true,
                Self::Token(_, highest) => logit > highest,
                Self::Damaged => return,
            };
            if better && !banned.contains(&id) {
                *self = Self::Token(id, logit);
            }
        }
    }

    /// The better of two, where `other` has the higher tokens.
    fn or_better(self, other: Self) -> Self {
        match (self, other) {
            (Self::Damaged, _) | (_, Self::Damaged) => Self::Damaged,
            (Self::Token(_, own), Self::Token(_, logit)) if logit > own => other,
            (Self::None, other) => other,
            (own, _) => own,
        }
    }

    fn token(self) -> Option<u32> {
        match self {
            Self::Token(id, _) => Some(id),
            Self::None | Self::Damaged => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use candle_core::{DType, Device};

    use super::*;
    use crate::ops::linear::Weight;

    #[test]
    fn ties_go_to_the_lowest_id_and_banned_ids_never_win() {
        assert_eq!(greedy(&[1.0, 3.0, 3.0], &[]), Some(1));
        assert_eq!(greedy(&[1.0, 3.0, 3.0], &[1]), Some(2));
        assert_eq!(greedy(&[1.0, f32::NAN], &[]), None);
        assert_eq!(greedy(&[1.0], &[0]), None);
        assert_eq!(greedy(&[f32::NEG_INFINITY, f32::NEG_INFINITY], &[]), Some(0));
    }

    #[test]
    fn the_choice_is_the_same_without_the_logits_in_full() {
        let vocabulary = 1100;
        let eye = Tensor::eye(vocabulary, DType::F32, &Device::Cpu).unwrap();
        let weight = Weight::from_tensor(&eye).unwrap();
        let head = Head { weight: &weight, bias: None, scale: None, soft_cap: None };
        let number = |i: usize| ((i * 7919) % 499) as f32;
        let mut numbers: Vec<f32> = (0..3 * vocabulary).map(number).collect();
        numbers[2 * vocabulary + 1] = f32::NAN;
        let hidden = Tensor::from_vec(numbers.clone(), (3, vocabulary), &Device::Cpu).unwrap();
        let best = greedy(&numbers[..vocabulary], &[]).unwrap();
        let banned: [&[u32]; 3] = [&[], &[best, 7], &[]];
        let rows = numbers.chunks(vocabulary).zip(banned);
        let expected: Vec<_> = rows.map(|(row, banned)| greedy(row, banned)).collect();
        assert_eq!(most_likely(&hidden, head, &banned).unwrap(), expected);
    }
}
