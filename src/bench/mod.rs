//! How fast a model answers, and where its time and memory go.
//!
//! A [`Workload`] is put to the engine as a run would put it, but nothing is evaluated, and nothing stored
//! unless that is what is measured. The best of several repetitions is reported: whatever else the machine does only ever adds time.

mod baseline;
mod comparison;
mod error;
mod keeping;
mod kernels;
mod measurement;
mod peak;
mod report;
pub mod served;
mod trace;
mod workload;

use std::{path::PathBuf, time::Instant};

use candle_core::{DType, Device};
use jiff::civil::DateTime;

pub use baseline::{BenchRound, BuildComparison, QuantityRatio, compare_builds};
pub use comparison::{BenchComparison, BenchComparisonError, ComparedQuantity, compare};
pub use error::BenchError;
pub use kernels::{KernelKind, KernelReport, KernelTime, bench_kernels};
pub use report::{BenchMemory, BenchReport, KeepingReport, OperationReport, PhaseReport};
pub use trace::{WorkloadTrace, trace_file};
pub use workload::{ScoredTokens, SyntheticWorkload, UnknownScoredTokens, Workload};

use crate::{
    engine::EngineOptions,
    model::{Activations, Checkpoint, DeviceName, Model, ModelError, SyntheticShape},
    plan::RunPlan,
    prepare::{PrepareError, Progress, ReadyRun, model_failed},
};

/// What is measured.
#[derive(Clone, Debug)]
pub enum BenchSubject {
    /// The models and data sets of configs; checkpoint folders replace the configs' models.
    Configs {
        /// The configs.
        configs: Vec<PathBuf>,
        /// The folders.
        models: Vec<PathBuf>,
    },
    /// Checkpoint folders, asked made-up questions.
    Checkpoints {
        /// The folders.
        folders: Vec<PathBuf>,
        /// The questions.
        workload: SyntheticWorkload,
    },
    /// A model of random weights, asked made-up questions.
    Synthetic {
        /// Its shape.
        shape: SyntheticShape,
        /// The questions.
        workload: SyntheticWorkload,
    },
}

/// How it is measured.
#[derive(Clone, Debug)]
pub struct BenchOptions {
    /// Only so many test samples of each data set, or made-up questions.
    pub limit: Option<usize>,
    /// Which tokens of made-up questions are scored.
    pub scored: ScoredTokens,
    /// Repetitions, of which the fastest counts; at least one.
    pub repetitions: usize,
    /// Where to compute.
    pub device: DeviceName,
    /// What to compute in; on the CPU always f32.
    pub dtype: DType,
    /// What becomes of the inputs of quantised weights.
    pub activations: Activations,
    /// What the engine computes and keeps at once.
    pub engine: EngineOptions,
    /// Where answers are kept to see what that costs.
    pub keep: Option<PathBuf>,
    /// Whether one more repetition is traced.
    pub is_traced: bool,
    /// What chat templates that write a date are told.
    pub now: DateTime,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchOutcome {
    /// One for each model.
    pub reports: Vec<BenchReport>,
    /// What each went through, where that was asked for.
    pub traces: Vec<WorkloadTrace>,
}

/// Measures every model of `subject`.
pub fn bench(
    subject: &BenchSubject,
    options: &BenchOptions,
    progress: &dyn Progress,
) -> Result<BenchOutcome, BenchError> {
    let device = options.device.open().map_err(|source| PrepareError::Device(Box::new(source)))?;
    let dtype = if device.is_cpu() { DType::F32 } else { options.dtype };
    let bench_device = BenchDevice {
        name: options.device.to_string(),
        matmul_flops_per_second: peak::matmul_flops_per_second(&device, dtype)
            .map_err(|source| PrepareError::Device(Box::new(source.into())))?,
        device,
        dtype,
        activations: options.activations,
    };
    let load = |checkpoint: &Checkpoint| bench_device.load(checkpoint);
    let measure = |name: &str, (model, load_seconds): (Model, Option<f64>), workload: &Workload| {
        let requests = workload.requests() * options.repetitions.max(1);
        progress.begin(&format!("{} · {name}", workload.name), requests, 0);
        let measured =
            measurement::measure(name, model, workload, options, &bench_device, progress);
        progress.end();
        let (report, trace) = measured?;
        Ok::<_, BenchError>((BenchReport { load_seconds, ..report }, trace))
    };
    let measured: Vec<(BenchReport, Option<WorkloadTrace>)> = match subject {
        BenchSubject::Configs { configs, models } => {
            let plan = RunPlan::load(configs, models)?;
            let ready = ReadyRun::prepare(&plan, options.limit, None, options.now, progress)?;
            let mut reports = Vec::with_capacity(ready.models.len());
            for model in ready.models {
                let workload = Workload::of_units(&plan, &model.units);
                let entry = model.plan;
                let checkpoint = model.source.needed(entry)?;
                let mut loaded = load(checkpoint).map_err(|source| model_failed(entry, source))?;
                loaded.0.generation.eos_ids.extend(&entry.eos_token_ids);
                reports.push(measure(&entry.abbr, loaded, &workload)?);
            }
            reports
        }
        BenchSubject::Checkpoints { folders, workload } => folders
            .iter()
            .map(|folder| {
                let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
                let loaded = Checkpoint::open(&folder.to_string_lossy(), progress)
                    .and_then(|checkpoint| load(&checkpoint));
                let loaded = loaded.map_err(|source| PrepareError::Model {
                    model: name.to_string(),
                    source: Box::new(source),
                })?;
                let workload =
                    workload.for_model(loaded.0.decoder.spec(), options.limit, options.scored);
                measure(&name, loaded, &workload)
            })
            .collect::<Result<_, _>>()?,
        BenchSubject::Synthetic { shape, workload } => {
            let made = shape.model(&bench_device.device, bench_device.dtype);
            let made = made.map_err(|source| PrepareError::Model {
                model: shape.name().to_owned(),
                source: Box::new(source),
            })?;
            let workload = workload.for_model(made.decoder.spec(), options.limit, options.scored);
            vec![measure(shape.name(), (made, None), &workload)?]
        }
    };
    let (reports, traces): (Vec<_>, Vec<_>) = measured.into_iter().unzip();
    Ok(BenchOutcome { reports, traces: traces.into_iter().flatten().collect() })
}

/// The device that is measured, and what it can do.
struct BenchDevice {
    name: String,
    device: Device,
    dtype: DType,
    activations: Activations,
    /// What a large product reaches there.
    matmul_flops_per_second: f64,
}

impl BenchDevice {
    /// The model, and how many seconds reading its weights took.
    fn load(&self, checkpoint: &Checkpoint) -> Result<(Model, Option<f64>), ModelError> {
        let started = Instant::now();
        let model = checkpoint.load_for(&self.device, self.dtype, self.activations)?;
        self.device.synchronize()?;
        Ok((model, Some(started.elapsed().as_secs_f64())))
    }
}
