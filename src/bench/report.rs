//! What was measured, as plain values.

use serde::{Deserialize, Serialize};

use crate::engine::EngineStatistics;

/// One workload on one model: the fastest repetition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchReport {
    /// The model.
    pub model: String,
    /// What it was asked.
    pub workload: String,
    /// This program's version.
    pub version: String,
    /// Where it was computed: `cpu`, `cuda:0`.
    #[serde(default)]
    pub device: String,
    /// The type it was computed in.
    #[serde(default)]
    pub dtype: String,
    /// The vector instructions of the CPU that were used.
    #[serde(default)]
    pub instructions: String,
    /// What became of the inputs of quantised weights: `exact` or `q8`.
    #[serde(default = "exact")]
    pub activations: String,
    /// Threads that computed.
    pub threads: usize,
    /// Most rows of a forward pass.
    pub batch_tokens: usize,
    /// Tokens of a block of keys and values.
    pub block_tokens: usize,
    /// Repetitions, of which the fastest is reported.
    pub repetitions: usize,
    /// Texts that were scored or continued.
    pub requests: usize,
    /// Those without an answer.
    pub failed_requests: usize,
    /// Tokens that were asked for, computed, scored and generated.
    pub tokens: EngineStatistics,
    /// Tokens that were asked for, for each one that was computed.
    pub saving: f64,
    /// From a checkpoint that is checked to a model that can be asked; `None` where weights are made up.
    #[serde(default)]
    pub load_seconds: Option<f64>,
    /// From the first request to the last answer.
    pub wall_seconds: f64,
    /// What the whole benchmark would take at this pace, where its size is known.
    #[serde(default)]
    pub benchmark_seconds: Option<f64>,
    /// Processor time of all threads meanwhile, where the system tells.
    pub cpu_seconds: Option<f64>,
    /// Answers per second.
    pub requests_per_second: f64,
    /// Passes that read: prompts, and texts that are scored.
    pub prefill: PhaseReport,
    /// Passes that only continue sequences.
    pub decode: PhaseReport,
    /// Multiplications and additions of all matrix products, each counted: two for every parameter
    /// that a row meets, and what attention and the head take.
    pub flops: f64,
    /// The same per second of wall time.
    pub flops_per_second: f64,
    /// What a large product reaches on this machine as this program computes it.
    pub matmul_flops_per_second: f64,
    /// Rows, inputs and outputs of that product.
    #[serde(default)]
    pub matmul_shape: [usize; 3],
    /// The share of that.
    pub matmul_share: f64,
    /// Where the time went, in the order in which a pass comes through the operations. On a device other
    /// than the CPU from a repetition of its own, which waits after every operation.
    pub operations: Vec<OperationReport>,
    /// Planning, choosing tokens, and all else between operations.
    pub other_seconds: f64,
    /// Where the memory went.
    pub memory: BenchMemory,
    /// What it costs to keep the answers, if that was asked for.
    #[serde(default)]
    pub keeping: Option<KeepingReport>,
}

/// What reports mean that do not say it.
fn exact() -> String {
    "exact".to_owned()
}

/// What it costs to keep the answers, from a repetition of its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeepingReport {
    /// What the thread that computes spends on handing answers over.
    pub engine_thread_seconds: f64,
    /// The same for each second of this repetition.
    pub engine_thread_share: f64,
    /// From the first request to the last answer.
    pub wall_seconds: f64,
    /// From the last answer until all of them are on disk.
    pub after_last_answer_seconds: f64,
    /// The database.
    pub database_bytes: u64,
}

/// The passes of one phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseReport {
    /// Forward passes.
    pub passes: usize,
    /// Their rows.
    pub tokens: usize,
    /// How long they took together.
    pub seconds: f64,
    /// Rows per second; 0 without passes.
    pub tokens_per_second: f64,
}

/// One kind of operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperationReport {
    /// What it is called.
    pub operation: String,
    /// How often it ran.
    pub calls: usize,
    /// How long it took in passes that read.
    pub prefill_seconds: f64,
    /// How long it took in passes that only continue.
    pub decode_seconds: f64,
    /// The share of the wall time.
    pub share: f64,
    /// Of its matrix products; 0 if it has none.
    pub flops_per_second: f64,
}

impl OperationReport {
    /// How long it took.
    pub fn seconds(&self) -> f64 {
        self.prefill_seconds + self.decode_seconds
    }
}

/// Memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenchMemory {
    /// Parameters.
    pub weight_bytes: usize,
    /// The most that blocks of keys and values took, reservations included.
    pub kv_bytes: usize,
    /// What the largest pass held between its operations, estimated from the widths of the model.
    pub activation_bytes: usize,
    /// What the head read of the largest pass, estimated likewise.
    pub head_bytes: usize,
    /// What the process held before the first request, where the system tells.
    pub loaded_bytes: Option<usize>,
    /// The most that the process has held since it began, loading included, where the system tells.
    pub peak_bytes: Option<usize>,
}
