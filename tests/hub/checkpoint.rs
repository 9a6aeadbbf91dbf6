//! A checkpoint named on the command line, from the hub to scores.

use std::{fs, path::Path};

use surprisal::model::Checkpoint;

use super::{
    server::Files,
    setting::{COMMIT, Heard, Setting, ask, checkpoint_files},
};

const CONFIG: &str = r"
datasets = [dict(abbr='words', path='rows.jsonl',
    reader_cfg=dict(input_columns=['q'], output_column=None),
    infer_cfg=dict(prompt_template=dict(type='PromptTemplate', template='{q}'),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLOnlyInferencer')),
    eval_cfg=dict(evaluator=dict(type='AveragePPLEvaluator')))]
";

fn with_config(setting: &Setting) {
    fs::write(setting.folder().join("config.py"), CONFIG).unwrap();
    fs::write(setting.folder().join("rows.jsonl"), "{\"q\": \"the cat\"}\n").unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_run_fetches_once_and_then_needs_no_network() {
    let setting = Setting::new();
    with_config(&setting);
    let first = setting.run(&["run", "config.py", "--model", "org/tiny", "--json"]);
    let stderr = String::from_utf8_lossy(&first.stderr);
    assert_eq!(first.status.code(), Some(0), "{stderr}");
    // Bars are for terminals.
    assert!(!stderr.contains("safetensors"), "{stderr}");
    let requests = setting.lines().len();
    for pair in [("HF_HUB_OFFLINE", "1"), ("HF_ENDPOINT", "http://127.0.0.1:1")] {
        let mut command =
            setting.command(&["run", "config.py", "--model", "org/tiny", "--json", "-w", pair.0]);
        let again = command.env(pair.0, pair.1).output().unwrap();
        assert_eq!(again.status.code(), Some(0), "{}", String::from_utf8_lossy(&again.stderr));
    }
    assert_eq!(setting.lines().len(), requests, "the second run asked the hub");
}

#[test]
fn only_what_is_needed_is_fetched() {
    let setting = Setting::new();
    let folder = setting.checkpoint("org/tiny").unwrap();
    let expected = [
        "additional_chat_templates",
        "chat_template.jinja",
        "config.json",
        "model.safetensors",
        "tokenizer.json",
    ];
    assert_eq!(names(&folder), expected);
    assert_eq!(names(&folder.join(expected[0])), ["tool use.jinja"]);
    Checkpoint::open_folder(&folder).unwrap();
}

#[test]
fn a_revision_is_a_branch_a_tag_or_a_commit() {
    let setting = Setting::new();
    let mut files = checkpoint_files();
    files.insert("generation_config.json".to_owned(), b"{}".to_vec());
    let commit = "f".repeat(40);
    setting.hub.commit("models/org/tiny", "refs/pr/1", &commit, &files);
    let main = setting.checkpoint("org/tiny").unwrap();
    let branch = setting.checkpoint("org/tiny@refs/pr/1").unwrap();
    assert!(main.ends_with(COMMIT) && branch.ends_with(&commit));
    assert!(branch.join("generation_config.json").is_file());
    let requests = setting.lines().len();
    assert_eq!(setting.checkpoint(&format!("org/tiny@{commit}")).unwrap(), branch);
    assert_eq!(setting.lines().len(), requests, "the commit was there already");
}

#[test]
fn a_gguf_file_is_fetched_when_it_is_named() {
    let setting = Setting::new();
    let file = setting.checkpoint("org/tiny/model.Q4.gguf").unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"GGUF");
    assert_eq!(names(file.parent().unwrap()), ["model.Q4.gguf"]);
}

#[test]
fn shards_come_through_their_index() {
    let setting = Setting::new();
    let mut files = checkpoint_files();
    let weights = files.remove("model.safetensors").unwrap();
    let header = safetensors::SafeTensors::deserialize(&weights).unwrap();
    let map: serde_json::Map<_, _> = header
        .names()
        .into_iter()
        .map(|name| (name.to_owned(), "model-1.safetensors".into()))
        .collect();
    let index = serde_json::json!({ "weight_map": map }).to_string();
    files.insert("model.safetensors.index.json".to_owned(), index.into_bytes());
    files.insert("model-1.safetensors".to_owned(), weights);
    files.insert("model-other.safetensors".to_owned(), b"not in the index".to_vec());
    setting.hub.commit("models/org/sharded", "main", COMMIT, &files);
    let folder = setting.checkpoint("org/sharded").unwrap();
    assert!(!folder.join("model-other.safetensors").exists());
    Checkpoint::open_folder(&folder).unwrap();
    // Without a shard it is not complete, and that is told rather than tried.
    fs::remove_file(folder.join("model-1.safetensors")).unwrap();
    let mut settings = setting.settings();
    settings.offline = true;
    let error = ask("org/sharded", settings, &Heard::default()).unwrap_err();
    assert!(error.to_string().contains("model-1.safetensors is missing"), "{error}");
    assert_eq!(setting.checkpoint("org/sharded").unwrap(), folder);
    Checkpoint::open_folder(&folder).unwrap();
}

#[test]
fn an_adapter_is_a_config_and_weights() {
    let setting = Setting::new();
    let files: Files = [
        ("adapter_config.json", "{}"),
        ("adapter_model.safetensors", "x"),
        ("adapter_model.bin", "x"),
    ]
    .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
    .into();
    setting.hub.commit("models/org/adapter", "main", COMMIT, &files);
    let folder = setting.checkpoint("org/adapter").unwrap();
    assert_eq!(names(&folder), ["adapter_config.json", "adapter_model.safetensors"]);
}

#[test]
fn without_safetensors_it_is_said_what_to_do() {
    let setting = Setting::new();
    for (file, says) in [
        ("pytorch_model.bin", "only pickles such as pytorch_model.bin"),
        ("m.Q8_0.gguf", "name one, such as org/old/m.Q8_0.gguf"),
        ("notes.txt", "has no safetensors weights"),
    ] {
        let mut files = checkpoint_files();
        files.retain(|name, _| name.contains(".json"));
        files.insert(file.to_owned(), b"x".to_vec());
        setting.hub.commit("models/org/old", "main", COMMIT, &files);
        let error = setting.checkpoint("org/old").unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
    assert!(!setting.lines().iter().any(|line| line.contains("pytorch_model")));
}

#[test]
fn a_chat_template_needs_no_weights() {
    let setting = Setting::new();
    let output = setting.run(&["chat-template", "org/tiny"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!setting.lines().iter().any(|line| line.contains("safetensors")));
}
