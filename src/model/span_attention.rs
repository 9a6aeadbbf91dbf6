//! Attention in which all rows of a span see each other, by the kernels that decoders have on the CPU and on NVIDIA GPUs.
//!
//! Keys and values are put in blocks, each span's in blocks of its own, and a span is a sequence that is seen both ways from its first token to
//! its last. The kernel keeps products of queries and keys where they are computed, while
//! [`two_way_attention`](super::two_way_attention) passes over all of them in memory several times. It knows no bias. Sentence encoders
//! stay with the other one: vectors that were kept have its bits.

use std::ops::Range;

use candle_core::{Result, Tensor};

use super::two_way_attention::Heads;
use crate::ops::attention::{AttentionRule, Run, Segment, attention};
use crate::ops::kv::{KvLayer, KvShape};

/// Tokens of a block.
const BLOCK_TOKENS: usize = 64;

/// softmax(q·kᵀ/√size)·v for each span, `(rows, heads × size)`. `projected` has queries, keys and values side by side, each head by
/// head; the spans cover its rows in order.
///
/// What a span gives does not depend on the others.
pub(super) fn span_attention(
    projected: &Tensor,
    spans: &[Range<usize>],
    heads: Heads,
) -> Result<Tensor> {
    let (mut segments, mut slots, mut blocks) = (Vec::new(), Vec::new(), 0);
    for span in spans.iter().filter(|span| !span.is_empty()) {
        let own = span.len().div_ceil(BLOCK_TOKENS);
        let runs = (0..own).map(|block| Run {
            block: (blocks + block) as u32,
            tokens: BLOCK_TOKENS.min(span.len() - block * BLOCK_TOKENS) as u32,
        });
        let first = blocks * BLOCK_TOKENS;
        slots.extend((first..first + span.len()).map(|slot| slot as u32));
        let both_ways = std::iter::once(0..span.len()).collect();
        segments.push(Segment { rows: span.clone(), table: runs.collect(), both_ways });
        blocks += own;
    }
    let shape = KvShape { heads: heads.count, key_size: heads.size, value_size: heads.size };
    let mut kept = KvLayer::new(shape, BLOCK_TOKENS, projected.device(), projected.dtype())?;
    kept.grow(blocks)?;
    kept.write(projected, heads.count * heads.size, &slots)?;
    let scale = (heads.size as f64).powf(-0.5);
    let rule = AttentionRule { scale, ..AttentionRule::default() };
    attention(projected, heads.count, &segments, &kept, &rule)
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::super::two_way_attention::{self, no_bias, spans_of};
    use super::*;

    fn drawn(rows: usize, width: usize) -> Tensor {
        let numbers: Vec<f32> =
            (0..rows * width).map(|place| (place as f32 * 0.731).sin() * 2.0).collect();
        Tensor::from_vec(numbers, (rows, width), &Device::Cpu).unwrap()
    }

    fn numbers(tensor: &Tensor) -> Vec<f32> {
        tensor.flatten_all().unwrap().to_vec1().unwrap()
    }

    #[test]
    fn it_is_what_the_products_in_memory_give() {
        for (count, size) in [(1, 8), (2, 16), (3, 72), (4, 80)] {
            let heads = Heads { count, size };
            let spans = spans_of([1, 64, 65, 130]);
            let projected = drawn(260, 3 * count * size);
            let found = numbers(&span_attention(&projected, &spans, heads).unwrap());
            let wanted = two_way_attention::attention(&projected, &spans, heads, &no_bias);
            let pairs = found.iter().zip(numbers(&wanted.unwrap()));
            assert!(pairs.clone().all(|(found, wanted)| (found - wanted).abs() < 1e-4));
            assert_eq!(pairs.count(), 260 * count * size);
        }
    }

    #[test]
    fn a_span_gives_the_same_bits_alone() {
        let heads = Heads { count: 2, size: 16 };
        let spans = spans_of([70, 3, 129]);
        let projected = drawn(202, 96);
        let together = numbers(&span_attention(&projected, &spans, heads).unwrap());
        for span in spans {
            let rows = projected.narrow(0, span.start, span.len()).unwrap();
            let own = spans_of([span.len()]);
            let alone = numbers(&span_attention(&rows.contiguous().unwrap(), &own, heads).unwrap());
            assert!(together[span.start * 32..span.end * 32] == alone);
        }
    }
}
