//! Tensor operations of the decoder, one file or folder each.
//!
//! Every operation is a plain function over tensors that runs on any device. On the CPU it has a way
//! of its own, tested against tensor operations, in which each row of a result depends on that row's
//! own inputs alone and is computed in the same order whatever rows are beside it. That is why
//! scores do not depend on how requests are packed.

// Vector instructions and outputs shared between threads have no safe interface. Nothing above this
// folder is unsafe, and no function that it offers is.
#![expect(unsafe_code, reason = "vector instructions, and outputs written by several threads")]

pub mod activation;
mod aligned;
pub mod attention;
pub mod clamp;
#[cfg(feature = "cuda")]
pub mod cuda;
mod curves;
pub mod embedding;
pub mod experts;
pub mod head;
pub mod host;
pub mod kv;
pub mod linear;
pub mod norm;
mod quantised;
pub mod rotary;
pub mod scale;
mod simd;
mod soft_cap;
mod tile;

/// The vector instructions that the CPU computes with: other ones round differently.
pub fn instruction_set() -> &'static str {
    simd::InstructionSet::detect().name()
}
