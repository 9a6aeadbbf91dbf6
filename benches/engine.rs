//! What the engine saves and how fast it decodes, on a small model of random weights.
//!
//! ```sh
//! cargo bench --bench engine
//! ```
//!
//! `scoring` puts questions with common examples to the engine as one list and one by one; the ratio of
//! the two is what sharing and packing save. `decoding` continues 1, 16 and 64 sequences side by side.

use candle_core::{DType, Device};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use surprisal::bench::{ScoredTokens, SyntheticWorkload, Workload};
use surprisal::engine::{Engine, EngineOptions};
use surprisal::model::SyntheticShape;

/// Questions that are scored, of four candidates each.
const QUESTIONS: usize = 8;

fn engine() -> Engine {
    let shape: SyntheticShape = "llama25m".parse().expect("the shape is known");
    let model = shape.model(&Device::Cpu, DType::F32).expect("the shape is whole");
    Engine::new(model, EngineOptions { ignore_eos: true, ..EngineOptions::default() })
}

fn workload(engine: &Engine, name: &str, questions: usize) -> Workload {
    let workload: SyntheticWorkload = name.parse().expect("the workload is known");
    workload.for_model(engine.model().decoder.spec(), Some(questions), ScoredTokens::Answers)
}

fn scoring(criterion: &mut Criterion) {
    let engine = engine();
    let scores = workload(&engine, "mmlu5", QUESTIONS).scores;
    let mut group = criterion.benchmark_group("scoring");
    group.sample_size(10).throughput(Throughput::Elements(scores.len() as u64));
    group.bench_function("as one list", |bencher| {
        bencher.iter(|| engine.score(&scores, &mut |_| ()));
    });
    group.bench_function("one by one", |bencher| {
        let alone = |request| engine.score(std::slice::from_ref(request), &mut |_| ());
        bencher.iter(|| scores.iter().map(alone).collect::<Vec<_>>());
    });
    group.finish();
}

fn decoding(criterion: &mut Criterion) {
    let engine = engine();
    let mut group = criterion.benchmark_group("decoding");
    for sequences in [1, 16, 64] {
        let mut requests = workload(&engine, "gen", sequences).generations;
        for request in &mut requests {
            // Short prompts: what is left is decoding.
            request.ids = request.ids[request.ids.len() - 1..].into();
            request.max_new_tokens = 32;
        }
        let tokens = requests.iter().map(|request| request.max_new_tokens as u64).sum();
        group.sample_size(10).throughput(Throughput::Elements(tokens));
        group.bench_with_input(
            BenchmarkId::new("sequences", sequences),
            &requests,
            |bencher, requests| {
                bencher.iter(|| engine.generate(requests, &mut |_| ()));
            },
        );
    }
    group.finish();
}

criterion_group!(benches, scoring, decoding);
criterion_main!(benches);
