//! What was measured of kernels, as plain values.

use serde::Serialize;

/// How fast kernels are on a machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KernelReport {
    /// This program's version.
    pub version: String,
    /// The vector instructions that were used.
    pub instructions: String,
    /// The best that the processor has.
    pub best_instructions: String,
    /// Threads that computed.
    pub threads: usize,
    /// Rounds, of which the fastest call counts.
    pub repetitions: usize,
    /// Kernels in the order in which they were measured.
    pub kernels: Vec<KernelTime>,
}

/// The fastest call of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KernelTime {
    /// Which, and its shape.
    #[serde(flatten)]
    pub kernel: KernelKind,
    /// Multiplications and additions of a call. What attention masks is not counted.
    pub flops: f64,
    /// Seconds on the clock.
    pub wall_seconds: f64,
    /// Processor seconds of all threads, where the system tells; maybe of another call.
    pub cpu_seconds: Option<f64>,
}

/// What was computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kernel", rename_all = "snake_case")]
pub enum KernelKind {
    /// Rows times a matrix.
    Product {
        /// What the matrix is stored as; rows and results are f32.
        weights: String,
        /// Rows.
        rows: usize,
        /// Numbers of a row.
        inputs: usize,
        /// Numbers of a result.
        outputs: usize,
    },
    /// Causal attention.
    Attention {
        /// Sequences.
        sequences: usize,
        /// Tokens at their beginning, which all share and which were computed before.
        shared_tokens: usize,
        /// Tokens of each sequence after those.
        own_tokens: usize,
        /// Query heads.
        heads: usize,
        /// Key and value heads.
        kv_heads: usize,
        /// Numbers of a head.
        head_size: usize,
    },
}
