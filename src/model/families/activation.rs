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
        Some(name) => named(name).ok_or_else(|| config.unsupported(field)),
    }
}

/// The activation of a name.
pub(in crate::model) fn named(name: &str) -> Option<Activation> {
    match name {
        "silu" | "swish" => Some(Activation::Silu),
        "gelu" | "gelu_python" => Some(Activation::Gelu),
        "gelu_new" | "gelu_fast" | "gelu_accurate" | "gelu_pytorch_tanh" | "gelu_python_tanh" => {
            Some(Activation::GeluTanh)
        }
        "quick_gelu" => Some(Activation::QuickGelu),
        "relu" => Some(Activation::Relu),
        "relu2" => Some(Activation::ReluSquared),
        _ => None,
    }
}
