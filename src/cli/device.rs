//! The device that was asked for, or the best there is.

use std::str::FromStr;

use super::output::talk;
use crate::model::{DeviceName, ModelError};

/// What `--device` says.
#[derive(Clone, Copy, Debug)]
pub(super) enum DeviceChoice {
    /// An NVIDIA GPU if there is one, otherwise the CPU.
    Auto,
    /// This one and no other.
    Named(DeviceName),
}

impl DeviceChoice {
    /// The device that is meant. Where `auto` ends with the CPU in a build that could have used a GPU,
    /// that is said.
    pub(super) fn settle(self) -> DeviceName {
        match self {
            Self::Named(name) => name,
            Self::Auto => match DeviceName::best() {
                Ok(name) => name,
                Err(reason) => {
                    talk(&format!("computing on the CPU: {reason}"));
                    DeviceName::Cpu
                }
            },
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = ModelError;

    fn from_str(name: &str) -> Result<Self, ModelError> {
        if name == "auto" { Ok(Self::Auto) } else { name.parse().map(Self::Named) }
    }
}
