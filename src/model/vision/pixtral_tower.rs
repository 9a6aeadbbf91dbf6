//! Pixtral's tower: an image of its own size, its patches turned by row and column.
//!
//! Models around it differ in what they make of its rows; an image is one picture, whatever its shape.

use candle_core::{Device, Result, Tensor};
use serde_json::Value;

use super::connector::activation_or;
use super::feature_layer::FeatureLayer;
use super::patch_embedding::{PatchEmbedding, Patches};
use super::tower_sizes::TowerSizes;
use super::{Config, VisionSettings};
use crate::image::{Layout, ProcessedImage};
use crate::model::error::ModelError;
use crate::model::norm::Norm;
use crate::model::spec::{Activation, NormSpec};
use crate::model::two_way_attention::{no_bias, spans_of};
use crate::model::two_way_block::{Biases, BlockNames, BlockSpec, QueryKeyValue, TwoWayBlock};
use crate::model::weights::ParameterSource;
use crate::ops::rotary::Angles;

const DEFAULTS: TowerSizes = TowerSizes {
    hidden_size: 1024,
    inner_size: 4096,
    layers: 24,
    heads: 16,
    image_side: 1024,
    patch_side: 16,
};

const NAMES: BlockNames = BlockNames {
    before_attention: "attention_norm",
    query_key_value: QueryKeyValue::Separate([
        "attention.q_proj",
        "attention.k_proj",
        "attention.v_proj",
    ]),
    query_norm: "",
    key_norm: "",
    output: "attention.o_proj",
    attention_scale: "",
    before_inner: "ffn_norm",
    gate: "feed_forward.gate_proj",
    up: "feed_forward.up_proj",
    down: "feed_forward.down_proj",
    inner_scale: "",
};

const NORM: NormSpec = NormSpec::Rms { epsilon: 1e-5, weight_offset: 0.0 };

/// The tower, whose parameters are loaded.
#[derive(Debug)]
pub(super) struct PixtralTower {
    patches: PatchEmbedding,
    patch_side: usize,
    hidden_size: usize,
    norm: Norm,
    layers: Vec<TwoWayBlock>,
    frequencies: AxialFrequencies,
}

impl PixtralTower {
    /// Takes the parameters below `prefix`; `layer` is that of the model around it.
    pub(super) fn load(
        source: &dyn ParameterSource,
        prefix: &str,
        config: &Config,
        layer: impl FnOnce(usize) -> std::result::Result<FeatureLayer, ModelError>,
    ) -> std::result::Result<Self, ModelError> {
        config.only_text("model_type", "pixtral")?;
        let sizes = TowerSizes::read(config, DEFAULTS)?;
        let size = sizes.hidden_size;
        let spec = BlockSpec {
            is_gated: true,
            biases: Biases::NONE,
            ..BlockSpec::plain(
                [size, sizes.heads, sizes.inner_size],
                NORM,
                activation_or(config, "hidden_act", Activation::Gelu)?,
            )
        };
        let layers = (0..layer(sizes.layers)?.depth).map(|number| {
            let place = format!("{prefix}transformer.layers.{number}");
            TwoWayBlock::load(source, &place, &NAMES, &spec)
        });
        Ok(Self {
            patches: PatchEmbedding::load(
                source,
                &format!("{prefix}patch_conv"),
                sizes.patch_side,
                size,
                false,
            )?,
            patch_side: sizes.patch_side,
            hidden_size: size,
            norm: Norm::load(source, &format!("{prefix}ln_pre"), NORM, size)?,
            layers: layers.collect::<std::result::Result<_, _>>()?,
            frequencies: AxialFrequencies::read(config, size / sizes.heads)?,
        })
    }

    /// Width of its rows.
    pub(super) fn hidden_size(&self) -> usize {
        self.hidden_size
    }

    /// A row for every patch of the picture that an image is.
    pub(super) fn forward(&self, image: &ProcessedImage) -> Result<Patches> {
        let patches = self.patches.forward(image)?;
        if patches.pictures != 1 {
            candle_core::bail!("an image is one picture here, and not {}", patches.pictures)
        }
        let mut stream = self.norm.forward(&patches.stream)?;
        let angles = self.frequencies.angles(patches.rows, patches.columns, &stream)?;
        let spans = spans_of([patches.of_picture()]);
        for layer in &self.layers {
            stream = layer.forward(&stream, &spans, Some(&angles), &no_bias)?;
        }
        Ok(Patches { stream, ..patches })
    }

    /// Tokens on top of one another and beside one another, of `merged` patches along a side each.
    pub(super) fn grid(&self, image: &ProcessedImage, merged: usize) -> Result<[usize; 2]> {
        let (Layout::Tiles { .. }, &[1, _, height, width]) =
            (&image.layout, image.shape.as_slice())
        else {
            candle_core::bail!("the image was not prepared as one picture of its own size")
        };
        let side = self.patch_side * merged;
        if height < side || width < side {
            candle_core::bail!("an image of {width}×{height} has no token of {side} pixels")
        }
        Ok([height / side, width / side])
    }
}

/// How fast the pairs of a head turn: first those that count rows, and then those that count columns.
#[derive(Clone, Debug, PartialEq)]
struct AxialFrequencies {
    rows: Vec<f32>,
    columns: Vec<f32>,
}

impl AxialFrequencies {
    fn read(config: &Config, head_size: usize) -> std::result::Result<Self, ModelError> {
        if !head_size.is_multiple_of(2) {
            return Err(config.expected("num_attention_heads", "a divisor into even heads"));
        }
        let mut theta = config.number_or("rope_theta", 10_000.0)?;
        if config.get("rope_scaling").is_some() {
            return Err(config.unsupported("rope_scaling"));
        }
        if let Some(rope) = config.object("rope_parameters")? {
            // Releases before there was a name for turning along two axes wrote the other one.
            if !matches!(rope.text("rope_type")?, None | Some("axial" | "default")) {
                return Err(rope.unsupported("rope_type"));
            }
            theta = rope.number_or("rope_theta", theta)?;
        }
        if theta <= 0.0 {
            return Err(config.expected("rope_theta", "a number above zero"));
        }
        Ok(Self::new(theta as f32, head_size))
    }

    fn new(theta: f32, head_size: usize) -> Self {
        let frequency = |pair: usize| theta.powf((2 * pair) as f32 / head_size as f32).recip();
        let pairs = head_size / 2;
        Self {
            rows: (0..pairs).step_by(2).map(frequency).collect(),
            columns: (1..pairs).step_by(2).map(frequency).collect(),
        }
    }

    /// Cosines and sines of all patches, in the type and on the device of `like`.
    fn angles(&self, rows: usize, columns: usize, like: &Tensor) -> Result<Angles<'static>> {
        let mut angles = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                angles.extend(self.rows.iter().map(|frequency| row as f32 * frequency));
                angles.extend(self.columns.iter().map(|frequency| column as f32 * frequency));
            }
        }
        let shape = (rows * columns, self.rows.len() + self.columns.len());
        let table = |of: fn(f32) -> f32| {
            let numbers: Vec<f32> = angles.iter().copied().map(of).collect();
            Tensor::from_vec(numbers, shape, &Device::Cpu)?
                .to_device(like.device())?
                .to_dtype(like.dtype())
        };
        Ok(Angles { cosines: table(f32::cos)?, sines: table(f32::sin)?, positions: None })
    }
}

/// What stands for an image in a prompt: a token for each place of a grid, and one more behind each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GridTokens {
    image: String,
    row_end: String,
    end: String,
}

impl GridTokens {
    /// Reads the tokens' names, and checks that the processor, too, makes `merged` patches of `patch_side` a token's side.
    pub(super) fn read(
        settings: VisionSettings<'_>,
        tower: &PixtralTower,
        merged: usize,
    ) -> std::result::Result<Self, ModelError> {
        let own = [("patch_size", 16, tower.patch_side), ("spatial_merge_size", 1, merged)];
        for (field, default, own) in own {
            let of_processor = settings.of_processor(field);
            if of_processor.map_or(Some(default), Value::as_u64) != Some(own as u64) {
                let what = format!("made for what `processor_config.json` says as `{field}`");
                return Err(settings.config.expected("vision_config", &what));
            }
        }
        let token = |field: &str, default: &str| {
            let named = settings.of_processor(field).and_then(Value::as_str);
            named.unwrap_or(default).to_owned()
        };
        Ok(Self {
            image: token("image_token", "[IMG]"),
            row_end: token("image_break_token", "[IMG_BREAK]"),
            end: token("image_end_token", "[IMG_END]"),
        })
    }

    /// The token of a place.
    pub(super) fn image(&self) -> &str {
        &self.image
    }

    /// A grid of rows and columns, written out.
    pub(super) fn expansion(&self, [rows, columns]: [usize; 2]) -> String {
        let row = self.image.repeat(columns);
        let rows = vec![row; rows];
        format!("{}{}", rows.join(&self.row_end), self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_frequencies_count_rows_and_odd_ones_columns() {
        let frequencies = AxialFrequencies::new(10_000.0, 8);
        let like = Tensor::zeros((1, 1), candle_core::DType::F32, &Device::Cpu).unwrap();
        let angles = frequencies.angles(2, 3, &like).unwrap();
        let sines: Vec<Vec<f32>> = angles.sines.to_vec2().unwrap();
        // The patch in row 1 and column 2.
        for (found, angle) in sines[5].iter().zip([1.0, 0.01, 2.0 * 0.1, 2.0 * 0.001f32]) {
            assert!((found - angle.sin()).abs() < 1e-6, "{found} of {angle}");
        }
    }

    #[test]
    fn the_last_row_of_a_grid_ends_the_image() {
        let [image, row_end, end] = ["i", "/", "."].map(str::to_owned);
        let tokens = GridTokens { image, row_end, end };
        assert_eq!(tokens.expansion([2, 3]), "iii/iii.");
    }
}
