//! What towers made of images, videos and sounds, kept between runs by whoever is asked to.
//!
//! Rows are written as safetensors: `rows`, and `added.0`, `added.1`, … for those that are added behind layers. Where they stand is not in them:
//! that follows from the image's size, which is looked at in any case. This is not the cache of a run, which is in memory.

use std::collections::HashMap;
use std::fmt::Debug;

use candle_core::{Device, Result, Tensor, safetensors};

use crate::model::media::NamedMedium;
use crate::model::vision::ImageRows;

/// Keeps rows of images of one model, as it is computed.
pub trait RowKeeper: Debug + Send + Sync {
    /// What was kept under `key`, which says what decides the rows beside the model.
    fn kept(&self, key: &str) -> Option<Vec<u8>>;

    /// Keeps `bytes` under `key`. Who cannot do so tells it elsewhere: no answer depends on it.
    fn keep(&self, key: &str, bytes: &[u8]);
}

/// The rows of `medium` among `bytes`; `None` where those are another's.
pub(super) fn read(bytes: &[u8], medium: &NamedMedium, device: &Device) -> Option<ImageRows> {
    let mut tensors = safetensors::load_buffer(bytes, device).ok()?;
    let rows = tensors.remove("rows")?;
    let shape = rows.dims2().ok()?;
    if shape.0 != medium.tokens() {
        return None;
    }
    let mut added = Vec::new();
    while let Some(tensor) = tensors.remove(&name(added.len())) {
        (tensor.dims2().ok()? == shape).then(|| added.push(tensor))?;
    }
    let grid = medium.grid().cloned();
    tensors.is_empty().then_some(ImageRows { rows, added, grid })
}

/// The bytes of an image's rows.
pub(super) fn written(image: &ImageRows) -> Result<Vec<u8>> {
    let mut tensors: HashMap<String, Tensor> =
        HashMap::from([("rows".to_owned(), image.rows.clone())]);
    for (number, added) in image.added.iter().enumerate() {
        tensors.insert(name(number), added.clone());
    }
    ::safetensors::serialize(&tensors, None).map_err(candle_core::Error::wrap)
}

fn name(number: usize) -> String {
    format!("added.{number}")
}

#[cfg(test)]
mod tests {
    use candle_core::DType;

    use super::*;

    #[test]
    fn rows_are_read_as_they_were_written_and_others_are_not_taken() {
        let device = Device::Cpu;
        let drawn = |first: f32| {
            Tensor::arange(first, first + 6.0, &device).unwrap().reshape((3, 2)).unwrap()
        };
        let image = ImageRows {
            rows: drawn(0.0).to_dtype(DType::BF16).unwrap(),
            added: vec![drawn(6.0), drawn(12.0)],
            grid: None,
        };
        let bytes = written(&image).unwrap();
        let numbers = |tensor: &Tensor| {
            tensor.to_dtype(DType::F32).unwrap().flatten_all().unwrap().to_vec1::<f32>().unwrap()
        };
        let found = read(&bytes, &NamedMedium::of_rows(3), &device).unwrap();
        assert_eq!(found.rows.dtype(), DType::BF16);
        assert_eq!(numbers(&found.rows), numbers(&image.rows));
        let added = |image: &ImageRows| image.added.iter().map(numbers).collect::<Vec<_>>();
        assert_eq!(added(&found), added(&image));
        assert!(read(&bytes, &NamedMedium::of_rows(4), &device).is_none());
        assert!(read(&bytes[..bytes.len() - 1], &NamedMedium::of_rows(3), &device).is_none());
    }
}
