//! Putting a workload to the engine, and taking the time.

use std::time::Instant;

use candle_core::Device;

use super::{
    BenchDevice, BenchMemory, BenchOptions, BenchReport, OperationReport, PhaseReport, Workload,
    WorkloadTrace, keeping::keep, peak,
};
use crate::{
    engine::{Engine, EngineOptions, EngineStatistics, MemoryEstimate},
    model::{
        Model,
        timings::{Operation, Phase, PhaseTimings, Timings, recorded},
    },
    pass_trace::traced,
    prepare::Progress,
    store::{StoreError, file_name},
    system,
};

/// One repetition.
struct Repetition {
    wall_seconds: f64,
    cpu_seconds: Option<f64>,
    failed_requests: usize,
    statistics: EngineStatistics,
    timings: Timings,
}

/// Asks `model` all of `workload` as often as `options` say, and once more for a trace.
pub(super) fn measure(
    name: &str,
    model: Model,
    workload: &Workload,
    options: &BenchOptions,
    bench_device: &BenchDevice,
    progress: &dyn Progress,
) -> Result<(BenchReport, Option<WorkloadTrace>), StoreError> {
    let engine_options = EngineOptions { ignore_eos: workload.ignore_eos, ..options.engine };
    let engine = Engine::new(model, engine_options);
    let engine_options = *engine.options();
    let loaded_bytes = system::resident_bytes();
    let mut fastest = repetition(&engine, None, workload, progress);
    for _ in 1..options.repetitions {
        let next = repetition(&engine, None, workload, progress);
        if next.wall_seconds < fastest.wall_seconds {
            fastest = next;
        }
    }
    let Repetition { wall_seconds, cpu_seconds, failed_requests, statistics, timings } = fastest;
    let requests = workload.requests();
    let (prefill, decode) = (timings.phase(Phase::Prefill), timings.phase(Phase::Decode));
    // Waiting after every operation takes time itself, so it is done besides.
    let waited = (!bench_device.device.is_cpu())
        .then(|| repetition(&engine, Some(bench_device.device.clone()), workload, progress));
    let operations = match &waited {
        None => operations(&timings, wall_seconds),
        Some(waited) => operations(&waited.timings, waited.wall_seconds),
    };
    let trace = options.is_traced.then(|| WorkloadTrace {
        model: name.to_owned(),
        workload: workload.name.clone(),
        device: bench_device.name.clone(),
        spans: traced(|| repetition(&engine, None, workload, progress)).1,
    });
    let keeping = options
        .keep
        .as_deref()
        .map(|folder| keep(&engine, workload, &folder.join(file_name(name)), progress))
        .transpose()?;
    let flops: f64 = Operation::ALL
        .iter()
        .map(|&operation| prefill.operation(operation).flops + decode.operation(operation).flops)
        .sum();
    let in_operations: f64 = operations.iter().map(OperationReport::seconds).sum();
    let spec = engine.model().decoder.spec();
    let rows = engine_options.batch_tokens.min(statistics.computed_tokens);
    let working = MemoryEstimate::new(spec, &engine_options, 0, rows);
    let report = BenchReport {
        model: name.to_owned(),
        workload: workload.name.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        device: bench_device.name.clone(),
        dtype: bench_device.dtype.as_str().to_owned(),
        instructions: crate::ops::instruction_set().to_owned(),
        activations: bench_device.activations.to_string(),
        threads: rayon::current_num_threads(),
        batch_tokens: engine_options.batch_tokens,
        block_tokens: engine_options.block_tokens,
        repetitions: options.repetitions.max(1),
        requests,
        failed_requests,
        tokens: statistics,
        saving: statistics.saving(),
        load_seconds: None,
        wall_seconds,
        benchmark_seconds: workload.whole_benchmark.map(|times| times * wall_seconds),
        cpu_seconds,
        requests_per_second: requests as f64 / wall_seconds,
        prefill: phase(prefill),
        decode: phase(decode),
        flops,
        flops_per_second: flops / wall_seconds,
        matmul_flops_per_second: bench_device.matmul_flops_per_second,
        matmul_shape: peak::product_shape(&bench_device.device),
        matmul_share: flops / wall_seconds / bench_device.matmul_flops_per_second,
        operations,
        other_seconds: (waited.map_or(wall_seconds, |waited| waited.wall_seconds) - in_operations)
            .max(0.0),
        keeping,
        memory: BenchMemory {
            weight_bytes: engine.model().weight_bytes,
            kv_bytes: statistics.peak_kv_bytes,
            activation_bytes: working.activation_bytes,
            head_bytes: working.head_bytes,
            loaded_bytes,
            peak_bytes: system::peak_resident_bytes(),
        },
    };
    Ok((report, trace))
}

fn repetition(
    engine: &Engine,
    awaited: Option<Device>,
    workload: &Workload,
    progress: &dyn Progress,
) -> Repetition {
    let before = engine.statistics();
    let mut heard = |tokens| progress.tokens(tokens);
    let (begin, begin_cpu_seconds) = (Instant::now(), system::cpu_seconds());
    let (failed_requests, timings) = recorded(awaited, || {
        let scores = engine.score(&workload.scores, &mut heard);
        let generations = engine.generate(&workload.generations, &mut heard);
        let failed_scores = scores.iter().filter(|answer| answer.is_err()).count();
        failed_scores + generations.iter().filter(|answer| answer.is_err()).count()
    });
    let wall_seconds = begin.elapsed().as_secs_f64();
    let cpu_seconds = system::cpu_seconds().zip(begin_cpu_seconds).map(|(end, begin)| end - begin);
    progress.samples(workload.requests());
    let statistics = engine.statistics().since(&before);
    Repetition { wall_seconds, cpu_seconds, failed_requests, statistics, timings }
}

fn phase(timings: &PhaseTimings) -> PhaseReport {
    let seconds = timings.time.as_secs_f64();
    let tokens_per_second = if seconds > 0.0 { timings.rows as f64 / seconds } else { 0.0 };
    PhaseReport { passes: timings.passes, tokens: timings.rows, seconds, tokens_per_second }
}

fn operations(timings: &Timings, wall_seconds: f64) -> Vec<OperationReport> {
    let (prefill, decode) = (timings.phase(Phase::Prefill), timings.phase(Phase::Decode));
    let report = |&operation: &Operation| {
        let (prefill, decode) = (prefill.operation(operation), decode.operation(operation));
        let seconds = (prefill.time + decode.time).as_secs_f64();
        let flops = prefill.flops + decode.flops;
        OperationReport {
            operation: operation.name().to_owned(),
            calls: prefill.calls + decode.calls,
            prefill_seconds: prefill.time.as_secs_f64(),
            decode_seconds: decode.time.as_secs_f64(),
            share: seconds / wall_seconds,
            flops_per_second: if seconds > 0.0 { flops / seconds } else { 0.0 },
        }
    };
    Operation::ALL.iter().map(report).collect()
}
