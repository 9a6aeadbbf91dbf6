//! What a decoder says of rows of its stream: logits, surprisals, likeliest tokens.

use candle_core::{Result, Tensor};

use super::Decoder;
use crate::model::timings::{Operation, product_flops, timed};
use crate::ops::experts::gather;
use crate::ops::head::{self, Head, PendingSurprisals, TokenScore};

impl Decoder {
    /// Logits, f32, `(rows, vocabulary)`, of a few rows of the residual stream after the last layer.
    pub fn logits(&self, hidden: &Tensor) -> Result<Tensor> {
        self.with_head(hidden, |normed, head| head.logits(normed))
    }

    /// The most likely token after each row of the residual stream that the row's `banned` does not
    /// name; `None` where a logit is not a number.
    pub fn most_likely(&self, hidden: &Tensor, banned: &[&[u32]]) -> Result<Vec<Option<u32>>> {
        self.with_head(hidden, |normed, head| head::most_likely(normed, head, banned))
    }

    /// −ln p(token), in nats, and whether the token is the likeliest, for every `(row, token)` of `targets`,
    /// ascending by row. A GPU may still be at it.
    ///
    /// Rows without a target get no logits, and the logits of a batch are never there all at once.
    pub fn surprisals(
        &self,
        hidden: &Tensor,
        targets: &[(usize, u32)],
    ) -> Result<PendingSurprisals> {
        if targets.is_empty() {
            return Ok(PendingSurprisals::Known(Vec::new()));
        }
        // Only rows with a target are normalised.
        let mut rows: Vec<u32> = targets.iter().map(|&(row, _)| row as u32).collect();
        rows.dedup();
        let mut targets = targets.to_vec();
        let hidden = if rows.len() == hidden.dim(0)? {
            hidden.clone()
        } else {
            let mut place = 0;
            for (row, _) in &mut targets {
                place += usize::from(rows[place] as usize != *row);
                *row = place;
            }
            gather(hidden, &rows)?
        };
        self.with_head(&hidden, |normed, head| head::surprisals(normed, head, &targets))
    }

    /// As [`Self::surprisals`], with the `count` likeliest tokens of each target's row beside it. One target for a row.
    pub fn token_scores(
        &self,
        hidden: &Tensor,
        targets: &[(usize, u32)],
        count: usize,
    ) -> Result<Vec<TokenScore>> {
        if targets.is_empty() {
            return Ok(Vec::new());
        }
        let rows: Vec<u32> = targets.iter().map(|&(row, _)| row as u32).collect();
        let placed: Vec<_> = targets.iter().map(|(_, token)| *token).enumerate().collect();
        let hidden = gather(hidden, &rows)?;
        self.with_head(&hidden, |normed, head| head::token_scores(normed, head, &placed, count))
    }

    /// Gives `work` the head, and the rows of `hidden` after the last norm.
    fn with_head<T>(
        &self,
        hidden: &Tensor,
        work: impl FnOnce(&Tensor, Head<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut normed = self.final_norm.forward(hidden)?;
        if let Some((_, head_in)) = &self.bridges {
            let rows = normed.dim(0)?;
            normed =
                timed(Operation::Head, || head_in.flops(rows), || head_in.forward(&normed, None))?;
        }
        let (rows, size) = normed.dims2()?;
        let head = Head {
            weight: &self.head_weight,
            bias: self.head_bias.as_ref(),
            scale: self.spec.head.scale,
            soft_cap: self.spec.head.soft_cap,
        };
        let flops = || product_flops(rows, size, self.spec.vocabulary_size);
        timed(Operation::Head, flops, || work(&normed, head))
    }
}
