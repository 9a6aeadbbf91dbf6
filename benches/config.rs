//! How long it takes to evaluate a config of five hundred data sets in a hundred files.

use std::path::PathBuf;

use criterion::Criterion;
use surprisal::config;

#[path = "workload/collection.rs"]
mod collection;

fn main() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/target/benches/collection"));
    let path = collection::write(&folder);
    let mut criterion = Criterion::default().sample_size(20).configure_from_args();
    criterion.bench_function("config/collection", |bencher| {
        bencher.iter(|| config::load(&path).expect("the config is whole"));
    });
    criterion.final_summary();
}
