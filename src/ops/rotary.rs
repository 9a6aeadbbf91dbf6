//! Rotation of queries and keys by position (Su et al. 2021).

use candle_core::{Result, Tensor};

/// Which numbers of a head are rotated together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotaryPairing {
    /// Number i with number i + half.
    Halves,
    /// Number 2i with number 2i + 1.
    Neighbours,
}

/// Rotates the first `2 × pairs` numbers of every head; the rest passes through.
///
/// `heads` is `(rows, heads, head size)`; `cosines` and `sines`, `(rows, pairs)`, are those of each
/// row's position, so rows of different sequences can stand side by side.
pub fn rotary(
    heads: &Tensor,
    cosines: &Tensor,
    sines: &Tensor,
    pairing: RotaryPairing,
) -> Result<Tensor> {
    let (_, _, head_size) = heads.dims3()?;
    let rotated_size = 2 * cosines.dim(1)?;
    if rotated_size < head_size {
        let rotated = rotary(&heads.narrow(2, 0, rotated_size)?, cosines, sines, pairing)?;
        let rest = heads.narrow(2, rotated_size, head_size - rotated_size)?;
        return Tensor::cat(&[&rotated, &rest], 2);
    }
    match pairing {
        RotaryPairing::Halves => {
            let heads = heads.contiguous()?.unsqueeze(0)?;
            candle_nn::rotary_emb::rope_thd(&heads, cosines, sines)?.squeeze(0)
        }
        RotaryPairing::Neighbours => {
            let (rows, count, _) = heads.dims3()?;
            let pairs = heads.reshape((rows, count, rotated_size / 2, 2))?;
            let (even, odd) = (pairs.narrow(3, 0, 1)?, pairs.narrow(3, 1, 1)?);
            let cosines = cosines.reshape((rows, 1, rotated_size / 2, 1))?;
            let sines = sines.reshape((rows, 1, rotated_size / 2, 1))?;
            let first = (even.broadcast_mul(&cosines)? - odd.broadcast_mul(&sines)?)?;
            let second = (odd.broadcast_mul(&cosines)? + even.broadcast_mul(&sines)?)?;
            Tensor::cat(&[first, second], 3)?.reshape((rows, count, rotated_size))
        }
    }
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    #[test]
    fn pairs_turn_by_their_angle_and_the_rest_stays() {
        let device = Device::Cpu;
        let heads = Tensor::new(&[[[1f32, 2.0, 3.0, 4.0, 9.0]]], &device).unwrap();
        let angles = [0.3f32, 1.1];
        let cosines = Tensor::new(&[angles.map(f32::cos)], &device).unwrap();
        let sines = Tensor::new(&[angles.map(f32::sin)], &device).unwrap();
        for (pairing, pairs) in [
            (RotaryPairing::Halves, [(0, 2), (1, 3)]),
            (RotaryPairing::Neighbours, [(0, 1), (2, 3)]),
        ] {
            let output = rotary(&heads, &cosines, &sines, pairing).unwrap();
            let output = output.flatten_all().unwrap().to_vec1::<f32>().unwrap();
            let input = [1f32, 2.0, 3.0, 4.0];
            for ((a, b), angle) in pairs.into_iter().zip(angles) {
                let (sine, cosine) = angle.sin_cos();
                assert!((output[a] - (input[a] * cosine - input[b] * sine)).abs() < 1e-6);
                assert!((output[b] - (input[b] * cosine + input[a] * sine)).abs() < 1e-6);
            }
            assert!((output[4] - 9.0).abs() < f32::EPSILON);
        }
    }
}
