//! Weights that stay quantised: products, rows and surprisals.

use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{DType, Device, Result, Tensor};

use super::inputs::{Case, HostAndDevice, Operation, TestInputs};
use crate::ops::{
    embedding::embedding,
    fp8::Fp8Scales,
    head::{Head, surprisals},
    linear::{Fp8Part, Weight, WeightPart, linear},
};

/// Formats of quantised weights.
const BLOCKS: [GgmlDType; 11] = [
    GgmlDType::Q4_0,
    GgmlDType::Q4_1,
    GgmlDType::Q5_0,
    GgmlDType::Q5_1,
    GgmlDType::Q8_0,
    GgmlDType::Q2K,
    GgmlDType::Q3K,
    GgmlDType::Q4K,
    GgmlDType::Q5K,
    GgmlDType::Q6K,
    GgmlDType::Q8K,
];

/// Outputs and inputs that share a scale.
const EIGHT_BIT_BLOCKS: [[usize; 2]; 3] = [[48, 300], [1, 300], [16, 128]];

/// The cases.
pub(super) fn cases() -> Vec<Operation> {
    let formats = BLOCKS.map(|format| -> Case { Box::new(move |inputs| blocks(inputs, format)) });
    let scaled = EIGHT_BIT_BLOCKS
        .map(|block| -> Case { Box::new(move |inputs| eight_bit_floats(inputs, block)) });
    vec![
        Operation { name: "blocks", cases: formats.into() },
        Operation { name: "8-bit floats", cases: scaled.into() },
    ]
}

/// A quantised weight of two parts, which is also the embedding and the head: its product, some rows, and surprisals.
fn quantised(
    inputs: &mut TestInputs<'_>,
    weight: &HostAndDevice<Weight>,
    table: &HostAndDevice<Weight>,
) -> Result<HostAndDevice<Tensor>> {
    let size = weight.host.input_size();
    let input = inputs.tensor((9, size), 1.0)?;
    let ids: Vec<u32> = (0..4).map(|_| inputs.index(table.host.output_size()) as u32).collect();
    let targets: Vec<(usize, u32)> = ids.iter().enumerate().map(|(row, id)| (row, *id)).collect();
    let results = |input: &Tensor, weight: &Weight, table: &Weight| {
        let product = linear(input, weight, None, None)?.flatten_all()?;
        let rows = embedding(&ids, table, Some(0.5))?.flatten_all()?;
        let head = Head { weight: table, bias: None, scale: Some(0.1), soft_cap: None };
        let found = surprisals(input, head, &targets)?.read()?;
        let nats = found.iter().map(|found| found.nats).collect();
        let nats = Tensor::from_vec(nats, targets.len(), &Device::Cpu)?;
        let host = |tensor: Tensor| tensor.to_device(&Device::Cpu)?.to_dtype(DType::F32);
        Tensor::cat(&[host(product)?, host(rows)?, nats], 0)
    };
    Ok(HostAndDevice {
        host: results(&input.host, &weight.host, &table.host)?,
        device: results(&input.device, &weight.device, &table.device)?,
    })
}

fn blocks(inputs: &mut TestInputs<'_>, format: GgmlDType) -> Result<HostAndDevice<Tensor>> {
    let (rows, size): ([usize; 2], usize) = ([64, 33], 2 * format.block_size().max(64));
    let stored = rows
        .iter()
        .map(|&rows| {
            let numbers = inputs.tensor((rows, size), (3.0 / size as f32).sqrt())?.host;
            Ok(QTensor::quantize(&numbers, format)?.data()?.to_vec())
        })
        .collect::<Result<Vec<Vec<u8>>>>()?;
    let parts: Vec<WeightPart<'_>> = stored
        .iter()
        .zip(rows)
        .map(|(bytes, rows)| WeightPart { bytes, dtype: format, rows })
        .collect();
    let (weight, table) = (inputs.blocks(&parts, size)?, inputs.blocks(&parts[..1], size)?);
    quantised(inputs, &weight, &table)
}

fn eight_bit_floats(
    inputs: &mut TestInputs<'_>,
    block: [usize; 2],
) -> Result<HostAndDevice<Tensor>> {
    let (rows, size): ([usize; 2], usize) = ([48, 29], 300);
    let stored: Vec<(Vec<u8>, Fp8Scales)> = rows
        .iter()
        .filter_map(|&rows| {
            // Below the codes of no number, of either sign.
            let mut code = || inputs.index(0x7f) as u8 | (inputs.index(2) as u8) << 7;
            let codes = (0..rows * size).map(|_| code()).collect();
            let count = rows.div_ceil(block[0]) * size.div_ceil(block[1]);
            let scales = (0..count).map(|at| 1e-4 * (1.0 + at as f32 / 7.0)).collect();
            Some((codes, Fp8Scales::new(scales, [rows, size], block)?))
        })
        .collect();
    let parts: Vec<Fp8Part<'_>> = stored
        .iter()
        .zip(rows)
        .map(|((codes, scales), rows)| Fp8Part { codes, scales, rows })
        .collect();
    let (weight, table) = (inputs.fp8(&parts, size)?, inputs.fp8(&parts[..1], size)?);
    quantised(inputs, &weight, &table)
}
