//! What carries rows from a tower into a decoder: two linear maps with a non-linearity between them.

use candle_core::{Result, Tensor};

use super::Config;
use crate::model::error::ModelError;
use crate::model::families::named_activation;
use crate::model::projection::Projection;
use crate::model::spec::Activation;
use crate::model::weights::ParameterSource;

/// Both maps.
#[derive(Clone, Debug)]
pub(super) struct Connector {
    first: Projection,
    activation: Activation,
    second: Projection,
}

impl Connector {
    /// Takes the parameters of the maps `names`, the first of `input_size` numbers to `output_size`, and the second of those.
    pub(super) fn load(
        source: &dyn ParameterSource,
        [first, second]: [&str; 2],
        [input_size, output_size]: [usize; 2],
        activation: Activation,
        has_biases: bool,
    ) -> std::result::Result<Self, ModelError> {
        Ok(Self {
            first: Projection::load(source, first, input_size, output_size, has_biases)?,
            activation,
            second: Projection::load(source, second, output_size, output_size, has_biases)?,
        })
    }

    /// Maps every row.
    pub(super) fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        let inner = self.first.activated(rows, self.activation)?;
        self.second.forward(&inner, None)
    }
}

/// The non-linearity named by `field`.
pub(super) fn activation_or(
    config: &Config,
    field: &str,
    default: Activation,
) -> std::result::Result<Activation, ModelError> {
    match config.text(field)? {
        None => Ok(default),
        Some(name) => named_activation(name).ok_or_else(|| config.unsupported(field)),
    }
}

/// A config that stands within another one and must be there.
pub(super) fn nested(config: &Config, field: &str) -> std::result::Result<Config, ModelError> {
    config.object(field)?.ok_or_else(|| config.expected(field, "an object"))
}

/// The width of the decoder's stream. The classes of decoders that are stored beside towers have one default.
pub(super) fn decoder_width(config: &Config) -> std::result::Result<usize, ModelError> {
    nested(config, "text_config")?.count_or("hidden_size", 4096)
}
