//! How fast matrix products and attention are by themselves, on the CPU.
//!
//! Shapes are those of models of 25 million to 8 billion parameters, and a few odd ones. Processor time
//! counts: it is what other work on the machine disturbs least.

mod attention;
mod product;
mod report;

use std::time::{Duration, Instant};

use candle_core::Result;
use candle_core::quantized::GgmlDType;

use crate::{ops, system};

pub use report::{KernelKind, KernelReport, KernelTime};

/// For how long a kernel is repeated in a round.
const ROUND: Duration = Duration::from_millis(250);

/// Rows of a pass.
const ROWS: usize = 512;

/// Rows, inputs and outputs of products of f32.
const PRODUCTS: [(usize, usize, usize); 14] = [
    (ROWS, 384, 2048),
    (ROWS, 384, 4096),
    (ROWS, 384, 14_336),
    (ROWS, 1024, 2048),
    (ROWS, 1024, 4096),
    (ROWS, 1024, 14_336),
    (ROWS, 4096, 2048),
    (ROWS, 4096, 4096),
    (ROWS, 4096, 14_336),
    (509, 1000, 2050),
    (517, 4095, 4127),
    (100, 385, 4099),
    (37, 896, 4864),
    (1, 4096, 4096),
];

/// Inputs and outputs of products with other weights.
const MATRICES: [(usize, usize); 2] = [(1024, 4096), (4096, 4096)];

/// Their types.
const TYPES: [GgmlDType; 6] = [
    GgmlDType::BF16,
    GgmlDType::F16,
    GgmlDType::Q8_0,
    GgmlDType::Q4_0,
    GgmlDType::Q4K,
    GgmlDType::Q6K,
];

/// Sequences, tokens that they share, and tokens of each by itself.
const CONTEXTS: [(usize, usize, usize); 4] =
    [(1, 0, 700), (1, 0, 2048), (20, 620, 96), (64, 620, 1)];

/// Measures every kernel in so many rounds, at least one, and keeps the fastest call of each.
pub fn bench_kernels(repetitions: usize) -> Result<KernelReport> {
    let repetitions = repetitions.max(1);
    let least_time = ROUND * u32::try_from(repetitions).unwrap_or(u32::MAX);
    let products = PRODUCTS.map(|shape| (GgmlDType::F32, shape));
    let others = MATRICES
        .into_iter()
        .flat_map(|(inputs, outputs)| TYPES.map(|dtype| (dtype, (ROWS, inputs, outputs))));
    let mut kernels = Vec::new();
    for (dtype, shape) in products.into_iter().chain(others) {
        kernels.push(product::time(dtype, shape, least_time)?);
    }
    for context in CONTEXTS {
        kernels.push(attention::time(context, least_time)?);
    }
    Ok(KernelReport {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        instructions: ops::instruction_set().to_owned(),
        best_instructions: ops::best_instruction_set().to_owned(),
        threads: rayon::current_num_threads(),
        repetitions,
        kernels,
    })
}

/// The fastest call of `work`, which does so much arithmetic, within this time and of two at least.
fn fastest<T>(
    kernel: KernelKind,
    flops: f64,
    least_time: Duration,
    mut work: impl FnMut() -> Result<T>,
) -> Result<KernelTime> {
    // Caches and buffers are warm afterwards, as they are within a model.
    work()?;
    let mut time = KernelTime { kernel, flops, wall_seconds: f64::INFINITY, cpu_seconds: None };
    let begin = Instant::now();
    let mut calls = 0;
    while calls < 2 || begin.elapsed() < least_time {
        let (begin, begin_cpu) = (Instant::now(), system::cpu_seconds());
        work()?;
        let cpu = system::cpu_seconds().zip(begin_cpu).map(|(end, begin)| end - begin);
        time.wall_seconds = time.wall_seconds.min(begin.elapsed().as_secs_f64());
        time.cpu_seconds = match (time.cpu_seconds, cpu) {
            (Some(fastest), Some(cpu)) => Some(fastest.min(cpu)),
            (fastest, cpu) => fastest.or(cpu),
        };
        calls += 1;
    }
    Ok(time)
}
