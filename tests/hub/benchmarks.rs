//! The ready benchmarks, their rows fetched from the hub.

use std::process::Command;

use serde_json::Value as Json;

use super::setting::{COMMIT, Setting};
use crate::ready_benchmarks::{self, Ready};

/// The built binary on a benchmark with its data set and the shipped model.
fn command(setting: &Setting, ready: &Ready, verb: &[&str]) -> Command {
    let root = env!("CARGO_MANIFEST_DIR");
    let config = format!("{root}/configs/benchmarks/{}.py", ready.config);
    let mut command = setting.command(verb);
    command.args([&*config, "--model", "models/roomy", "--dataset", ready.dataset]);
    command
}

/// A table of the newest run.
fn exported(setting: &Setting, table: &str) -> Vec<Json> {
    let output = setting.run(&["export", "latest", "-w", "out", "--table", table]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn benchmarks_run_on_rows_from_the_hub_and_then_without_it() {
    for ready in ready_benchmarks::all() {
        let setting = Setting::new();
        ready_benchmarks::model(setting.folder());
        let files =
            ready.files.iter().map(|(name, text)| ((*name).to_owned(), text.clone().into()));
        let repository = format!("datasets/{}", ready.repository);
        setting.hub.commit(&repository, "main", COMMIT, &files.collect());
        let output = command(&setting, &ready, &["run", "-w", "out"]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{}: {told}", ready.dataset);
        let (samples, candidates) =
            (exported(&setting, "samples"), exported(&setting, "candidates"));
        ready_benchmarks::compare(&ready, &samples, &candidates);

        let requests = setting.lines().len();
        assert!(requests > 0, "{}", ready.dataset);
        let mut offline = command(&setting, &ready, &["run", "-w", "again"]);
        let output = offline.env("HF_HUB_OFFLINE", "1").output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{}: {told}", ready.dataset);
        assert_eq!(setting.lines().len(), requests, "{}", ready.dataset);
    }
}
