//! The numbers of a tower that most configs give under the same names.

use super::Config;
use crate::model::error::ModelError;

/// Sides beyond this are taken for damage.
const LARGEST_SIDE: usize = 1 << 16;

/// How large a tower is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TowerSizes {
    /// Width of its stream.
    pub(super) hidden_size: usize,
    /// Width within its feed-forward networks.
    pub(super) inner_size: usize,
    /// Layers.
    pub(super) layers: usize,
    /// Heads of attention, which divide the hidden size.
    pub(super) heads: usize,
    /// Pixels along a side of the image that positions are made for.
    pub(super) image_side: usize,
    /// Pixels along a side of a patch.
    pub(super) patch_side: usize,
}

impl TowerSizes {
    /// Reads them from a `vision_config`; `defaults` are those of its class in transformers.
    pub(super) fn read(config: &Config, defaults: Self) -> Result<Self, ModelError> {
        if config.count_or("num_channels", 3)? != 3 {
            return Err(config.unsupported("num_channels"));
        }
        let sizes = Self {
            hidden_size: config.count_or("hidden_size", defaults.hidden_size)?,
            inner_size: config.count_or("intermediate_size", defaults.inner_size)?,
            layers: config.count_or("num_hidden_layers", defaults.layers)?,
            heads: config.count_or("num_attention_heads", defaults.heads)?,
            image_side: side(config, "image_size", defaults.image_side)?,
            patch_side: side(config, "patch_size", defaults.patch_side)?,
        };
        if !sizes.hidden_size.is_multiple_of(sizes.heads) {
            return Err(config.expected("num_attention_heads", "a divisor of `hidden_size`"));
        }
        if sizes.patch_side > sizes.image_side {
            return Err(config.expected("patch_size", "no larger than `image_size`"));
        }
        Ok(sizes)
    }

    /// Patches along a side of the image that positions are made for.
    pub(super) fn patches(&self) -> usize {
        self.image_side / self.patch_side
    }
}

/// The side of a square, which is given once or twice.
fn side(config: &Config, field: &str, default: usize) -> Result<usize, ModelError> {
    let side = match config.get(field) {
        Some(value) if value.is_array() => match config.places(field)?.as_deref() {
            Some(&[height, width]) if height == width => height,
            _ => return Err(config.unsupported(field)),
        },
        _ => config.count_or(field, default)?,
    };
    if side == 0 || side > LARGEST_SIDE {
        return Err(config.expected(field, "the side of a square in pixels"));
    }
    Ok(side)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};

    use super::*;

    const DEFAULTS: TowerSizes = TowerSizes {
        hidden_size: 64,
        inner_size: 128,
        layers: 2,
        heads: 4,
        image_side: 60,
        patch_side: 14,
    };

    fn read(config: Value) -> Result<TowerSizes, ModelError> {
        TowerSizes::read(&Config::new(Path::new("config.json"), config)?, DEFAULTS)
    }

    #[test]
    fn what_is_left_out_is_the_default_and_a_side_may_be_given_twice() {
        let sizes = read(json!({"image_size": [56, 56], "num_attention_heads": null})).unwrap();
        assert_eq!(sizes, TowerSizes { image_side: 56, ..DEFAULTS });
        assert_eq!(DEFAULTS.patches(), 4, "the rest of a patch has no position");
    }

    #[test]
    fn what_a_tower_cannot_be_is_refused_by_its_field() {
        for (field, value) in [
            ("num_channels", json!(4)),
            ("num_attention_heads", json!(5)),
            ("image_size", json!([56, 70])),
            ("image_size", json!([0, 0])),
            ("patch_size", json!(61)),
            ("patch_size", json!(1 << 20)),
        ] {
            let error = read(json!({ field: value })).unwrap_err().to_string();
            assert!(error.contains(&format!("`{field}`")), "{error}");
        }
    }
}
