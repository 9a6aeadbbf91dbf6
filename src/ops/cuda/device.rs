//! Opening a GPU.

use std::ffi::c_void;

use candle_core::cuda_backend::WrapErr;
use candle_core::cuda_backend::cudarc::driver::CudaContext;
use candle_core::cuda_backend::cudarc::driver::result;
use candle_core::cuda_backend::cudarc::driver::sys::{
    self, CUmemPool_attribute_enum::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
};
use candle_core::{Device, Result};

/// How many GPUs there are; an error where there is no driver.
pub fn count() -> Result<usize> {
    let count = CudaContext::device_count().w()?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// Memory of an open GPU that nobody has taken yet.
pub fn free_memory_bytes(device: &Device) -> Result<usize> {
    device.as_cuda_device()?.cuda_stream().context().bind_to_thread().w()?;
    let (free_bytes, _) = result::mem_get_info().w()?;
    Ok(free_bytes)
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
    let mut pool = std::ptr::null_mut();
    let mut threshold_bytes = u64::MAX;
    // SAFETY: the device is open; both places are valid for the calls, of the types that the attribute
    // has.
    unsafe {
        sys::cuDeviceGetDefaultMemPool(&raw mut pool, context.cu_device()).result().w()?;
        let value = (&raw mut threshold_bytes).cast::<c_void>();
        sys::cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, value).result().w()?;
    }
    Ok(())
}
