//! Arguments of `serve`.

use std::net::IpAddr;

use clap::Args;

use super::{
    engine::EngineArguments,
    value::{ComputeType, positive},
};
use crate::{cli::device::DeviceChoice, model::Activations};

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub(in crate::cli) struct ServeArguments {
    /// The checkpoint: a folder, a GGUF file, or org/name[@revision] on the hub.
    #[arg(long, value_name = "MODEL")]
    pub(in crate::cli) model: String,
    /// What requests call it; what stands behind --model without it.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) name: Option<String>,
    /// The address to listen on. One that other machines reach needs --api-key-env.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(in crate::cli) host: IpAddr,
    /// The port; 0 for one that is free.
    #[arg(long, value_name = "N", default_value_t = 8000)]
    pub(in crate::cli) port: u16,
    /// The environment variable with the key that requests have to bring.
    #[arg(long, value_name = "VARIABLE")]
    pub(in crate::cli) api_key_env: Option<String>,
    /// How conversations are written, instead of the checkpoint's own chat template: a template or its file.
    #[arg(long, value_name = "TEMPLATE")]
    pub(in crate::cli) chat_template: Option<String>,
    /// Where to compute: cpu, cuda, cuda:N, metal, or auto for a GPU if there is one.
    #[arg(long, default_value = "auto")]
    pub(in crate::cli) device: DeviceChoice,
    /// The type that a device other than the CPU computes in, bf16, f16 or f32, instead of the one that
    /// weights are stored in.
    #[arg(long, value_name = "TYPE")]
    pub(in crate::cli) dtype: Option<ComputeType>,
    /// What becomes of the inputs of quantised weights: exact, or q8, which rounds them as llama.cpp does and is
    /// faster, on the CPU.
    #[arg(long, value_name = "KIND", default_value = "exact")]
    pub(in crate::cli) activations: Activations,
    /// Most sequences that wait or are computed; above that requests are refused with 429.
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = positive)]
    pub(in crate::cli) max_sequences: usize,
    /// Most bytes of a request's body.
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 20, value_parser = positive)]
    pub(in crate::cli) max_body_bytes: usize,
    /// Most seconds that a request takes.
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = positive)]
    pub(in crate::cli) max_seconds: usize,
    /// Most open connections; further ones wait.
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = positive)]
    pub(in crate::cli) max_connections: usize,
    /// How much at once.
    #[command(flatten)]
    pub(in crate::cli) engine: EngineArguments,
}
