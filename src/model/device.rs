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
    /// Opens the device.
    pub fn open(self) -> Result<Device, ModelError> {
        let opened = match self {
            Self::Cpu => return Ok(Device::Cpu),
            Self::Cuda(_) if !cfg!(feature = "cuda") => return Err(self.not_built("cuda")),
            Self::Metal if !cfg!(feature = "metal") => return Err(self.not_built("metal")),
            // One stream for the whole process: tensors may then pass between threads.
            Self::Cuda(ordinal) => Device::new_cuda_with_stream(ordinal),
            Self::Metal => Device::new_metal(0),
        };
        opened.map_err(|error| {
            let error = error.to_string();
            let first_line = error.lines().next().unwrap_or_default();
            ModelError::Device(format!("device `{self}` cannot be opened: {first_line}"))
        })
    }

    fn not_built(self, feature: &str) -> ModelError {
        ModelError::Device(format!(
            "device `{self}` needs a build with `--features {feature}`; this build has the CPU only"
        ))
    }
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
