//! Downloads from a hub on this machine, by the library and by the built binary.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod cache;
mod checkpoint;
mod dataset;
mod faults;
mod refusals;
mod server;
mod setting;
mod trust;
