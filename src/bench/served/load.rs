//! How a server is loaded: so many requests at once, or so many a second.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Load {
    /// So many requests at once: another one is sent as soon as one is answered.
    Concurrency(usize),
    /// So many requests a second, whether or not others are answered.
    Rate(f64),
}

impl Load {
    /// How many requests are sent where nobody says it: enough that no percentile but the last hangs on a single one,
    /// and several rounds where many are sent at once.
    pub fn usual_requests(self) -> usize {
        match self {
            Self::Concurrency(at_once) => at_once.saturating_mul(4).max(100),
            Self::Rate(_) => 100,
        }
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Concurrency(at_once) => write!(f, "{at_once} at once"),
            Self::Rate(rate) => write!(f, "{rate}/s"),
        }
    }
}

/// When the requests of a rate are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArrivalKind {
    /// As people come who know nothing of each other.
    #[default]
    Poisson,
    /// At equal distances.
    Constant,
}

impl ArrivalKind {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Poisson => "poisson",
            Self::Constant => "constant",
        }
    }
}

impl FromStr for ArrivalKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "poisson" => Ok(Self::Poisson),
            "constant" => Ok(Self::Constant),
            _ => Err("expected poisson or constant".to_owned()),
        }
    }
}
