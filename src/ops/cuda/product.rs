//! Products whose result is wider than their inputs.

use std::ffi::c_void;

use candle_core::cuda_backend::WrapErr;
use candle_core::cuda_backend::cudarc::cublas::{result::gemm_ex, sys};
use candle_core::{DType, Error, Result, Tensor};

use super::launch::{address, device, rows_of};

/// `input` `(rows, in)` times the transpose of rows `first..first + columns` of `weight` `(out, in)`,
/// in f32, `(rows, columns)`.
///
/// Candle rounds a product to the type of its inputs, which is too coarse for logits: bf16 has steps of
/// 0.06 at 10.
pub(super) fn product_f32(
    input: &Tensor,
    weight: &Tensor,
    first: usize,
    columns: usize,
) -> Result<Tensor> {
    let device = device(input)?;
    let dtype = input.dtype();
    let number = match dtype {
        DType::F32 => sys::cudaDataType_t::CUDA_R_32F,
        DType::F16 => sys::cudaDataType_t::CUDA_R_16F,
        DType::BF16 => sys::cudaDataType_t::CUDA_R_16BF,
        _ => candle_core::bail!("GPUs compute in f32, f16 and bf16, not in {}", dtype.as_str()),
    };
    let (rows, depth) = input.dims2()?;
    let part = weight.narrow(0, first, columns)?;
    if part.dims() != [columns, depth] || part.dtype() != dtype {
        candle_core::bail!("{:?} does not fit a weight {:?}", input.dims(), weight.dims())
    }
    let (input_place, input_stride) = rows_of(input)?;
    let weight_place = address(&part)?;
    // SAFETY: the product writes every number.
    let output = unsafe { Tensor::empty((rows, columns), DType::F32, input.device()) }?;
    let output_place = address(&output)?;
    let (one, zero) = (1f32, 0f32);
    let size = |size: usize| {
        i32::try_from(size)
            .map_err(|_| Error::Msg(format!("a product of size {size} is too large")))
    };
    let (m, n, k) = (size(columns)?, size(rows)?, size(depth)?);
    let input_stride = size(input_stride)?;
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
            (&raw const one).cast::<c_void>(),
            weight_place as *const c_void,
            number,
            k,
            input_place as *const c_void,
            number,
            input_stride,
            (&raw const zero).cast::<c_void>(),
            output_place as *mut c_void,
            sys::cudaDataType_t::CUDA_R_32F,
            m,
            sys::cublasComputeType_t::CUBLAS_COMPUTE_32F,
            sys::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
        )
    }
    .w()?;
    Ok(output)
}
