//! Causal attention of new tokens to kept ones.

use std::time::Duration;

use candle_core::{DType, Device, Result, Tensor};

use super::{KernelKind, KernelTime, fastest};
use crate::ops::attention::{AttentionRule, Run, Segment, attention};
use crate::ops::kv::{KvLayer, KvShape};

const HEADS: usize = 6;
const SHAPE: KvShape = KvShape { heads: 2, key_size: 64, value_size: 64 };
const WIDTH: usize = HEADS * SHAPE.key_size + SHAPE.heads * (SHAPE.key_size + SHAPE.value_size);
const BLOCK_TOKENS: usize = 32;

/// Times the attention of sequences after tokens that they share.
pub(super) fn time(
    (sequences, shared, own): (usize, usize, usize),
    least_time: Duration,
) -> Result<KernelTime> {
    let (shared_blocks, own_blocks) = (shared.div_ceil(BLOCK_TOKENS), own.div_ceil(BLOCK_TOKENS));
    let segments: Vec<Segment> = (0..sequences)
        .map(|index| {
            Segment::causal(
                index * own..(index + 1) * own,
                runs(0, shared).chain(runs(shared_blocks + index * own_blocks, own)).collect(),
            )
        })
        .collect();
    let blocks = shared_blocks + sequences * own_blocks;
    let slots: Vec<u32> = (0..(blocks * BLOCK_TOKENS) as u32).collect();
    let mut kept = KvLayer::new(SHAPE, BLOCK_TOKENS, &Device::Cpu, DType::F32)?;
    kept.grow(blocks)?;
    let drawn = |rows: usize| Tensor::randn(0f32, 1.0, (rows, WIDTH), &Device::Cpu);
    kept.write(&drawn(slots.len())?, HEADS * SHAPE.key_size, &slots)?;
    let projected = drawn(sequences * own)?;
    let rule =
        AttentionRule { scale: 1.0 / (SHAPE.key_size as f64).sqrt(), ..AttentionRule::default() };
    let kernel = KernelKind::Attention {
        sequences,
        shared_tokens: shared,
        own_tokens: own,
        heads: HEADS,
        kv_heads: SHAPE.heads,
        head_size: SHAPE.key_size,
    };
    let seen = sequences * (own * shared + own * (own + 1) / 2);
    let flops = (4 * HEADS * SHAPE.key_size * seen) as f64;
    fastest(kernel, flops, least_time, || attention(&projected, HEADS, &segments, &kept, &rule))
}

/// Blocks from `first` on that hold so many tokens.
fn runs(first: usize, tokens: usize) -> impl Iterator<Item = Run> {
    (0..tokens.div_ceil(BLOCK_TOKENS)).map(move |block| Run {
        block: (first + block) as u32,
        tokens: BLOCK_TOKENS.min(tokens - block * BLOCK_TOKENS) as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_masked_is_not_counted() {
        let time = time((3, 40, 5), Duration::ZERO).unwrap();
        let flops = 4.0 * 64.0 * 6.0 * 3.0 * (5.0 * 40.0 + 15.0);
        assert_eq!(time.flops.to_bits(), f64::to_bits(flops));
    }
}
