//! Downloads from a hub on this machine, by the library and by the built binary.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod archive_contents;
mod archives;
mod benchmarks;
mod cache;
mod checkpoint;
mod dataset;
mod encoder;
mod faults;
mod fetched_data;
mod refusals;
mod server;
mod setting;
mod trust;
mod zip_file;
