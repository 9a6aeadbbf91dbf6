//! The number types of kernels as bytes.

use candle_core::{DType, Device, Tensor};
use half::{bf16, f16};

pub(crate) const TYPES: [DType; 3] = [DType::F32, DType::F16, DType::BF16];

/// Little-endian bytes of numbers, each rounded to `dtype`.
pub(crate) fn bytes(numbers: &[f32], dtype: DType) -> Vec<u8> {
    match dtype {
        DType::F16 => numbers.iter().flat_map(|&x| f16::from_f32(x).to_le_bytes()).collect(),
        DType::BF16 => numbers.iter().flat_map(|&x| bf16::from_f32(x).to_le_bytes()).collect(),
        _ => numbers.iter().flat_map(|&x| x.to_le_bytes()).collect(),
    }
}

/// The numbers that bytes stand for.
pub(crate) fn numbers(bytes: &[u8], dtype: DType) -> Vec<f32> {
    let halves = || bytes.as_chunks::<2>().0.iter();
    match dtype {
        DType::F16 => halves().map(|&half| f16::from_le_bytes(half).to_f32()).collect(),
        DType::BF16 => halves().map(|&half| bf16::from_le_bytes(half).to_f32()).collect(),
        _ => bytes.as_chunks::<4>().0.iter().map(|&x| f32::from_le_bytes(x)).collect(),
    }
}

pub(crate) fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

pub(crate) fn from_words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

/// Bytes of `count` numbers that are none.
pub(crate) fn poison(count: usize, dtype: DType) -> Vec<u8> {
    vec![0xff; count * dtype.size_in_bytes()]
}

/// Made-up numbers between −1 and 1, each exact in `dtype`.
pub(crate) fn made_up(count: usize, seed: u64, dtype: DType) -> Vec<f32> {
    let made: Vec<f32> = (0..count as u64)
        .map(|i| {
            // The finaliser of SplitMix64 (Steele et al. 2014).
            let mut bits = (i + (seed << 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((bits ^ (bits >> 31)) >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        })
        .collect();
    numbers(&bytes(&made, dtype), dtype)
}

pub(crate) fn tensor(numbers: &[f32], shape: (usize, usize)) -> Tensor {
    Tensor::from_vec(numbers.to_vec(), shape, &Device::Cpu).unwrap()
}

/// How far a result may be from the exact one, as a share of the largest number, where it is rounded to
/// `dtype` once.
pub(crate) fn rounding(dtype: DType) -> f32 {
    match dtype {
        DType::F16 => 1.0 / 2048.0,
        DType::BF16 => 1.0 / 256.0,
        _ => 2e-6,
    }
}

/// Asserts that all numbers are as wanted, within `tolerance` of the largest.
pub(crate) fn assert_close(found: &[f32], wanted: &[f32], tolerance: f32, what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    let largest = wanted.iter().fold(1f32, |largest, x| largest.max(x.abs()));
    for (place, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        let off = (found - wanted).abs() / largest;
        assert!(off <= tolerance, "{what}: number {place} is {found}, not {wanted}");
    }
}
