//! The sizes of a tower of patches, out of its config.

use super::VisionSettings;
use crate::model::error::ModelError;
use crate::model::families::{Config, named_activation};
use crate::ops::activation::Activation;

/// Colours of a pixel.
const CHANNELS: usize = 3;

/// Most pixels along a side of a patch, most frames of it, most patches along a side of a token.
const MOST_SIDE: usize = 256;

/// The sizes of a tower.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PatchSizes {
    /// Width of the stream.
    pub(super) hidden_size: usize,
    /// Heads of attention.
    pub(super) heads: usize,
    /// Layers.
    pub(super) layers: usize,
    /// Pixels along a side of a patch.
    pub(super) patch_side: usize,
    /// Frames of a patch; an image is the same in all.
    pub(super) frames: usize,
    /// Patches along a side of what becomes one token.
    pub(super) merged: usize,
    /// The base of the rotary frequencies.
    pub(super) theta: f64,
}

impl PatchSizes {
    /// Reads a tower's config in the names of Qwen, where `defaults` are those of the family's class.
    pub(super) fn read(config: &Config, defaults: Self) -> Result<Self, ModelError> {
        // Config classes take the usual names, too.
        let config = &config
            .renamed(&[("num_attention_heads", "num_heads"), ("num_hidden_layers", "depth")]);
        let side = |field: &str, default: usize| {
            let count = config.count_or(field, default)?;
            let most = format!("a number up to {MOST_SIDE}");
            if count > MOST_SIDE { Err(config.expected(field, &most)) } else { Ok(count) }
        };
        let sizes = Self {
            hidden_size: config.count_or("hidden_size", defaults.hidden_size)?,
            heads: config.count_or("num_heads", defaults.heads)?,
            layers: config.count_or("depth", defaults.layers)?,
            patch_side: side("patch_size", defaults.patch_side)?,
            frames: side("temporal_patch_size", defaults.frames)?,
            merged: side("spatial_merge_size", defaults.merged)?,
            theta: theta(config, defaults.theta)?,
        };
        if config.count_or("in_channels", CHANNELS)? != CHANNELS {
            return Err(config.unsupported("in_channels"));
        }
        // Both axes turn pairs of their own.
        if !sizes.hidden_size.is_multiple_of(sizes.heads) || !sizes.head_size().is_multiple_of(4) {
            let what = format!("a multiple of four times {} heads", sizes.heads);
            return Err(config.expected("hidden_size", &what));
        }
        if config.optional_count("head_dim")?.is_some_and(|size| size != sizes.head_size()) {
            return Err(config.unsupported("head_dim"));
        }
        Ok(sizes)
    }

    /// Numbers of a head.
    pub(super) fn head_size(self) -> usize {
        self.hidden_size / self.heads
    }

    /// Numbers of a patch: colours, frames, rows, columns.
    pub(super) fn numbers_of_patch(self) -> usize {
        CHANNELS * self.frames * self.patch_side * self.patch_side
    }

    /// The shape of the map from pixels, as a convolution over frames: outputs, colours, frames, rows, columns.
    pub(super) fn convolution(self) -> [usize; 5] {
        [self.hidden_size, CHANNELS, self.frames, self.patch_side, self.patch_side]
    }

    /// The same where a patch has one frame.
    pub(super) fn convolution_of_a_frame(self) -> [usize; 4] {
        [self.hidden_size, CHANNELS, self.patch_side, self.patch_side]
    }

    /// Patches of a token.
    pub(super) fn patches_of_token(self) -> usize {
        self.merged * self.merged
    }
}

/// The config of the tower in that of the checkpoint.
pub(super) fn vision_config(settings: VisionSettings<'_>) -> Result<Config, ModelError> {
    let config = settings.config;
    let vision = config.object("vision_config")?;
    vision.ok_or_else(|| config.expected("vision_config", "the config of what sees"))
}

/// The base of the rotary frequencies.
fn theta(config: &Config, default: f64) -> Result<f64, ModelError> {
    if config.get("rope_scaling").is_some() {
        return Err(config.unsupported("rope_scaling"));
    }
    let own = config.number_or("rope_theta", default)?;
    let theta = match config.object("rope_parameters")? {
        None => own,
        Some(parameters) => {
            parameters.only_text("rope_type", "axial")?;
            parameters.number_or("rope_theta", own)?
        }
    };
    if theta > 0.0 { Ok(theta) } else { Err(config.expected("rope_theta", "a number above zero")) }
}

/// The non-linearity that `hidden_act` names.
pub(super) fn hidden_activation(
    config: &Config,
    default: Activation,
) -> Result<Activation, ModelError> {
    match config.text("hidden_act")? {
        None => Ok(default),
        Some(name) => named_activation(name).ok_or_else(|| config.unsupported("hidden_act")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};

    use super::*;

    const DEFAULTS: PatchSizes = PatchSizes {
        hidden_size: 64,
        heads: 4,
        layers: 2,
        patch_side: 14,
        frames: 2,
        merged: 2,
        theta: 10_000.0,
    };

    fn read(fields: Value) -> Result<PatchSizes, ModelError> {
        PatchSizes::read(&Config::new(Path::new("config.json"), fields)?, DEFAULTS)
    }

    #[test]
    fn fields_come_under_both_names_and_the_base_from_either_place() {
        assert_eq!(read(json!({})).unwrap(), DEFAULTS);
        let named = read(json!({"num_hidden_layers": 3, "num_heads": 8, "rope_theta": 500.0}));
        let wanted = PatchSizes { layers: 3, heads: 8, theta: 500.0, ..DEFAULTS };
        assert_eq!(named.unwrap(), wanted);
        let nested = json!({"rope_parameters": {"rope_type": "axial", "rope_theta": 7.0}});
        assert_eq!(read(nested).unwrap(), PatchSizes { theta: 7.0, ..DEFAULTS });
    }

    #[test]
    fn what_is_not_computed_is_refused_by_name() {
        for (fields, named) in [
            (json!({"num_heads": 5}), "hidden_size"),
            (json!({"hidden_size": 24}), "hidden_size"),
            (json!({"head_dim": 8}), "head_dim"),
            (json!({"in_channels": 1}), "in_channels"),
            (json!({"patch_size": 0}), "patch_size"),
            (json!({"spatial_merge_size": 257}), "spatial_merge_size"),
            (json!({"rope_scaling": {"rope_type": "yarn"}}), "rope_scaling"),
            (json!({"rope_parameters": {"rope_type": "yarn"}}), "rope_parameters.rope_type"),
            (json!({"rope_theta": 0.0}), "rope_theta"),
        ] {
            let message = read(fields).unwrap_err().to_string();
            assert!(message.contains(&format!("`{named}`")), "{message}");
        }
    }
}
