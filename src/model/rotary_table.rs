//! The angles of all positions, on the device that looks them up.

use std::sync::{Arc, Mutex, PoisonError};

use candle_core::{DType, Device, Result, Tensor};

use super::rope::{Rotation, angles, place_angles};
use super::rows::Rows;
use super::spec::{Reach, RotarySpec};
use crate::ops::rotary::Angles;

/// Positions of the smallest table.
const LEAST_POSITIONS: usize = 4096;

/// Cosines and sines, both `(positions, pairs)`.
type Made = (Tensor, Tensor);

/// Cosines and sines of a rotary embedding for sequences of one reach; what is made is kept, for each device.
#[derive(Clone, Debug)]
pub(super) struct RotaryTable {
    rotation: Rotation,
    context_tokens: usize,
    made: Arc<Mutex<Vec<(Device, Made)>>>,
}

impl RotaryTable {
    /// Nothing yet, for sequences of this reach in a context of so many tokens.
    pub(super) fn new(spec: &RotarySpec, reach: Reach, context_tokens: usize) -> Self {
        Self { rotation: Rotation::new(spec, reach), context_tokens, made: Arc::default() }
    }

    /// The angles of the rows of a pass: by their places where these have three parts, otherwise by their positions.
    pub(super) fn of_rows<'p>(
        &self,
        rows: &Rows<'p>,
        device: &Device,
        dtype: DType,
    ) -> Result<Angles<'p>> {
        let Some(places) = rows.places.filter(|_| !self.rotation.pair_axes.is_empty()) else {
            return self.angles(rows.positions, device, dtype);
        };
        let dtype = if device.is_cuda() { DType::F32 } else { dtype };
        let (cosines, sines) = place_angles(&self.rotation, places, device, dtype)?;
        Ok(Angles { cosines, sines, positions: None })
    }

    /// The angles of rows at these positions.
    ///
    /// NVIDIA GPUs find them in the table by position, and rotate in f32 whatever they store; other devices get
    /// those of the rows.
    fn angles<'p>(
        &self,
        positions: &'p [u32],
        device: &Device,
        dtype: DType,
    ) -> Result<Angles<'p>> {
        if !device.is_cuda() {
            let (cosines, sines) = angles(&self.rotation, positions, device, dtype)?;
            return Ok(Angles { cosines, sines, positions: None });
        }
        let needed = positions.iter().max().map_or(0, |&last| last as usize + 1);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let place = made.iter().position(|(own, _)| own.same_device(device));
        if let Some(place) = place
            && let (_, (cosines, sines)) = &made[place]
            && cosines.dim(0)? >= needed
        {
            let (cosines, sines) = (cosines.clone(), sines.clone());
            return Ok(Angles { cosines, sines, positions: Some(positions) });
        }
        let count = needed.next_power_of_two().max(LEAST_POSITIONS);
        let count = count.min(self.context_tokens).max(needed);
        let all: Vec<u32> = (0..count as u32).collect();
        let (cosines, sines) = angles(&self.rotation, &all, device, DType::F32)?;
        let table = (device.clone(), (cosines.clone(), sines.clone()));
        match place {
            Some(place) => made[place] = table,
            None => made.push(table),
        }
        Ok(Angles { cosines, sines, positions: Some(positions) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::spec::{RotaryPairing, RotaryScaling};

    #[test]
    fn rows_have_the_angles_of_their_positions() {
        let (pairing, scaling) = (RotaryPairing::Halves, RotaryScaling::None);
        let spec = RotarySpec {
            rotated_size: 8,
            theta: 10_000.0,
            pairing,
            scaling,
            pair_axes: Vec::new(),
        };
        let table = RotaryTable::new(&spec, Reach::Native, 16);
        let found = table.angles(&[3, 0, 7], &Device::Cpu, DType::F32).unwrap();
        let (cosines, _) =
            angles(&Rotation::new(&spec, Reach::Native), &[3, 0, 7], &Device::Cpu, DType::F32)
                .unwrap();
        let rows = |tensor: &Tensor| tensor.to_vec2::<f32>().unwrap();
        assert_eq!(rows(&found.cosines), rows(&cosines));
    }
}
