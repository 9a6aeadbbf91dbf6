//! Opening a GPU.

use std::ffi::c_void;

use candle_core::cuda_backend::WrapErr;
use candle_core::cuda_backend::cudarc::driver::CudaContext;
use candle_core::cuda_backend::cudarc::driver::result;
use candle_core::cuda_backend::cudarc::driver::sys::{
    self,
    CUmemPool_attribute_enum::{
        CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
        CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
    },
};
use candle_core::{Device, Result};

/// How many GPUs there are; an error where there is no driver.
pub fn count() -> Result<usize> {
    let count = CudaContext::device_count().w()?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// Memory of an open GPU that no tensor has: what nobody has taken, and what the program's pool keeps for
/// tensors to come.
pub fn free_memory_bytes(device: &Device) -> Result<usize> {
    let stream = device.as_cuda_device()?.cuda_stream();
    let context = stream.context();
    context.bind_to_thread().w()?;
    let (free_bytes, _) = result::mem_get_info().w()?;
    let pool = pool(context)?;
    let attribute = |attribute| -> Result<usize> {
        let mut bytes = 0u64;
        // SAFETY: the pool is that of an open device; the place is valid and of the attribute's type.
        unsafe { sys::cuMemPoolGetAttribute(pool, attribute, (&raw mut bytes).cast::<c_void>()) }
            .result()
            .w()?;
        Ok(usize::try_from(bytes).unwrap_or(usize::MAX))
    };
    let kept_bytes = attribute(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?;
    Ok(free_bytes + kept_bytes.saturating_sub(attribute(CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?))
}

/// Makes a GPU that was just opened with a stream of its own ready for work on that stream alone.
///
/// Nothing else uses its tensors, so their use is not tracked; and memory that is given back stays with
/// the program instead of going to the driver whenever the host waits.
pub fn prepare(device: &Device) -> Result<()> {
    let Device::Cuda(device) = device else { return Ok(()) };
    // SAFETY: everything this program does on the device is on the stream it was opened with, in order.
    unsafe { device.disable_event_tracking() };
    let stream = device.cuda_stream();
    let context = stream.context();
    context.bind_to_thread().w()?;
    let mut threshold_bytes = u64::MAX;
    let value = (&raw mut threshold_bytes).cast::<c_void>();
    let pool = pool(context)?;
    // SAFETY: the pool is that of an open device; the place is valid and of the attribute's type.
    unsafe { sys::cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, value) }
        .result()
        .w()
}

/// The pool that a device's tensors come from.
fn pool(context: &CudaContext) -> Result<sys::CUmemoryPool> {
    let mut pool = std::ptr::null_mut();
    // SAFETY: the device is open, and the place is valid for the call.
    unsafe { sys::cuDeviceGetDefaultMemPool(&raw mut pool, context.cu_device()) }.result().w()?;
    Ok(pool)
}
