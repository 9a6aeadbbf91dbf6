//! Products of rows and weights: by cuBLAS, or, of a few rows, by a kernel that reads the weight as fast as the memory gives it.

use std::ffi::c_void;

use candle_core::cuda_backend::WrapErr;
use candle_core::cuda_backend::cudarc::cublas::{result::gemm_ex, sys};
use candle_core::{DType, Error, Result, Tensor};

use super::finish::finish_product;
use super::launch::{FEW_ROWS_PRODUCT, Launch, address, device, rows_of};
use crate::ops::linear::Residual;

/// As [`crate::ops::linear::linear`], for a weight `(out, in)` that is a tensor.
///
/// A stream that nobody reads afterwards is added to where it lies, within the product.
pub(in crate::ops) fn linear(
    input: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    residual: Option<Residual<'_>>,
) -> Result<Tensor> {
    let (rows, columns) = (input.dim(0)?, weight.dim(0)?);
    if let Some(Residual { stream, scale, is_spent: true }) = residual
        && bias.is_none()
        && stream.is_contiguous()
        && stream.dtype() == input.dtype()
        && stream.dims() == [rows, columns]
    {
        multiply(input, weight, stream, (scale.map_or(1.0, |scale| scale as f32), 1.0))?;
        return Ok(stream.clone());
    }
    // SAFETY: the product writes every number.
    let output = unsafe { Tensor::empty((rows, columns), input.dtype(), input.device()) }?;
    multiply(input, weight, &output, (1.0, 0.0))?;
    if bias.is_none() && residual.is_none() {
        return Ok(output);
    }
    finish_product(&output, bias, None, residual)
}

/// `input` `(rows, in)` times the transpose of rows `first..first + columns` of `weight` `(out, in)`,
/// in f32, `(rows, columns)`: bf16 is too coarse for logits, with steps of 0.06 at 10.
pub(super) fn product_f32(
    input: &Tensor,
    weight: &Tensor,
    first: usize,
    columns: usize,
) -> Result<Tensor> {
    let rows = input.dim(0)?;
    // SAFETY: the product writes every number.
    let output = unsafe { Tensor::empty((rows, columns), DType::F32, input.device()) }?;
    multiply(input, &weight.narrow(0, first, columns)?, &output, (1.0, 0.0))?;
    Ok(output)
}

/// Most rows of a product that is bound by the memory alone.
const FEW_ROWS: usize = 4;
/// Columns of a block there.
const FEW_ROWS_COLUMNS: usize = 16;
/// Threads of a block there.
const FEW_ROWS_THREADS: u32 = 256;
/// Bytes that one memory instruction moves.
const MOVED_BYTES: usize = 16;

/// output = alpha · input · weightᵀ + beta · output, summed in f32: `input` is `(rows, in)`, `weight` `(out, in)`,
/// `output` `(rows, out)`, in the type of the inputs or f32.
///
/// The one place where an algorithm is chosen. On an H100 cuBLAS' own choice is within 4 % of the best of its algorithms at
/// 8,192 rows.
fn multiply(
    input: &Tensor,
    weight: &Tensor,
    output: &Tensor,
    (alpha, beta): (f32, f32),
) -> Result<()> {
    let device = device(input)?;
    let (rows, depth) = input.dims2()?;
    let (columns, weight_depth) = weight.dims2()?;
    let types = (input.dtype(), weight.dtype(), output.dtype());
    if weight_depth != depth
        || output.dims() != [rows, columns]
        || types.0 != types.1
        || (types.2 != types.0 && types.2 != DType::F32)
    {
        candle_core::bail!("{:?} does not fit a weight {:?}", input.dims(), weight.dims())
    }
    if rows * columns == 0 {
        return Ok(());
    }
    let input = if rows_of(input).is_ok() { input.clone() } else { input.contiguous()? };
    let (input_place, input_stride) = rows_of(&input)?;
    let weight = weight.contiguous()?;
    let (weight_place, output_place) = (address(&weight)?, address(output)?);
    let is_aligned = |place: u64| place.is_multiple_of(MOVED_BYTES as u64);
    let number_bytes = types.0.size_in_bytes();
    if rows <= FEW_ROWS
        && types.2 == types.0
        && is_aligned(input_place)
        && is_aligned(weight_place)
        && [depth, input_stride]
            .iter()
            .all(|size| (size * number_bytes).is_multiple_of(MOVED_BYTES))
    {
        let kernel = format!("few_rows_product_{}", rows.next_power_of_two());
        let launch = Launch::of_type(&device, FEW_ROWS_PRODUCT, &kernel, types.0)?
            .address(input_place)
            .address(weight_place)
            .address(output_place)
            .count(rows)
            .count(depth)
            .count(columns)
            .count(input_stride)
            .factor(alpha)
            .factor(beta);
        // SAFETY: the places hold as many numbers as the sizes say, by the checks above.
        return unsafe { launch.run((columns.div_ceil(FEW_ROWS_COLUMNS), 1), FEW_ROWS_THREADS, 0) };
    }
    let size = |size: usize| {
        i32::try_from(size)
            .map_err(|_| Error::Msg(format!("a product of size {size} is too large")))
    };
    let (m, n, k) = (size(columns)?, size(rows)?, size(depth)?);
    let input_stride = size(input_stride)?;
    let (number, output_number) = (number_type(types.0)?, number_type(types.2)?);
    device.cuda_stream().context().bind_to_thread().w()?;
    let blas = device.cublas_handle();
    // cuBLAS counts by columns: what it sees are the transposes of all three.
    // SAFETY: the places hold as many numbers as the sizes say, and everything is on the one stream.
    unsafe {
        gemm_ex(
            *blas.handle(),
            sys::cublasOperation_t::CUBLAS_OP_T,
            sys::cublasOperation_t::CUBLAS_OP_N,
            m,
            n,
            k,
            (&raw const alpha).cast::<c_void>(),
            weight_place as *const c_void,
            number,
            k,
            input_place as *const c_void,
            number,
            input_stride,
            (&raw const beta).cast::<c_void>(),
            output_place as *mut c_void,
            output_number,
            m,
            sys::cublasComputeType_t::CUBLAS_COMPUTE_32F,
            sys::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
        )
    }
    .w()
}

fn number_type(dtype: DType) -> Result<sys::cudaDataType_t> {
    Ok(match dtype {
        DType::F32 => sys::cudaDataType_t::CUDA_R_32F,
        DType::F16 => sys::cudaDataType_t::CUDA_R_16F,
        DType::BF16 => sys::cudaDataType_t::CUDA_R_16BF,
        _ => candle_core::bail!("GPUs compute in f32, f16 and bf16, not in {}", dtype.as_str()),
    })
}
