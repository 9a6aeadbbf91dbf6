//! What the towers CLIP and `SigLIP` compute, as `vision_config` says.

use crate::model::error::ModelError;
use crate::model::families::{Config, named_activation};
use crate::model::spec::NormSpec;
use crate::model::two_way_block::BlockSpec;

/// Most pixels along a side of a picture; more are damage.
const MOST_PIXELS: usize = 1 << 14;

/// What such a tower computes.
#[derive(Clone, Debug)]
pub(super) struct ClipSpec {
    /// CLIP, which has a row in front of the patches, and not `SigLIP`.
    pub(super) has_class: bool,
    /// Layers, of which not all may be needed.
    pub(super) layers: usize,
    /// Pixels along a side of a picture.
    pub(super) image_side: usize,
    /// Pixels along a side of a patch; what is left over at the right and below is not seen.
    pub(super) patch_side: usize,
    /// ε of all norms.
    pub(super) epsilon: f64,
    pub(super) block: BlockSpec,
}

impl ClipSpec {
    /// Reads `vision_config`, of a type that is `default_type` where it is not said.
    pub(super) fn read(config: &Config, default_type: &str) -> Result<Self, ModelError> {
        let Some(config) = &config.object("vision_config")? else {
            return Err(config.expected("vision_config", "the config of the tower"));
        };
        let has_class = match config.text("model_type")?.unwrap_or(default_type) {
            "clip_vision_model" => true,
            "siglip_vision_model" => false,
            _ => return Err(config.unsupported("model_type")),
        };
        if config.count_or("num_channels", 3)? != 3 {
            return Err(config.unsupported("num_channels"));
        }
        let (patch_side, activation, epsilon) =
            if has_class { (32, "quick_gelu", 1e-5) } else { (16, "gelu_pytorch_tanh", 1e-6) };
        let image_side = config.count_or("image_size", 224)?;
        if image_side > MOST_PIXELS {
            return Err(config.unsupported("image_size"));
        }
        let patch_side = config.count_or("patch_size", patch_side)?;
        if patch_side > image_side {
            return Err(config.expected("patch_size", "at most `image_size`"));
        }
        let hidden_size = config.count_or("hidden_size", 768)?;
        let heads = config.count_or("num_attention_heads", 12)?;
        if !hidden_size.is_multiple_of(heads) {
            return Err(config.expected("num_attention_heads", "a divisor of `hidden_size`"));
        }
        let activation = named_activation(config.text("hidden_act")?.unwrap_or(activation))
            .ok_or_else(|| config.unsupported("hidden_act"))?;
        let epsilon = config.number_or("layer_norm_eps", epsilon)?;
        Ok(Self {
            has_class,
            layers: config.count_or("num_hidden_layers", 12)?,
            image_side,
            patch_side,
            epsilon,
            block: BlockSpec::plain(
                [hidden_size, heads, config.count_or("intermediate_size", 3072)?],
                NormSpec::layer(epsilon),
                activation,
            ),
        })
    }

    /// Reads `vision_config`, which must be of `SigLIP`.
    pub(super) fn read_siglip(config: &Config) -> Result<Self, ModelError> {
        let spec = Self::read(config, "siglip_vision_model")?;
        match config.object("vision_config")? {
            Some(tower) if spec.has_class => Err(tower.unsupported("model_type")),
            _ => Ok(spec),
        }
    }

    /// Patches along a side of a picture.
    pub(super) fn grid(&self) -> usize {
        self.image_side / self.patch_side
    }

    /// Rows of a picture within the tower.
    pub(super) fn positions(&self) -> usize {
        self.grid() * self.grid() + usize::from(self.has_class)
    }

    /// Width of a layer's rows.
    pub(super) fn hidden_size(&self) -> usize {
        self.block.hidden_size
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};

    use super::*;

    fn read(tower: &Value) -> Result<ClipSpec, String> {
        let config = json!({"vision_config": tower});
        let config = Config::new(Path::new("config.json"), config).unwrap();
        ClipSpec::read(&config, "clip_vision_model").map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_said_is_what_the_classes_have() {
        let clip = read(&json!({})).unwrap();
        assert_eq!((clip.grid(), clip.positions(), clip.layers), (7, 50, 12));
        let siglip = read(&json!({"model_type": "siglip_vision_model"})).unwrap();
        assert_eq!((siglip.grid(), siglip.positions(), siglip.layers), (14, 196, 12));
        assert_ne!(clip.block.activation, siglip.block.activation);
        assert_ne!(clip.block.norm, siglip.block.norm);
        // A picture that patches do not fill.
        let rest =
            json!({"model_type": "siglip_vision_model", "image_size": 384, "patch_size": 14});
        assert_eq!(read(&rest).unwrap().positions(), 729);
    }

    #[test]
    fn other_towers_and_damage_are_refused_by_their_field() {
        for (tower, field) in [
            (json!(null), "vision_config"),
            (json!({"model_type": "vit"}), "model_type"),
            (json!({"num_channels": 4}), "num_channels"),
            (json!({"num_attention_heads": 7}), "num_attention_heads"),
            (json!({"image_size": 16}), "patch_size"),
            (json!({"image_size": [224, 224]}), "image_size"),
            (json!({"image_size": 1 << 30}), "image_size"),
            (json!({"hidden_act": "mish"}), "hidden_act"),
        ] {
            let refusal = read(&tower).unwrap_err();
            assert!(refusal.contains(field), "{tower}: {refusal}");
        }
    }
}
