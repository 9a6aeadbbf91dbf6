//! The non-linearities `config.json` can name.

use super::config::Config;
use crate::model::error::ModelError;
use crate::model::spec::Activation;

/// The activation named by `field`, or `default` when the field is absent.
///
/// Names are those of `transformers.activations.ACT2FN`.
pub(super) fn read(
    config: &Config,
    field: &str,
    default: Activation,
) -> Result<Activation, ModelError> {
    match config.text(field)? {
        None => Ok(default),
        Some("silu" | "swish") => Ok(Activation::Silu),
        Some("gelu" | "gelu_python") => Ok(Activation::Gelu),
        Some(
            "gelu_new" | "gelu_fast" | "gelu_accurate" | "gelu_pytorch_tanh" | "gelu_python_tanh",
        ) => Ok(Activation::GeluTanh),
        Some("quick_gelu") => Ok(Activation::QuickGelu),
        Some("relu") => Ok(Activation::Relu),
        Some("relu2") => Ok(Activation::ReluSquared),
        Some(_) => Err(config.unsupported(field)),
    }
}
