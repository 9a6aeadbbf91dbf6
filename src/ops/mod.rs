//! Tensor operations of the decoder, one file or folder each.
//!
//! Every operation is a plain function over tensors that runs on any device; where the CPU has a
//! faster way, the function picks it and a test compares the two. On the CPU each row of a result
//! depends on that row's own inputs alone and is computed in the same order whatever rows are
//! beside it, which is why scores do not depend on how requests are packed.

pub mod activation;
#[expect(unsafe_code, reason = "a vector of cache lines is read as numbers")]
mod aligned;
pub mod attention;
pub mod greedy;
pub mod host;
pub mod kv;
pub mod linear;
pub mod norm;
pub mod rotary;
pub mod scale;
pub mod soft_cap;
pub mod token_logprob;
