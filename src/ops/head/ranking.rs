//! How surprising a token is, with the likeliest tokens of its row beside it.
//!
//! The likeliest one comes out of the pass over the logits that makes surprisals. More than one take the logits of a few
//! rows in full: who asks for them asks for few, and it is no part of scoring.

use std::{cmp::Ordering, sync::Arc};

use candle_core::{Result, Tensor};

use super::Head;
use super::round::{MOST_ROWS, rounds};
use super::surprisal::{LOGITS_PER_TILE, folded_rows, surprisals};
use crate::ops::{experts::gather, host};

/// One of the likeliest tokens of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedToken {
    /// The token.
    pub id: u32,
    /// −ln p(token), in nats.
    pub nats: f32,
}

/// How surprising a token is, and what would have been less so.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TokenScore {
    /// −ln p(token), in nats; not finite where the row's log-sum-exp is not.
    pub nats: f32,
    /// The likeliest tokens of the row, likeliest first, of equals the lower id; as many as were asked for.
    pub likeliest: Arc<[RankedToken]>,
}

/// The surprisal of every `(row, token)` of `targets`, ascending by row and one for each, with the `count` likeliest tokens
/// of the row.
///
/// Surprisals are the bits of [`surprisals`](super::surprisals()); a token that is among the likeliest has the same there.
pub fn token_scores(
    hidden: &Tensor,
    head: Head<'_>,
    targets: &[(usize, u32)],
    count: usize,
) -> Result<Vec<TokenScore>> {
    let mut scores = if head.weight.is_packed() && count > 0 {
        beside_the_likeliest(hidden, head, targets)?
    } else {
        let known = surprisals(hidden, head, targets)?.read()?;
        known.iter().map(|known| RowScore::plain(known.nats)).collect()
    };
    let is_enough = count == 0 || (count == 1 && head.weight.is_packed());
    if !is_enough {
        let vocabulary = head.weight.output_size();
        let tile = (LOGITS_PER_TILE / vocabulary.max(1)).max(1);
        for (targets, scores) in targets.chunks(tile).zip(scores.chunks_mut(tile)) {
            let rows: Vec<u32> = targets.iter().map(|&(row, _)| row as u32).collect();
            let logits = head.logits(&gather(hidden, &rows)?)?;
            host::read(&logits, |logits| {
                let rows = logits.chunks_exact(vocabulary).zip(targets).zip(scores);
                for ((logits, &(_, token)), score) in rows {
                    score.rank(logits, token, count);
                }
            })?;
        }
    }
    Ok(scores.into_iter().map(|score| score.score).collect())
}

/// What is known of a row while its tokens are ranked.
struct RowScore {
    /// Where it is known better than from the token's own logit.
    log_sum_exp: Option<f64>,
    score: TokenScore,
}

impl RowScore {
    fn plain(nats: f32) -> Self {
        Self { log_sum_exp: None, score: TokenScore { nats, likeliest: Arc::default() } }
    }

    /// Finds the `count` likeliest tokens. One that is known already stays as it is, so that the first of many is the bits of
    /// the only one.
    fn rank(&mut self, logits: &[f32], token: u32, count: usize) {
        let TokenScore { nats, likeliest } = &mut self.score;
        let Some(&own) = logits.get(token as usize).filter(|_| nats.is_finite()) else { return };
        let log_sum_exp = self.log_sum_exp.unwrap_or(f64::from(*nats) + f64::from(own));
        let likeliest_first = |one: &u32, other: &u32| -> Ordering {
            let logit = |id: &u32| logits[*id as usize];
            logit(other).total_cmp(&logit(one)).then(one.cmp(other))
        };
        let mut ids: Vec<u32> = (0..logits.len() as u32).collect();
        if count < ids.len() {
            ids.select_nth_unstable_by(count, likeliest_first);
            ids.truncate(count);
        }
        ids.sort_unstable_by(likeliest_first);
        let known = likeliest.first().copied();
        let rest = ids.into_iter().filter(|&id| known.is_none_or(|known| known.id != id));
        let nats_of = |id: u32| (log_sum_exp - f64::from(logits[id as usize])) as f32;
        let rest =
            rest.map(|id| RankedToken { id, nats: if id == token { *nats } else { nats_of(id) } });
        *likeliest = known.into_iter().chain(rest).take(count).collect();
    }
}

/// With the likeliest token alone, while the products go by.
fn beside_the_likeliest(
    hidden: &Tensor,
    head: Head<'_>,
    targets: &[(usize, u32)],
) -> Result<Vec<RowScore>> {
    let mut scores = Vec::with_capacity(targets.len());
    for (rows, targets) in rounds(targets, MOST_ROWS) {
        let (rows, logits) = folded_rows(hidden, head, &rows, &targets)?;
        scores.extend(targets.iter().zip(logits).map(|(&(row, token), logit)| {
            let row = &rows[row];
            let likeliest =
                row.likeliest.map(|id| RankedToken { id, nats: row.of(id, row.highest).nats });
            let nats = row.of(token, logit).nats;
            RowScore {
                log_sum_exp: Some(row.log_sum_exp),
                score: TokenScore { nats, likeliest: likeliest.into_iter().collect() },
            }
        }));
    }
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;
    use crate::ops::linear::Weight;

    #[test]
    fn the_likeliest_tokens_stand_in_order_with_the_bits_of_their_surprisals() {
        let (rows, size, vocabulary) = (7, 8, 2100);
        let number = |i: usize| ((i * 7919 + 13) % 1009) as f32 / 500.0 - 1.0;
        let tensor = |rows: usize, shift: usize| {
            let numbers: Vec<f32> = (0..rows * size).map(|i| number(i + shift)).collect();
            Tensor::from_vec(numbers, (rows, size), &Device::Cpu).unwrap()
        };
        let (hidden, matrix) = (tensor(rows, 5), tensor(vocabulary, 999));
        let packed = Weight::from_tensor(&matrix).unwrap();
        let kept = Weight::plain(matrix).unwrap();
        for weight in [&packed, &kept] {
            let head = Head { weight, bias: None, scale: None, soft_cap: None };
            let logits = head.logits(&hidden).unwrap().to_vec2::<f32>().unwrap();
            let targets: Vec<(usize, u32)> = (0..rows).map(|row| (row, 300 * row as u32)).collect();
            let plain = surprisals(&hidden, head, &targets).unwrap().read().unwrap();
            for count in [0, 1, 2, 5, vocabulary, vocabulary + 1] {
                let scores = token_scores(&hidden, head, &targets, count).unwrap();
                for ((score, plain), (row, token)) in scores.iter().zip(&plain).zip(&targets) {
                    assert_eq!(score.nats.to_bits(), plain.nats.to_bits());
                    let mut order: Vec<u32> = (0..vocabulary as u32).collect();
                    let logit = |id: u32| logits[*row][id as usize];
                    order.sort_by(|&one, &other| logit(other).total_cmp(&logit(one)));
                    order.truncate(count);
                    let ids: Vec<u32> = score.likeliest.iter().map(|ranked| ranked.id).collect();
                    assert_eq!(ids, order);
                    // More of them begin with the same bits.
                    let more = token_scores(&hidden, head, &targets, count + 3).unwrap();
                    let more = &more[*row].likeliest;
                    assert_eq!(score.likeliest[..], more[..score.likeliest.len().min(more.len())]);
                    for ranked in score.likeliest.iter() {
                        let expected =
                            f64::from(score.nats) + f64::from(logit(*token) - logit(ranked.id));
                        assert!((f64::from(ranked.nats) - expected).abs() < 1e-5);
                        assert!(
                            ranked.id != *token || ranked.nats.to_bits() == score.nats.to_bits()
                        );
                    }
                }
            }
        }
    }
}
