//! `SigLIP`'s layers with positions that are fractions of what a picture shows: Idefics3, `SmolVLM`, Phi-4-multimodal.
//!
//! A table of positions is made for a square. A picture of which fewer patches show something, the others being padding, spreads over
//! all of it: what counts is how far along its rows and columns a patch is, in as many buckets as the square has. Towers whose pictures all
//! are that square need none of it.

use candle_core::{DType, Device, Result, Tensor};

use super::Config;
use super::connector::activation_or;
use super::patch_embedding::{PatchEmbedding, Patches};
use super::tower_sizes::TowerSizes;
use crate::image::ProcessedImage;
use crate::model::error::ModelError;
use crate::model::spec::{Activation, NormSpec};
use crate::model::two_way_attention::spans_of;
use crate::model::two_way_block::{BlockSpec, CLIP, TwoWayBlock};
use crate::model::weights::ParameterSource;

/// Added to the products with padding. Their shares become 0 in every type, and no product becomes infinite.
const HIDDEN: f32 = -3e4;

/// The tower up to a layer, without what follows the last one.
#[derive(Debug)]
pub(super) struct FractionalSiglip {
    patches: PatchEmbedding,
    buckets: Buckets,
    positions: Tensor,
    layers: Vec<TwoWayBlock>,
}

impl FractionalSiglip {
    /// Takes the parameters of the first `depth` layers below `prefix`.
    pub(super) fn load(
        source: &dyn ParameterSource,
        prefix: &str,
        config: &Config,
        sizes: &TowerSizes,
        depth: usize,
    ) -> std::result::Result<Self, ModelError> {
        let (size, along) = (sizes.hidden_size, sizes.patches());
        let spec = BlockSpec::plain(
            [size, sizes.heads, sizes.inner_size],
            norm(config)?,
            activation_or(config, "hidden_act", Activation::GeluTanh)?,
        );
        let place = |name: &str| format!("{prefix}{name}");
        let layers = (0..depth).map(|number| {
            TwoWayBlock::load(source, &place(&format!("encoder.layers.{number}")), &CLIP, &spec)
        });
        let layers = layers.collect::<std::result::Result<_, _>>()?;
        let patches = place("embeddings.patch_embedding");
        Ok(Self {
            patches: PatchEmbedding::load(source, &patches, sizes.patch_side, size, true)?,
            positions: source.parameter(
                &place("embeddings.position_embedding.weight"),
                &[along * along, size],
            )?,
            buckets: Buckets::new(along),
            layers,
        })
    }

    /// A row for every patch of every picture, padding included. `is_image` tells of each patch whether it is none; without it, none
    /// is.
    pub(super) fn forward(
        &self,
        image: &ProcessedImage,
        is_image: Option<&[bool]>,
    ) -> Result<Patches> {
        let patches = self.patches.forward(image)?;
        let (rows, columns, count) = (patches.rows, patches.columns, patches.of_picture());
        let whole = vec![true; if is_image.is_none() { patches.pictures * count } else { 0 }];
        let is_image = is_image.unwrap_or(&whole);
        if is_image.len() != patches.pictures * count {
            candle_core::bail!(
                "{} patches have a mask of {}",
                patches.stream.dim(0)?,
                is_image.len()
            )
        }
        let device = patches.stream.device().clone();
        let places: Vec<u32> = is_image
            .chunks_exact(count)
            .flat_map(|mask| self.buckets.places(mask, rows, columns))
            .collect();
        let places = Tensor::from_vec(places, patches.stream.dim(0)?, &device)?;
        let mut stream = (&patches.stream + self.positions.index_select(&places, 0)?)?;
        let spans = spans_of(std::iter::repeat_n(count, patches.pictures));
        let dtype = stream.dtype();
        let bias = |picture: usize, count: usize| {
            let mask = is_image.chunks_exact(count).nth(picture).unwrap_or_default();
            bias(mask, dtype, &device)
        };
        for layer in &self.layers {
            stream = layer.forward(&stream, &spans, None, &bias)?;
        }
        Ok(Patches { stream, ..patches })
    }
}

/// The norms of the tower.
pub(super) fn norm(config: &Config) -> std::result::Result<NormSpec, ModelError> {
    Ok(NormSpec::layer(config.number_or("layer_norm_eps", 1e-6)?))
}

/// What hides the padding of a picture as keys, `(1, 1, patches)`, if it has any.
fn bias(mask: &[bool], dtype: DType, device: &Device) -> Result<Option<Tensor>> {
    if mask.iter().all(|is_image| *is_image) {
        return Ok(None);
    }
    let numbers: Vec<f32> =
        mask.iter().map(|&is_image| if is_image { 0.0 } else { HIDDEN }).collect();
    let bias = Tensor::from_vec(numbers, (1, 1, mask.len()), device)?;
    bias.to_dtype(dtype).map(Some)
}

/// How fractions are counted along a side of the square.
#[derive(Clone, Debug, PartialEq)]
struct Buckets {
    count: usize,
    /// Where the buckets after the first begin.
    starts: Vec<f32>,
}

impl Buckets {
    /// As many as the square has patches along a side.
    ///
    /// Fractions often are exactly where a bucket begins, so the last bit decides. Starts are rounded as PyTorch's `arange` rounds them,
    /// eight at a time with the first of each eight rounded by itself, and what does not fill twice eight one by one.
    fn new(count: usize) -> Self {
        let step = 1.0 / count as f64;
        let starts = ((1.0 - step) / step).ceil() as usize;
        let in_eights = starts / 16 * 16;
        let start = |number: usize| {
            let first = if number < in_eights { number / 8 * 8 } else { number };
            let base = (step + step * first as f64) as f32;
            (f64::from(base) + step * (number - first) as f64) as f32
        };
        Self { count, starts: (0..starts).map(start).collect() }
    }

    /// The bucket of each of `places` that show something, of which there are `shown`.
    fn of(&self, places: usize, shown: usize) -> Vec<usize> {
        let step = 1.0 / shown as f32;
        let bucket = |place: usize| {
            let fraction = (place as f32 * step).min(1.0 - 1e-6);
            let bucket = self.starts.partition_point(|start| *start <= fraction);
            bucket.min(self.count - 1)
        };
        (0..places).map(bucket).collect()
    }

    /// The place in the table of each patch of a picture; that of padding is the first.
    fn places(&self, mask: &[bool], rows: usize, columns: usize) -> Vec<u32> {
        let shown_rows = mask.iter().step_by(columns).filter(|is_image| **is_image).count();
        let shown_columns = mask.iter().take(columns).filter(|is_image| **is_image).count();
        let (down, across) = (self.of(rows, shown_rows), self.of(columns, shown_columns));
        let all = down.iter().flat_map(|row| across.iter().map(move |column| (row, column)));
        let place = |((row, column), is_image): ((&usize, &usize), &bool)| {
            if *is_image { (row * self.count + column) as u32 } else { 0 }
        };
        all.zip(mask).map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_as_large_as_the_square_has_a_bucket_for_each_patch() {
        for count in [4, 14, 16, 24, 26, 27, 30, 32, 37] {
            let every: Vec<usize> = (0..count).collect();
            assert_eq!(Buckets::new(count).of(count, count), every, "{count}");
        }
    }

    #[test]
    fn buckets_are_those_of_pytorch_where_the_last_bit_decides() {
        // torch.bucketize(i * (1 / shown), torch.arange(1 / count, 1, 1 / count), right=True)
        for (count, shown, place, bucket) in [
            (110, 50, 5, 11),
            (113, 113, 10, 9),
            (116, 29, 3, 12),
            (125, 25, 4, 19),
            (40, 40, 39, 39),
        ] {
            assert_eq!(Buckets::new(count).of(shown, shown)[place], bucket, "{place} of {shown}");
        }
    }

    #[test]
    fn what_is_shown_spreads_over_the_square() {
        // Two rows and three columns of a picture of 3 × 4 patches, in a square of 4 × 4.
        let mask: Vec<bool> = (0..12).map(|patch| patch / 4 < 2 && patch % 4 < 3).collect();
        let places = Buckets::new(4).places(&mask, 3, 4);
        assert_eq!(places, [0, 1, 2, 0, 8, 9, 10, 0, 0, 0, 0, 0]);
        assert!(bias(&[true; 4], DType::F32, &Device::Cpu).unwrap().is_none());
        let bias = bias(&mask[..4], DType::F32, &Device::Cpu).unwrap().unwrap();
        assert_eq!(bias.flatten_all().unwrap().to_vec1::<f32>().unwrap(), [0.0, 0.0, 0.0, HIDDEN]);
    }
}
