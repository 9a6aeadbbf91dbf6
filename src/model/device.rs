//! Where a model is computed.

use std::fmt;
use std::str::FromStr;

use candle_core::Device;

use super::error::ModelError;

/// A device as named by the user: `cpu`, `cuda`, `cuda:1` or `metal`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceName {
    /// The processor.
    #[default]
    Cpu,
    /// An NVIDIA GPU, by its number.
    Cuda(usize),
    /// The GPU of an Apple computer.
    Metal,
}

impl DeviceName {
    /// The first NVIDIA GPU, or else the CPU; an error says why not a GPU, in a build that could use one.
    pub fn best() -> Result<Self, ModelError> {
        #[cfg(feature = "cuda")]
        return match crate::ops::cuda::count() {
            Ok(0) => Err(ModelError::Device("there is no NVIDIA GPU".to_owned())),
            Ok(_) => crate::ops::cuda::check(0).map(|()| Self::Cuda(0)).map_err(|missing| {
                ModelError::Device(format!("the NVIDIA GPU cannot be used: {missing}"))
            }),
            Err(error) => Err(ModelError::Device(format!(
                "no NVIDIA GPU can be used: {}",
                first_line(&error)
            ))),
        };
        #[cfg(not(feature = "cuda"))]
        Ok(Self::Cpu)
    }

    /// Opens the device.
    pub fn open(self) -> Result<Device, ModelError> {
        #[cfg(feature = "cuda")]
        if let Self::Cuda(ordinal) = self {
            crate::ops::cuda::check(ordinal).map_err(|missing| {
                ModelError::Device(format!("device `{self}` cannot be used: {missing}"))
            })?;
        }
        let opened = match self {
            Self::Cpu => return Ok(Device::Cpu),
            Self::Cuda(_) if !cfg!(feature = "cuda") => return Err(self.not_built("cuda")),
            Self::Metal if !cfg!(feature = "metal") => return Err(self.not_built("metal")),
            // One stream for the whole process: tensors may then pass between threads.
            Self::Cuda(ordinal) => Device::new_cuda_with_stream(ordinal),
            Self::Metal => Device::new_metal(0),
        };
        #[cfg(feature = "cuda")]
        let opened = opened.and_then(|device| {
            crate::ops::cuda::prepare(&device)?;
            Ok(device)
        });
        opened.map_err(|error| {
            let error = first_line(&error);
            ModelError::Device(format!("device `{self}` cannot be opened: {error}"))
        })
    }

    fn not_built(self, feature: &str) -> ModelError {
        ModelError::Device(format!(
            "device `{self}` needs a build with `--features {feature}`; this build has the CPU only"
        ))
    }
}

/// Memory that is free on a device other than the CPU, where its driver tells.
pub fn free_memory_bytes(device: &Device) -> Option<usize> {
    #[cfg(feature = "cuda")]
    if device.is_cuda() {
        return crate::ops::cuda::free_memory_bytes(device).ok();
    }
    let _ = device;
    None
}

/// What went wrong. With `RUST_BACKTRACE` set, candle's messages go on for pages.
fn first_line(error: &candle_core::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

impl FromStr for DeviceName {
    type Err = ModelError;

    fn from_str(name: &str) -> Result<Self, ModelError> {
        let unknown = || {
            ModelError::Device(format!(
                "unknown device `{name}`; expected cpu, cuda, cuda:<number> or metal"
            ))
        };
        match name.split_once(':') {
            None if name == "cpu" => Ok(Self::Cpu),
            None if name == "cuda" => Ok(Self::Cuda(0)),
            None if name == "metal" => Ok(Self::Metal),
            Some(("cuda", ordinal)) => ordinal.parse().map(Self::Cuda).map_err(|_| unknown()),
            _ => Err(unknown()),
        }
    }
}

impl fmt::Display for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(ordinal) => write!(f, "cuda:{ordinal}"),
            Self::Metal => f.write_str("metal"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for (name, device) in [
            ("cpu", DeviceName::Cpu),
            ("cuda:0", DeviceName::Cuda(0)),
            ("cuda:3", DeviceName::Cuda(3)),
            ("metal", DeviceName::Metal),
        ] {
            assert_eq!(name.parse::<DeviceName>().unwrap(), device);
            assert_eq!(device.to_string(), name);
        }
        for name in ["", "gpu", "cuda:", "cuda:-1", "cpu:0"] {
            assert!(name.parse::<DeviceName>().unwrap_err().to_string().contains("expected cpu"));
        }
    }
}
