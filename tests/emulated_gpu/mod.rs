//! The whole program on emulated GPUs (`kernels/emulator/driver`).
//!
//! It takes a program that was built with the feature `cuda`: that of this very build, or the one that
//! `SURPRISAL_CUDA_PROGRAM` names. A build without code for a GPU will do (`kernels/lint_compiler.sh`), because
//! the emulator has all kernels. Where there is no such program or no C++ compiler, the tests say so and pass.
//!
//! With `SURPRISAL_EMULATED_GPU=long` they try everything, which takes half an hour; without it some of each kind, which takes
//! minutes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails here")]

mod faults;
mod gpu;
mod journal;
mod passes;
mod requirements;
mod towers;
mod whole;

/// Whether everything is tried, or some of each kind.
fn is_long() -> bool {
    std::env::var_os("SURPRISAL_EMULATED_GPU").is_some_and(|value| value == "long")
}
