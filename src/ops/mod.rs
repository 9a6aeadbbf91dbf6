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
pub mod dot;
pub mod embedding;
pub mod experts;
pub mod fp8;
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
pub mod stored_tensor;
mod tile;

/// The vector instructions that the CPU computes with: other ones round differently.
pub fn instruction_set() -> &'static str {
    simd::InstructionSet::detect().name()
}

/// The best vector instructions that the CPU has, used or not.
pub fn best_instruction_set() -> &'static str {
    simd::InstructionSet::best().name()
}

/// Why vector instructions cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InstructionsError {
    /// This processor does not have them, or nothing has this name.
    #[error("there are no instructions {name:?} on this processor, only {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// Something was computed with others before.
    #[error("the program already computes with {0}")]
    Late(&'static str),
}

/// Computes with `avx512`, `avx2` or `portable` from now on, the best that the processor has or less.
///
/// It must be said before anything is computed: numbers of one run are all rounded alike.
pub fn use_instructions(name: &str) -> Result<(), InstructionsError> {
    let known = simd::InstructionSet::available();
    let Some(found) = known.iter().find(|set| set.argument() == name) else {
        let known: Vec<_> = known.iter().map(|set| set.argument()).collect();
        return Err(InstructionsError::Unknown { name: name.to_owned(), known: known.join(", ") });
    };
    if found.hold() { Ok(()) } else { Err(InstructionsError::Late(instruction_set())) }
}
