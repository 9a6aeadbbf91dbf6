//! What follows a product where cuBLAS has not done it within.

use candle_core::{Result, Tensor};

use super::launch::{FINISH_PRODUCT, Launch, address, device, optional_address, threads_for};
use crate::ops::linear::Residual;

/// Blocks that share a row.
const ROW_BLOCKS: usize = 4;

/// `(product + bias) · sigmoid(row logit) · scale + stream` in place of a product `(rows, size)` that nobody reads
/// otherwise. `row_logits` are `(rows, 1)`.
pub(in crate::ops) fn finish_product(
    product: &Tensor,
    bias: Option<&Tensor>,
    row_logits: Option<&Tensor>,
    residual: Option<Residual<'_>>,
) -> Result<Tensor> {
    let device = device(product)?;
    let product = product.contiguous()?;
    let (rows, size) = product.dims2()?;
    let dtype = product.dtype();
    let alike = |tensor: Option<&Tensor>, numbers: usize| match tensor {
        Some(tensor) if tensor.elem_count() != numbers => {
            candle_core::bail!("{:?} does not fit a product {rows} × {size}", tensor.dims())
        }
        Some(tensor) => tensor.contiguous()?.to_dtype(dtype).map(Some),
        None => Ok(None),
    };
    let (bias, row_logits) = (alike(bias, size)?, alike(row_logits, rows)?);
    let stream = alike(residual.map(|residual| residual.stream), rows * size)?;
    let scale = residual.and_then(|residual| residual.scale).map_or(1.0, |scale| scale as f32);
    let launch = Launch::of_type(&device, FINISH_PRODUCT, "finish_product", dtype)?
        .address(address(&product)?)
        .address(optional_address(bias.as_ref())?)
        .address(optional_address(row_logits.as_ref())?)
        .address(optional_address(stream.as_ref())?)
        .address(address(&product)?)
        .count(size)
        .factor(scale);
    let threads = threads_for(size, 8 * ROW_BLOCKS, 256);
    // SAFETY: product and stream have `size` numbers in each of `rows` rows, by the checks above.
    unsafe { launch.run((rows, ROW_BLOCKS), threads, 0) }?;
    Ok(product)
}
