//! What a GPU, its driver and its libraries must be.
//!
//! Looked at before a device is opened and long before weights are read: what is missing would otherwise show as
//! a call that fails somewhere.

use std::ffi::c_int;

use candle_core::cuda_backend::cudarc::driver::sys::CUdevice_attribute_enum::{
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
};
use candle_core::cuda_backend::cudarc::driver::{result, sys};
use candle_core::cuda_backend::cudarc::{cublas, curand};
use thiserror::Error;

/// The version of CUDA that the program is built for, as drivers write it: 1000 × major + 10 × minor.
const CUDA_VERSION: c_int = 13_000;
/// The first driver that knows it.
const DRIVER_BRANCH: u32 = 580;
/// The oldest compute capability that kernels are compiled for.
const LEAST_CAPABILITY: (c_int, c_int) = (8, 0);
/// The major versions of cuBLAS and of cuRAND that the program calls.
const CUBLAS_MAJOR: c_int = 13;
const CURAND_MAJOR: c_int = 10;

/// What stands in the way.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MissingRequirement {
    /// There is no driver, or no such GPU.
    #[error("{0}")]
    NoGpu(String),
    /// The driver is older than the program.
    #[error(
        "its driver knows CUDA {}.{}, and the program needs CUDA {}.{}: install NVIDIA's driver {DRIVER_BRANCH} or newer",
        .0 / 1000, .0 % 1000 / 10, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10
    )]
    OldDriver(c_int),
    /// The GPU is older than the kernels.
    #[error(
        "it has compute capability {}.{}, and the program has code for {}.{} and newer",
        .0.0, .0.1, LEAST_CAPABILITY.0, LEAST_CAPABILITY.1
    )]
    OldGpu((c_int, c_int)),
    /// A library is not where libraries are found, or another version of it is.
    #[error(
        "{library} is {}: `pip install {package}` and name its folder in LD_LIBRARY_PATH, or install CUDA 13",
        found.map_or_else(|| "not found".to_owned(), |major| format!("needed, and version {major} is found"))
    )]
    Library {
        /// Its file.
        library: &'static str,
        /// The package that has it.
        package: &'static str,
        /// The major version that is there, if one is.
        found: Option<c_int>,
    },
}

/// What stands in the way of computing on the GPU `ordinal`, if anything does.
pub fn check(ordinal: usize) -> Result<(), MissingRequirement> {
    let no_gpu = |error: result::DriverError| {
        MissingRequirement::NoGpu(error.to_string().lines().next().unwrap_or_default().to_owned())
    };
    result::init().map_err(no_gpu)?;
    let number = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
    let device = result::device::get(number).map_err(no_gpu)?;
    let mut driver = 0;
    // SAFETY: the place is valid for the call.
    unsafe { sys::cuDriverGetVersion(&raw mut driver) }.result().map_err(no_gpu)?;
    if driver < CUDA_VERSION {
        return Err(MissingRequirement::OldDriver(driver));
    }
    // SAFETY: the device is one of the driver's.
    let attribute = |attribute| unsafe { result::device::get_attribute(device, attribute) };
    let capability = (
        attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR).map_err(no_gpu)?,
        attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR).map_err(no_gpu)?,
    );
    if capability < LEAST_CAPABILITY {
        return Err(MissingRequirement::OldGpu(capability));
    }
    let mut major = 0;
    // SAFETY: the place is valid for the call, which needs nothing to be open.
    let status = unsafe {
        cublas::sys::cublasGetProperty(
            cublas::sys::libraryPropertyType::MAJOR_VERSION,
            &raw mut major,
        )
    };
    let found = (status == cublas::sys::cublasStatus_t::CUBLAS_STATUS_SUCCESS).then_some(major);
    if found != Some(CUBLAS_MAJOR) {
        let (library, package) = ("libcublas.so.13", "nvidia-cublas");
        return Err(MissingRequirement::Library { library, package, found });
    }
    // SAFETY: as above.
    let status = unsafe {
        curand::sys::curandGetProperty(
            curand::sys::libraryPropertyType::MAJOR_VERSION,
            &raw mut major,
        )
    };
    let found = (status == curand::sys::curandStatus_t::CURAND_STATUS_SUCCESS).then_some(major);
    if found != Some(CURAND_MAJOR) {
        let (library, package) = ("libcurand.so.10", "nvidia-curand");
        return Err(MissingRequirement::Library { library, package, found });
    }
    Ok(())
}
