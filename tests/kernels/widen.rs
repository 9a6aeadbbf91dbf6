//! `widen.cu`.

use candle_core::DType;
use candle_core::quantized::{GgmlDType, QTensor};
use surprisal::ops::embedding::embedding;
use surprisal::ops::fp8::Fp8Scales;
use surprisal::ops::linear::{Fp8Part, Weight, WeightPart};

use super::emulator::{self, Launch};
use super::number::{self, made_up, poison, tensor};

const FORMATS: [GgmlDType; 12] = [
    GgmlDType::Q4_0,
    GgmlDType::Q4_1,
    GgmlDType::Q5_0,
    GgmlDType::Q5_1,
    GgmlDType::Q8_0,
    GgmlDType::Q8_1,
    GgmlDType::Q2K,
    GgmlDType::Q3K,
    GgmlDType::Q4K,
    GgmlDType::Q5K,
    GgmlDType::Q6K,
    GgmlDType::Q8K,
];
const ROWS: usize = 5;

/// Some rows of a weight on the CPU, times a factor.
fn rows_of(weight: &Weight, ids: &[u32], factor: f64) -> Vec<f32> {
    let rows = embedding(ids, weight, Some(factor)).unwrap();
    rows.flatten_all().unwrap().to_vec1().unwrap()
}

#[test]
fn blocks_are_the_numbers_that_they_are_on_the_cpu() {
    if !emulator::is_there() {
        return;
    }
    for format in FORMATS {
        let size = 2 * format.block_size();
        let numbers = tensor(&made_up(ROWS * size, 7, DType::F32), (ROWS, size));
        let blocks = QTensor::quantize(&numbers, format).unwrap();
        let bytes = blocks.data().unwrap().to_vec();
        let part = WeightPart { bytes: &bytes, dtype: format, rows: ROWS };
        let weight = Weight::pack(&[part], size).unwrap();
        for dtype in number::TYPES {
            let name = format!("widen_{format:?}_{}", dtype.as_str());
            let launch = |ids: Option<&[u32]>, count: usize, first: u32, factor: f32| {
                let launch = Launch::new(&name, (count, 1), 64).buffer(bytes.as_slice());
                let (launch, output) = match ids {
                    Some(ids) => (launch.words(ids), 2),
                    None => (launch.optional(None, dtype), 1),
                };
                let launch = launch.buffer(poison(count * size, dtype)).value(first);
                launch.value(size as u32).factor(factor).run().swap_remove(output)
            };
            let found = launch(None, 3, 2, 1.0);
            let wanted = rows_of(&weight, &[2, 3, 4], 1.0);
            assert_eq!(found, number::bytes(&wanted, dtype), "{name}: rows");
            let ids = [4u32, 0, 4, 1];
            let found = launch(Some(&ids), ids.len(), 0, 1.5);
            let wanted = rows_of(&weight, &ids, 1.5);
            assert_eq!(found, number::bytes(&wanted, dtype), "{name}: embedding");
        }
    }
}

#[test]
fn eight_bit_floats_are_the_numbers_that_they_are_on_the_cpu() {
    if !emulator::is_there() {
        return;
    }
    // All codes but those that are no number, in blocks that end with the matrix or before it, and one for all.
    let size = 254;
    let codes: Vec<u8> = (0..ROWS * size)
        .map(|at| (at * 31) as u8)
        .map(|code| if code & 0x7f == 0x7f { code ^ 1 } else { code })
        .collect();
    for block in [[2usize, 128], [1, 254], [5, 254], [3, 7]] {
        let across = size.div_ceil(block[1]);
        let scales = made_up(ROWS.div_ceil(block[0]) * across, 3, DType::F32);
        let of_weight = Fp8Scales::new(scales.clone(), [ROWS, size], block).unwrap();
        let part = Fp8Part { codes: &codes, scales: &of_weight, rows: ROWS };
        let weight = Weight::pack_fp8(&[part], size).unwrap();
        let shape = [block[0], block[1], across].map(|size| size as u32);
        for dtype in number::TYPES {
            let name = format!("widen_fp8_{}", dtype.as_str());
            let launch = |ids: Option<&[u32]>, count: usize, first: u32, factor: f32| {
                let launch = Launch::new(&name, (count, 1), 64).buffer(codes.as_slice());
                let launch = launch.numbers(&scales, DType::F32);
                let (launch, output) = match ids {
                    Some(ids) => (launch.words(ids), 3),
                    None => (launch.optional(None, dtype), 2),
                };
                let launch = launch.buffer(poison(count * size, dtype)).value(first);
                let launch = launch.value(size as u32).values(&shape).factor(factor);
                launch.run().swap_remove(output)
            };
            let found = launch(None, 4, 1, 1.0);
            let wanted = rows_of(&weight, &[1, 2, 3, 4], 1.0);
            assert_eq!(found, number::bytes(&wanted, dtype), "{name} {block:?}: rows");
            let ids = [3u32, 3, 0];
            let found = launch(Some(&ids), ids.len(), 0, 0.25);
            let wanted = rows_of(&weight, &ids, 0.25);
            assert_eq!(found, number::bytes(&wanted, dtype), "{name} {block:?}: embedding");
        }
    }
}
