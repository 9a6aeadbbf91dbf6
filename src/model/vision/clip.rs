//! The towers CLIP and `SigLIP`: square patches of pictures of one size, learned positions, layers with a norm before each branch.
//!
//! They are one network. CLIP has a row for the class in front of the patches and a norm before its first layer; `SigLIP` has a bias
//! on its patches. Neither pools here: families take rows of layers, and heads that a checkpoint stores stay unread.

use candle_core::{Result, Tensor};

use super::{clip_spec::ClipSpec, convolution::convolution, prefix, taken_layers::TakenLayers};
use crate::image::ProcessedImage;
use crate::model::error::ModelError;
use crate::model::norm::Norm;
use crate::model::projection::Projection;
use crate::model::two_way_attention::{no_bias, spans_of};
use crate::model::two_way_block::{CLIP, TwoWayBlock};
use crate::model::weights::ParameterSource;
use crate::ops::linear::Residual;

/// Where releases of transformers kept it.
const PREFIXES: &[&str] = &[
    "model.vision_tower.vision_model.",
    "model.vision_tower.",
    "vision_tower.vision_model.",
    "vision_tower.",
];

/// Pictures whose rows are there at once; more of them would take memory and win no time.
const PICTURES_AT_ONCE: usize = 8;

/// A tower whose parameters are loaded, as far as they are needed.
#[derive(Debug)]
pub(super) struct ClipTower {
    spec: ClipSpec,
    taken: TakenLayers,
    patches: Projection,
    /// What every row begins with, `(positions, hidden size)`: its place, and the class in front.
    beginnings: Tensor,
    before_layers: Option<Norm>,
    layers: Vec<TwoWayBlock>,
    after_layers: Option<Norm>,
}

impl ClipTower {
    /// Takes the parameters that what is `taken` depends on.
    pub(super) fn load(
        source: &dyn ParameterSource,
        spec: ClipSpec,
        taken: TakenLayers,
    ) -> std::result::Result<Self, ModelError> {
        let prefix = prefix(source, PREFIXES, "embeddings.patch_embedding.weight");
        let (size, side) = (spec.block.hidden_size, spec.patch_side);
        let own = |name: &str, shape: &[usize]| source.parameter(&format!("{prefix}{name}"), shape);
        let norm = |name: &str| {
            Norm::load(source, &format!("{prefix}{name}"), spec.block.norm, size).map(Some)
        };
        let name = format!("{prefix}embeddings.patch_embedding");
        let patches = convolution(source, &name, &[size, 3, side, side], !spec.has_class)?;
        let places = own("embeddings.position_embedding.weight", &[spec.positions(), size])?;
        let beginnings = if spec.has_class {
            let class = own("embeddings.class_embedding", &[size])?.reshape((1, size))?;
            let first = (places.narrow(0, 0, 1)? + class)?;
            Tensor::cat(&[first, places.narrow(0, 1, spec.positions() - 1)?], 0)?
        } else {
            places
        };
        let layers = (0..taken.depth())
            .map(|number| {
                let place = format!("{prefix}encoder.layers.{number}");
                TwoWayBlock::load(source, &place, &CLIP, &spec.block)
            })
            .collect::<std::result::Result<_, _>>()?;
        Ok(Self {
            patches,
            beginnings,
            before_layers: if spec.has_class { norm("pre_layrnorm")? } else { None },
            layers,
            after_layers: if taken.is_normed() { norm("post_layernorm")? } else { None },
            spec,
            taken,
        })
    }

    /// Patches along a side of a picture.
    pub(super) fn grid(&self) -> usize {
        self.spec.grid()
    }

    /// Rows that a picture gives.
    pub(super) fn rows_of_picture(&self) -> usize {
        self.taken.rows(&self.spec)
    }

    /// What is taken of every picture of an image, `(pictures, rows, width)`.
    pub(super) fn forward(&self, image: &ProcessedImage) -> Result<Tensor> {
        let side = self.spec.image_side;
        let numbers = 3 * side * side;
        match *image.shape.as_slice() {
            [pictures, 3, height, width]
                if pictures > 0
                    && (height, width) == (side, side)
                    && image.values.len() == pictures * numbers => {}
            _ => candle_core::bail!(
                "the tower sees pictures of {side} × {side} pixels, and the image processor makes {:?}; \
                 `size` or `crop_size` of the preprocessor_config.json does not fit `vision_config` of the config.json",
                image.shape
            ),
        }
        let bands = image.values.chunks(PICTURES_AT_ONCE * numbers);
        let bands = bands.map(|band| self.band(band, band.len() / numbers));
        Tensor::cat(&bands.collect::<Result<Vec<_>>>()?, 0)
    }

    fn band(&self, values: &[f32], pictures: usize) -> Result<Tensor> {
        let positions = self.spec.positions();
        let spans = spans_of(vec![positions; pictures]);
        let mut streams = vec![self.embedded(values, pictures)?];
        for layer in &self.layers {
            let stream = streams.last().map(|it| layer.forward(it, &spans, None, &no_bias));
            let stream = stream.transpose()?;
            if !self.taken.is_any_but_last() {
                streams.clear();
            }
            streams.extend(stream);
        }
        let rows = self.taken.of(&streams)?;
        let rows = match &self.after_layers {
            Some(norm) => norm.forward(&rows)?,
            None => rows,
        };
        let rows = rows.reshape((pictures, positions, ()))?;
        let first = positions - self.rows_of_picture();
        rows.narrow(1, first, self.rows_of_picture())?.contiguous()
    }

    /// What the first layer reads.
    fn embedded(&self, values: &[f32], pictures: usize) -> Result<Tensor> {
        let Self { spec, beginnings, .. } = self;
        let side = spec.patch_side;
        let in_front = spec.positions() - spec.grid() * spec.grid();
        let patches = patches(values, spec.image_side, side, in_front);
        let shape = (pictures * spec.positions(), 3 * side * side);
        let patches = Tensor::from_vec(patches, shape, beginnings.device())?;
        let beginnings = match pictures {
            1 => beginnings.clone(),
            _ => Tensor::cat(&vec![beginnings; pictures], 0)?,
        };
        let patches = patches.to_dtype(beginnings.dtype())?;
        let rows = self.patches.forward(&patches, Some(Residual::of(&beginnings)))?;
        self.before_layers.as_ref().map_or(Ok(rows.clone()), |norm| norm.forward(&rows))
    }
}

/// The patches of pictures `(pictures, 3, side, side)` row by row, each `(3, patch side, patch side)`; `in_front` of those of a picture so
/// many of zeros.
fn patches(values: &[f32], side: usize, patch_side: usize, in_front: usize) -> Vec<f32> {
    let grid = side / patch_side;
    let patch = 3 * patch_side * patch_side;
    let pictures = values.len() / (3 * side * side);
    let mut patches = Vec::with_capacity(pictures * (in_front + grid * grid) * patch);
    for picture in values.chunks_exact(3 * side * side) {
        patches.resize(patches.len() + in_front * patch, 0.0);
        for (row, column) in (0..grid).flat_map(|row| (0..grid).map(move |column| (row, column))) {
            for channel in picture.chunks_exact(side * side) {
                let lines = channel.chunks_exact(side).skip(row * patch_side).take(patch_side);
                let columns = column * patch_side..(column + 1) * patch_side;
                patches.extend(lines.flat_map(|line| &line[columns.clone()]));
            }
        }
    }
    patches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_are_whole_and_what_is_left_over_is_cut() {
        // Two pictures of 5 × 5 pixels, numbered; patches of 2 × 2.
        let values: Vec<f32> = (0..150u8).map(f32::from).collect();
        let in_front = patches(&values, 5, 2, 1);
        let patches = patches(&values, 5, 2, 0);
        assert_eq!(patches.len(), 2 * 4 * 12);
        assert_eq!(in_front[..12], [0.0; 12]);
        assert_eq!(in_front[12..60], patches[..48]);
        assert_eq!(in_front[60..72], [0.0; 12]);
        assert_eq!(in_front[72..], patches[48..]);
        let one = |first: f32| {
            [0.0, 25.0, 50.0]
                .into_iter()
                .flat_map(move |channel| [0.0, 1.0, 5.0, 6.0].map(|place| first + channel + place))
        };
        let wanted: Vec<f32> =
            [0.0, 2.0, 10.0, 12.0, 75.0, 77.0, 85.0, 87.0].into_iter().flat_map(one).collect();
        assert_eq!(patches, wanted);
    }
}
