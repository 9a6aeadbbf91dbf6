//! How fast the CPU's own operations are, beside candle's where there are any, in floating-point operations per second.
//!
//! ```sh
//! cargo bench --bench ops                              # everything, on all threads
//! RAYON_NUM_THREADS=1 cargo bench --bench ops -- linear # maps alone, on one
//! ```
//!
//! Numbers are drawn; shapes are those of models of 25 million to 7 billion parameters.

use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{D, DType, Device, Module, Result, Tensor};
use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use surprisal::ops::attention::{AttentionRule, Run, Segment, attention};
use surprisal::ops::head::{Head, surprisals};
use surprisal::ops::kv::{KvLayer, KvShape};
use surprisal::ops::linear::{Weight, WeightPart, linear};

/// Times `work`, which takes this many floating-point operations.
fn time<T>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    operations: usize,
    mut work: impl FnMut() -> Result<T>,
) {
    group.throughput(Throughput::Elements(operations as u64));
    group.bench_function(name, |bencher| {
        bencher.iter(|| work().expect("the shapes fit"));
    });
}

fn drawn(rows: usize, columns: usize) -> Tensor {
    Tensor::randn(0f32, 1.0, (rows, columns), &Device::Cpu).expect("the shape is valid")
}

/// `(rows, in)` by `(out, in)`, weights as they are stored; candle's product is of f32, or of blocks
/// with inputs that it quantises too.
fn maps(criterion: &mut Criterion) {
    for (input, output) in [(384, 2048), (2048, 384), (896, 4864), (4096, 4096)] {
        let matrix = drawn(output, input);
        let mut group = criterion.benchmark_group(format!("linear {input}→{output}"));
        for rows in [1, 16, 512, 2048] {
            let batch = drawn(rows, input);
            let operations = 2 * rows * input * output;
            for dtype in [DType::F32, DType::BF16] {
                let stored = matrix.to_dtype(dtype).expect("a type of weights");
                let weight = Weight::from_tensor(&stored).expect("a matrix");
                time(&mut group, &format!("{rows} rows, {dtype:?}"), operations, || {
                    linear(&batch, &weight, None, None)
                });
            }
            for dtype in [GgmlDType::Q8_0, GgmlDType::Q6K, GgmlDType::Q4K, GgmlDType::Q4_0] {
                if input % dtype.block_size() > 0 {
                    continue;
                }
                let blocks = QTensor::quantize(&matrix, dtype).expect("a matrix");
                let bytes = blocks.data().expect("in host memory").into_owned();
                let part = WeightPart { bytes: &bytes, dtype, rows: output };
                let weight = Weight::pack(&[part], input).expect("a matrix");
                time(&mut group, &format!("{rows} rows, {dtype:?}"), operations, || {
                    linear(&batch, &weight, None, None)
                });
                let candle = QMatMul::from_qtensor(blocks).expect("a matrix");
                time(&mut group, &format!("{rows} rows, {dtype:?}, candle"), operations, || {
                    candle.forward(&batch)
                });
            }
            let turned = matrix.t().expect("a matrix");
            time(&mut group, &format!("{rows} rows, candle"), operations, || batch.matmul(&turned));
        }
        group.finish();
    }
}

const SHAPE: KvShape = KvShape { heads: 2, key_size: 64, value_size: 64 };
const HEADS: usize = 6;
const BLOCK_TOKENS: usize = 32;
const WIDTH: usize = HEADS * SHAPE.key_size + SHAPE.heads * (SHAPE.key_size + SHAPE.value_size);

/// Stretches of `own` new tokens, each after the same `shared` tokens, in a layer that holds them all.
fn stretches(shared: usize, own: usize, count: usize) -> (Tensor, Vec<Segment>, KvLayer) {
    let runs = |first: usize, tokens: usize| {
        (0..tokens.div_ceil(BLOCK_TOKENS)).map(move |block| Run {
            block: (first + block) as u32,
            tokens: BLOCK_TOKENS.min(tokens - block * BLOCK_TOKENS) as u32,
        })
    };
    let (shared_blocks, own_blocks) = (shared.div_ceil(BLOCK_TOKENS), own.div_ceil(BLOCK_TOKENS));
    let segments = (0..count)
        .map(|index| {
            Segment::causal(
                index * own..(index + 1) * own,
                runs(0, shared).chain(runs(shared_blocks + index * own_blocks, own)).collect(),
            )
        })
        .collect();
    let blocks = shared_blocks + count * own_blocks;
    let slots: Vec<u32> = (0..(blocks * BLOCK_TOKENS) as u32).collect();
    let mut kept =
        KvLayer::new(SHAPE, BLOCK_TOKENS, &Device::Cpu, DType::F32).expect("the shape is valid");
    kept.grow(blocks).expect("the memory is there");
    let keys_and_values = drawn(slots.len(), WIDTH);
    kept.write(&keys_and_values, HEADS * SHAPE.key_size, &slots).expect("the slots are there");
    (drawn(count * own, WIDTH), segments, kept)
}

/// softmax(q · kᵀ + mask) · v of one sequence, every key and value head repeated for its queries.
fn candle_attention(
    queries: &Tensor,
    keys: &Tensor,
    values: &Tensor,
    mask: &Tensor,
) -> Result<Tensor> {
    let scores = (queries.matmul(&keys.t()?)? * 0.125)?.broadcast_add(mask)?;
    candle_nn::ops::softmax(&scores, D::Minus1)?.matmul(values)
}

fn contexts(criterion: &mut Criterion) {
    let rule = AttentionRule { scale: 0.125, ..AttentionRule::default() };
    let mut group = criterion.benchmark_group("attention");
    // What is masked is not counted.
    let operations = |shared: usize, own: usize, count: usize| {
        4 * HEADS * SHAPE.key_size * count * (own * shared + own * (own + 1) / 2)
    };
    for context in [700, 2048, 8192] {
        let operations = operations(0, context, 1);
        let (projected, segments, kept) = stretches(0, context, 1);
        time(&mut group, &format!("{context} tokens"), operations, || {
            attention(&projected, HEADS, &segments, &kept, &rule)
        });
        if context <= 2048 {
            let heads = || {
                let numbers = drawn(HEADS * context, SHAPE.key_size);
                numbers.reshape((HEADS, context, SHAPE.key_size)).expect("as many numbers")
            };
            let (queries, keys, values) = (heads(), heads(), heads());
            let mask = Tensor::tril2(context, DType::F32, &Device::Cpu)
                .and_then(|seen| (seen - 1.0)? * 1e9)
                .expect("a square");
            time(&mut group, &format!("{context} tokens, candle"), operations, || {
                candle_attention(&queries, &keys, &values, &mask)
            });
        }
    }
    for (name, shared, own, count) in
        [("20 × 96 tokens after 620", 620, 96, 20), ("64 × 1 token after 620", 620, 1, 64)]
    {
        let (projected, segments, kept) = stretches(shared, own, count);
        time(&mut group, name, operations(shared, own, count), || {
            attention(&projected, HEADS, &segments, &kept, &rule)
        });
    }
    group.finish();
}

/// Every row's log-sum-exp over the vocabulary, and one target each.
fn heads(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("head");
    group.sample_size(10);
    for (hidden_size, vocabulary, rows) in [(384, 4096, 2048), (896, 151_936, 256)] {
        let (matrix, hidden) = (drawn(vocabulary, hidden_size), drawn(rows, hidden_size));
        let weight = Weight::from_tensor(&matrix).expect("a matrix");
        let head = Head { weight: &weight, bias: None, scale: None, soft_cap: None };
        let targets: Vec<(usize, u32)> = (0..rows).map(|row| (row, row as u32)).collect();
        let operations = 2 * rows * hidden_size * vocabulary;
        let name = format!("{rows} rows, {hidden_size}→{vocabulary}");
        time(&mut group, &name, operations, || surprisals(&hidden, head, &targets));
        let turned = matrix.t().expect("a matrix");
        time(&mut group, &format!("{name}, candle"), operations, || {
            hidden.matmul(&turned)?.log_sum_exp(D::Minus1)
        });
    }
    group.finish();
}

criterion_group! {
    name = ops;
    config = Criterion::default().sample_size(20).without_plots();
    targets = maps, contexts, heads
}
criterion_main!(ops);
