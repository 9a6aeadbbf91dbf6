//! Operations on NVIDIA GPUs, by the kernels in `kernels/`.
//!
//! Every function here stands in for the plain tensor operations of the op that calls it, with the same
//! arguments and the same meaning. Each begins its kernels on the device's one stream and returns; only
//! what is read on the host waits for them. Tensors are of f32, f16 or bf16, and kernels compute in f32.

mod activation;
mod attention;
mod blocks;
mod device;
mod embedding;
mod experts;
mod finish;
mod head;
mod launch;
mod norm;
mod pinned;
mod product;
mod requirements;
mod rotary;
mod sending;
mod upload;

pub(super) use activation::{activation, gated_activation};
pub(super) use attention::attention;
pub(super) use blocks::DeviceBlocks;
pub use device::{count, free_memory_bytes, prepare};
pub(super) use embedding::embedding;
pub(super) use experts::{ExpertMap, Routed, add_experts, choose_experts};
pub(super) use finish::finish_product;
pub(super) use head::{ArrivingSurprisals, most_likely, surprisals};
pub(super) use norm::{norm, norm_columns};
pub(super) use product::linear;
pub use requirements::{MissingRequirement, check};
pub(super) use rotary::{keep, kept_size, rotary, rotate_and_keep};
pub(super) use sending::send_bytes;
