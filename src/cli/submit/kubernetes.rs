//! A manifest of an indexed job and its merge for Kubernetes.

use serde_json::{Map, Value as Json};

use super::job::{Job, filled};
use crate::cli::args::KubernetesArguments;

/// The manifest, to be filled in.
const TEMPLATE: &str = include_str!("../../../deploy/kubernetes.yaml");

/// The manifest of a job.
pub(super) fn manifest(job: &Job, arguments: &KubernetesArguments) -> String {
    let own = &arguments.job;
    let command = |words: &[String], more: &[&str]| {
        let mut all = vec![Json::from("surprisal")];
        // Kubernetes fills in `$(NAME)` and takes `$$` for `$`.
        all.extend(words.iter().map(|word| Json::from(word.replace('$', "$$"))));
        all.extend(more.iter().map(|word| Json::from(*word)));
        // JSON is YAML.
        Json::Array(all).to_string()
    };
    let mut requests = Map::new();
    if let Some(cpus) = own.cpus {
        requests.insert("cpu".to_owned(), cpus.to_string().into());
    }
    if let Some(memory) = &own.memory {
        requests.insert("memory".to_owned(), memory.0.as_str().into());
    }
    let mut limits = requests.clone();
    // Cores beyond those asked for may be used while nobody else needs them.
    limits.remove("cpu");
    if let Some(gpus) = own.gpus {
        limits.insert("nvidia.com/gpu".to_owned(), gpus.to_string().into());
    }
    let text = |text: &str| Json::from(text).to_string();
    filled(
        TEMPLATE,
        &[
            ("NAME", own.name.0.clone()),
            ("SHARDS", own.shards.to_string()),
            ("PARALLEL", arguments.parallel.unwrap_or(own.shards).to_string()),
            ("IMAGE", text(&arguments.image.0)),
            ("CLAIM", arguments.claim.0.clone()),
            ("MOUNT", text(&arguments.mount.0)),
            ("RUN", command(&job.run, &["--shard", &format!("auto/{}", own.shards)])),
            ("MERGE", command(&job.merge, &["--wait", &arguments.wait.to_string()])),
            ("REQUESTS", Json::Object(requests).to_string()),
            ("LIMITS", Json::Object(limits).to_string()),
        ],
    )
}
