//! Which layer of a tower gives what a model makes its rows of.

use serde_json::Value;

use super::Config;
use crate::model::error::ModelError;

/// A layer as configs count them: 0 is what enters the first one, and −1 the last one's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FeatureLayer {
    /// How many layers are computed.
    pub(super) depth: usize,
    /// Whether it is said as −1: a final norm of the tower is then part of it.
    pub(super) is_output: bool,
}

impl FeatureLayer {
    /// Reads it of a tower of so many layers. Several layers side by side are refused.
    pub(super) fn read(
        config: &Config,
        field: &str,
        default: i64,
        layers: usize,
    ) -> Result<Self, ModelError> {
        let layer = match config.get(field) {
            None => default,
            Some(Value::Array(_)) => return Err(config.unsupported(field)),
            Some(value) => {
                value.as_i64().ok_or_else(|| config.expected(field, "the number of a layer"))?
            }
        };
        match Self::depth_of(layer, layers) {
            Some(depth) => Ok(Self { depth, is_output: layer == -1 }),
            None => Err(config.expected(field, "the number of a layer that the tower has")),
        }
    }

    /// How many of so many layers are computed for the layer that a config counts so.
    pub(super) fn depth_of(layer: i64, layers: usize) -> Option<usize> {
        let from_end = layer.checked_neg().and_then(|back| usize::try_from(back).ok());
        let depth = match (usize::try_from(layer), from_end) {
            (Ok(depth), _) => Some(depth),
            (_, Some(back)) => (layers + 1).checked_sub(back),
            _ => None,
        };
        depth.filter(|depth| *depth <= layers)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;

    #[test]
    fn layers_count_from_what_enters_the_first_one_or_from_the_last_one_back() {
        let read = |value: Value| {
            let config = Config::new(Path::new("config.json"), json!({"layer": value})).unwrap();
            FeatureLayer::read(&config, "layer", -2, 3).ok().map(|layer| layer.depth)
        };
        for (layer, depth) in [(json!(null), 2), (json!(-1), 3), (json!(-4), 0), (json!(3), 3)] {
            assert_eq!(read(layer.clone()), Some(depth), "{layer}");
        }
        for layer in [json!(4), json!(-5), json!(i64::MIN), json!([-2, -1]), json!(1.5)] {
            assert_eq!(read(layer.clone()), None, "{layer}");
        }
    }
}
