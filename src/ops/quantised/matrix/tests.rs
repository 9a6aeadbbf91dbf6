//! Every format, beside candle's numbers, the plain loops and ggml's products.

use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};

use super::*;
use crate::ops::quantised;
use crate::ops::tile::{self, Rows, Tile};

const FORMATS: &[GgmlDType] = &[
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

fn pack(format: Format, bytes: &[u8], outputs: usize, input_size: usize) -> Quantised {
    let row_bytes = bytes.len() / outputs;
    let read = |outputs: Range<usize>, rows: &mut Vec<u8>| {
        *rows = bytes[outputs.start * row_bytes..outputs.end * row_bytes].to_vec();
        Ok(())
    };
    Quantised::pack(&[(format, outputs)], input_size, read).unwrap()
}

#[test]
fn every_format_widens_to_the_numbers_that_candle_widens_it_to() {
    let (outputs, input_size) = (40, 768);
    let numbers: Vec<f32> = (0..outputs * input_size)
        .map(|i| ((i * 7919) % 65_521) as f32 / 32_760.5 - 1.0 + i as f32 * 1e-5)
        .collect();
    let tensor = Tensor::from_vec(numbers, (outputs, input_size), &Device::Cpu).unwrap();
    for &dtype in FORMATS {
        let blocks = QTensor::quantize(&tensor, dtype).unwrap();
        let expected = blocks.dequantize(&Device::Cpu).unwrap().to_vec2::<f32>().unwrap();
        let format = Format::of(dtype).unwrap();
        let bytes = blocks.data().unwrap();
        assert_eq!(quantised::widen(format, &bytes), expected.concat(), "{dtype:?}");
        let matrix = pack(format, &bytes, outputs, input_size);
        let mut scratch = Aligned::default();
        for panel in 0..2 {
            for first in (0..input_size).step_by(CHUNK) {
                let chunk = matrix.chunk(panel, first..first + CHUNK, &mut scratch);
                for (place, number) in chunk.iter().enumerate() {
                    let (depth, output) =
                        (first + place / COLUMNS, panel * COLUMNS + place % COLUMNS);
                    let expected = expected.get(output).map_or(0.0, |row| row[depth]);
                    // Columns without an output may be zero of either sign.
                    let bits = |number: f32| (number + 0.0).to_bits();
                    assert_eq!(bits(*number), bits(expected), "{dtype:?} {output} {depth}");
                }
            }
        }
        for (output, expected) in expected.iter().enumerate() {
            let mut numbers = vec![0.0; input_size];
            matrix.read_output(output, &mut numbers);
            assert_eq!(&numbers, expected, "{dtype:?}");
        }
    }
}

#[test]
fn few_rows_have_the_bits_of_the_kernel() {
    let (outputs, input_size) = (40, 768);
    let number = |i: usize| ((i * 7919) % 65_521) as f32 / 32_760.5 - 1.0;
    let numbers: Vec<f32> = (0..outputs * input_size).map(number).collect();
    let tensor = Tensor::from_vec(numbers, (outputs, input_size), &Device::Cpu).unwrap();
    let mut scratch = Aligned::default();
    for &dtype in FORMATS {
        let blocks = QTensor::quantize(&tensor, dtype).unwrap();
        let bytes = blocks.data().unwrap();
        let matrix = pack(Format::of(dtype).unwrap(), &bytes, outputs, input_size);
        for (instructions, panel, rows) in InstructionSet::available()
            .into_iter()
            .flat_map(|set| (1..=vectors::MOST_ROWS).map(move |rows| (set, rows % 2, rows)))
        {
            let row: Vec<f32> = (0..rows * input_size).map(|i| number(i + 77)).collect();
            let mut expected = vec![0.0; rows * COLUMNS];
            for first in (0..input_size).step_by(CHUNK) {
                let tile = Tile {
                    rows,
                    vectors: 2,
                    a: Rows::Packed(&row[first * rows..]),
                    b: &[(matrix.chunk(panel, first..first + CHUNK, &mut scratch), CHUNK)],
                    b_stride: COLUMNS,
                    c_stride: COLUMNS,
                    accumulate: first > 0,
                };
                tile::multiply(instructions, &tile, &mut expected);
            }
            let mut found = vec![f32::NAN; rows * COLUMNS];
            assert!(matrix.multiply_few(instructions, panel, (rows, &row), &mut found));
            let bits = |numbers: &[f32]| numbers.iter().map(|n| n.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&found), bits(&expected), "{dtype:?} {instructions:?} {rows}");
        }
        assert!(!matrix.multiply_few(
            InstructionSet::detect(),
            0,
            (vectors::MOST_ROWS + 1, &vec![0.0; input_size * (vectors::MOST_ROWS + 1)]),
            &mut [],
        ));
    }
}

#[test]
fn vector_code_widens_to_the_numbers_of_the_plain_loops() {
    let (outputs, input_size) = (32, 512);
    let number = |i: usize| ((i * 104_729) % 65_521) as f32 / 9_999.0 - 3.0;
    let numbers: Vec<f32> = (0..outputs * input_size).map(number).collect();
    let tensor = Tensor::from_vec(numbers, (outputs, input_size), &Device::Cpu).unwrap();
    for &dtype in FORMATS {
        let format = Format::of(dtype).unwrap();
        let bytes = QTensor::quantize(&tensor, dtype).unwrap();
        let matrix = pack(format, &bytes.data().unwrap(), outputs, input_size);
        let run = &matrix.runs[0];
        for (first, depth) in [(0, input_size), (128, 128), (32, 96), (480, 32)] {
            let mut expected = vec![f32::NAN; depth * COLUMNS];
            widening::widen(format, &run.parts, run.panel(0), first, &mut expected);
            for instructions in InstructionSet::available() {
                let mut found = vec![f32::NAN; depth * COLUMNS];
                if vectors::widen(instructions, format, run.panel(0), first, &mut found) {
                    assert_eq!(found, expected, "{dtype:?} {instructions:?} {first}");
                } else {
                    assert!(instructions == InstructionSet::Portable || dtype == GgmlDType::Q8K);
                }
            }
        }
    }
}

#[test]
fn rounded_products_are_those_of_rounded_numbers() {
    let (outputs, input_size, count) = (40, 768, 6);
    let number = |i: usize| ((i * 7919) % 65_521) as f32 / 32_760.5 - 1.0;
    let numbers: Vec<f32> = (0..outputs * input_size).map(number).collect();
    let tensor = Tensor::from_vec(numbers, (outputs, input_size), &Device::Cpu).unwrap();
    let inputs: Vec<f32> = (0..count * input_size).map(|i| 3.0 * number(i + 77)).collect();
    for &dtype in FORMATS {
        let blocks = QTensor::quantize(&tensor, dtype).unwrap();
        let weights = blocks.dequantize(&Device::Cpu).unwrap().to_vec2::<f32>().unwrap();
        let format = Format::of(dtype).unwrap().in_octets();
        let matrix = pack(format, &blocks.data().unwrap(), outputs, input_size);
        let rounding = matrix.rounding(0).unwrap();
        let rows = RoundedRows::of(rounding, inputs.chunks(input_size));
        for panel in 0..2 {
            let mut plain = vec![f32::NAN; count * COLUMNS];
            let run = &matrix.runs[0];
            rounded_product::multiply(
                format,
                &run.parts,
                run.panel(panel),
                &rows,
                &mut plain,
                InstructionSet::detect(),
            );
            for (row, products) in plain.chunks(COLUMNS).enumerate() {
                let rounded = rows.row(row);
                for (column, &found) in products.iter().enumerate() {
                    let Some(weights) = weights.get(panel * COLUMNS + column) else { continue };
                    let terms = weights.iter().zip(&rounded);
                    let terms = terms.map(|(&w, &x)| f64::from(w) * f64::from(x));
                    let (sum, size) =
                        terms.fold((0.0, 0.0), |(sum, size), t| (sum + t, size + t.abs()));
                    // The sum that floors are multiplied with is kept as f16 in small blocks.
                    let margin = if format.floor_sums_are_halves() { 1e-3 } else { 1e-6 };
                    assert!(
                        (f64::from(found) - sum).abs() <= margin * size,
                        "{dtype:?} {row} {column}: {found} {sum}"
                    );
                }
            }
            for instructions in InstructionSet::available() {
                let mut expected = vec![f32::NAN; count * COLUMNS];
                rounded_product::multiply(
                    format,
                    &run.parts,
                    run.panel(panel),
                    &rows,
                    &mut expected,
                    instructions,
                );
                let mut found = vec![f32::NAN; count * COLUMNS];
                matrix.multiply_rounded(instructions, panel, &rows, &mut found);
                let bits =
                    |numbers: &[f32]| numbers.iter().map(|n| n.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&found), bits(&expected), "{dtype:?} {instructions:?}");
                let alone = RoundedRows::of(rounding, inputs.chunks(input_size).skip(2).take(1));
                let mut found = vec![f32::NAN; COLUMNS];
                matrix.multiply_rounded(instructions, panel, &alone, &mut found);
                assert_eq!(bits(&found), bits(&expected[2 * COLUMNS..3 * COLUMNS]));
            }
        }
    }
}

#[test]
fn rounded_products_are_those_of_ggml() {
    const INPUTS: usize = 512;
    const OUTPUTS: usize = 5;
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/ggml_products.json");
    let text = std::fs::read_to_string(path).unwrap();
    let known: serde_json::Value = serde_json::from_str(&text).unwrap();
    let numbers = |list: &serde_json::Value| -> Vec<f32> {
        list.as_array().unwrap().iter().map(|n| n.as_f64().unwrap() as f32).collect()
    };
    let inputs = numbers(&known["inputs"]);
    for &dtype in FORMATS {
        let case = &known[format!("{dtype:?}")];
        if matches!(dtype, GgmlDType::Q8_1 | GgmlDType::Q8K) {
            // ggml has no products with weights of these.
            assert!(case.is_null());
            continue;
        }
        let blocks = case["blocks"].as_str().unwrap().as_bytes().as_chunks::<2>().0;
        let byte =
            |two: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap();
        let blocks: Vec<u8> = blocks.iter().map(byte).collect();
        let matrix = pack(Format::of(dtype).unwrap().in_octets(), &blocks, OUTPUTS, INPUTS);
        let rows = RoundedRows::of(matrix.rounding(0).unwrap(), inputs.chunks(INPUTS));
        let products = numbers(&case["products"]);
        let count = products.len() / OUTPUTS;
        for instructions in InstructionSet::available() {
            let mut found = vec![f32::NAN; count * COLUMNS];
            matrix.multiply_rounded(instructions, 0, &rows, &mut found);
            for (place, expected) in products.iter().enumerate() {
                let found = found[place / OUTPUTS * COLUMNS + place % OUTPUTS];
                // Sums of 512 products of about 0.3: the order of additions, and no more.
                assert!(
                    (found - expected).abs() < 2e-5,
                    "{dtype:?} {instructions:?} {place}: {found}, not {expected}"
                );
            }
        }
    }
}
