//! A change of low rank to a stored matrix, as PEFT's adapters make them.
//!
//! W + scale · B · A, all in f32 (Hu et al. 2021; PEFT, `lora/layer.py`). With magnitudes, every
//! output's row is then brought to the stored length, m · W′ / ‖W′‖ (Liu et al. 2024; PEFT,
//! `lora/dora.py`).

use candle_core::{D, DType, Result, Tensor};

use super::WeightFile;
use crate::model::error::ModelError;

/// A change to one matrix; its parts are tensors of the adapter's file.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::model) struct LowRank {
    /// A, `(rank, in)`.
    pub(in crate::model) down: String,
    /// B, `(out, rank)`.
    pub(in crate::model) up: String,
    /// Lengths of the rows after the change, `(out)`.
    pub(in crate::model) magnitude: Option<String>,
    /// The rank that the adapter's config gives.
    pub(in crate::model) rank: usize,
    /// Factor on B · A.
    pub(in crate::model) scale: f64,
    /// The matrix is stored as `(in, out)`.
    pub(in crate::model) inputs_first: bool,
}

impl LowRank {
    /// Compares the shapes of its parts in `file` with the `shape` of the matrix `stored`.
    pub(in crate::model) fn check(
        &self,
        file: &WeightFile,
        stored: &str,
        shape: &[usize],
    ) -> std::result::Result<(), ModelError> {
        let ((&[outputs, inputs], false) | (&[inputs, outputs], true)) = (shape, self.inputs_first)
        else {
            return Err(ModelError::Weights {
                path: file.path().to_owned(),
                problem: format!("`{}` adapts `{stored}`, which is no matrix", self.down),
            });
        };
        let parts = [(&self.down, vec![self.rank, inputs]), (&self.up, vec![outputs, self.rank])];
        let magnitude = self.magnitude.iter().map(|name| (name, vec![outputs]));
        for (name, expected) in parts.into_iter().chain(magnitude) {
            let found = file.shape(name).unwrap_or_default();
            if found != expected {
                return Err(ModelError::Weights {
                    path: file.path().to_owned(),
                    problem: format!(
                        "tensor `{name}` has shape {found:?}, but rank {} and `{stored}` of shape \
                         {shape:?} imply {expected:?}",
                        self.rank
                    ),
                });
            }
            file.dtype(name, file.tensor(name)?)?;
        }
        Ok(())
    }

    /// The changed matrix in f32, in the layout it is stored in. `part` reads a tensor of the adapter,
    /// in f32.
    pub(super) fn merge(
        &self,
        stored: &Tensor,
        part: impl Fn(&str) -> std::result::Result<Tensor, ModelError>,
    ) -> std::result::Result<Tensor, ModelError> {
        let change = (part(&self.up)?.matmul(&part(&self.down)?)? * self.scale)?;
        let stored = stored.to_dtype(DType::F32)?;
        // (out, in) from here on.
        let stored = if self.inputs_first { stored.t()? } else { stored };
        let mut merged = (stored + change)?;
        if let Some(magnitude) = &self.magnitude {
            let lengths = merged.sqr()?.sum_keepdim(D::Minus1)?.sqrt()?;
            let magnitude = part(magnitude)?.unsqueeze(1)?;
            merged = merged.broadcast_mul(&(magnitude / lengths)?)?;
        }
        Ok(if self.inputs_first { merged.t()?.contiguous()? } else { merged })
    }
}

/// Numbers in the order of their memory, as little-endian bytes.
pub(super) fn little_endian(tensor: &Tensor) -> Result<Vec<u8>> {
    let numbers = tensor.flatten_all()?.to_vec1::<f32>()?;
    Ok(numbers.into_iter().flat_map(f32::to_le_bytes).collect())
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    #[test]
    fn changes_are_added_in_either_layout_and_rows_get_their_length() {
        let host = Device::Cpu;
        let part = |name: &str| {
            Ok(match name {
                "down" => Tensor::new(&[[1f32, 2.0, 0.0]], &host)?,
                "up" => Tensor::new(&[[1f32], [-1.0]], &host)?,
                _ => Tensor::new(&[10f32, 1.0], &host)?,
            })
        };
        let mut change = LowRank {
            down: "down".to_owned(),
            up: "up".to_owned(),
            magnitude: None,
            rank: 1,
            scale: 2.0,
            inputs_first: false,
        };
        let stored = Tensor::new(&[[1f32, 0.0, 4.0], [2.0, 4.0, 5.0]], &host).unwrap();
        let numbers = |tensor: &Tensor| tensor.to_vec2::<f32>().unwrap();
        let merged = change.merge(&stored, part).unwrap();
        assert_eq!(numbers(&merged), [[3.0, 4.0, 4.0], [0.0, 0.0, 5.0]]);

        change.inputs_first = true;
        let turned = change.merge(&stored.t().unwrap().contiguous().unwrap(), part).unwrap();
        assert_eq!(numbers(&turned), numbers(&merged.t().unwrap()));

        change.magnitude = Some("magnitude".to_owned());
        let sized = change.merge(&stored.t().unwrap(), part).unwrap().t().unwrap();
        assert!((numbers(&sized)[0][1] - 40.0 / 41f32.sqrt()).abs() < 1e-6);
        assert_eq!(numbers(&sized)[1], [0.0, 0.0, 1.0]);
    }
}
