//! Data sets by name.

use std::fs;

use super::{
    server::{Fault, Files},
    setting::{COMMIT, Setting},
};

const CONFIG: &str = r"
datasets = [dict(abbr='words', path='org/words', NAMED
    reader_cfg=dict(input_columns=['q'], output_column=None),
    infer_cfg=dict(prompt_template=dict(type='PromptTemplate', template='{q}'),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLOnlyInferencer')),
    eval_cfg=dict(evaluator=dict(type='AveragePPLEvaluator')))]
";

fn files(list: &[(&str, &str)]) -> Files {
    list.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
}

/// Views the first sample; exit code, stdout and stderr.
fn view(setting: &Setting, named: &str, offline: bool) -> (Option<i32>, String, String) {
    let config = CONFIG.replace("NAMED", named);
    fs::write(setting.folder().join("config.py"), config).unwrap();
    let mut command = setting.command(&["view", "config.py", "--json"]);
    if offline {
        command.env("HF_HUB_OFFLINE", "1");
    }
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn files_named_after_splits_are_rows() {
    let setting = Setting::new();
    let words = files(&[
        ("README.md", "# Words"),
        ("train.jsonl", "{\"q\": \"learn\"}\n"),
        ("test.jsonl", "{\"q\": \"asked\"}\n"),
        ("validation.jsonl", "{\"q\": \"unused\"}\n"),
    ]);
    setting.hub.commit("datasets/org/words", "main", COMMIT, &words);
    let (code, stdout, stderr) = view(&setting, "", false);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("asked"), "{stdout}");
    assert!(!setting.lines().iter().any(|line| line.contains("validation")));
    let requests = setting.lines().len();
    assert_eq!(view(&setting, "", false).1, stdout);
    assert_eq!(view(&setting, "", true).1, stdout);
    assert_eq!(setting.lines().len(), requests, "what is in the cache needs no network");
}

#[test]
fn a_name_picks_a_config_of_the_card() {
    let setting = Setting::new();
    let card = "---\nconfigs:\n- config_name: one\n  data_files:\n  - split: train\n    path: a/*.csv\n  - split: test\n    path: a/*.csv\n- config_name: two\n  data_files: b.csv\n---\n";
    let words = files(&[("README.md", card), ("a/1.csv", "q\nfirst\n"), ("b.csv", "q\nsecond\n")]);
    setting.hub.commit("datasets/org/words", "v1", COMMIT, &words);
    let (code, stdout, stderr) = view(&setting, "name='one', revision='v1',", false);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("first"), "{stdout}");
    let (code, stdout, stderr) = view(&setting, "name='two', split='train', revision='v1',", false);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("second"), "{stdout}");
    let (code, _, stderr) = view(&setting, "name='three', revision='v1',", false);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("there is no config `three`; there are one, two"), "{stderr}");
}

#[test]
fn data_files_name_files_of_the_repository() {
    let setting = Setting::new();
    let words =
        files(&[("x/a.jsonl", "{\"q\": \"first\"}\n"), ("x/b.jsonl", "{\"q\": \"second\"}\n")]);
    setting.hub.commit("datasets/org/words", "main", COMMIT, &words);
    let (code, stdout, stderr) =
        view(&setting, "data_files=dict(train='x/a.jsonl', test='x/*.jsonl'),", false);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("first"), "{stdout}");
}

#[test]
fn of_files_that_belong_together_there_are_none_or_all() {
    let setting = Setting::new();
    let words = files(&[
        ("train.jsonl", "{\"q\": \"learn\"}\n"),
        ("test_1.jsonl", "{\"q\": \"asked\"}\n"),
        ("test_2.jsonl", "{\"q\": \"also asked\"}\n"),
    ]);
    setting.hub.commit("datasets/org/words", "main", COMMIT, &words);
    view(&setting, "split='train',", false);
    setting.hub.fail(
        "HEAD /datasets/org/words/resolve/0123456789abcdef0123456789abcdef01234567/test_2",
        Fault::Status(403, "X: 1"),
        1,
    );
    assert_eq!(view(&setting, "", false).0, Some(2));
    let (code, _, stderr) = view(&setting, "", true);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("a file of split train or test is missing"), "{stderr}");
    assert_eq!(view(&setting, "", false).0, Some(0));
    assert_eq!(view(&setting, "", true).0, Some(0));
}

#[test]
fn a_format_for_a_path_means_files_that_are_here() {
    let setting = Setting::new();
    fs::write(setting.folder().join("here.jsonl"), "{\"q\": \"first\"}\n").unwrap();
    let named = "data_files='here.jsonl', split='train',";
    let config = CONFIG.replace("NAMED", named).replace("org/words", "json");
    fs::write(setting.folder().join("config.py"), &config).unwrap();
    let output = setting.run(&["view", "config.py", "--json"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("first"));
    fs::write(setting.folder().join("config.py"), config.replace("here", "there")).unwrap();
    let stderr = setting.run(&["view", "config.py"]).stderr;
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(stderr.contains("there is no file or folder \"there.jsonl\""), "{stderr}");
    assert!(setting.lines().is_empty());
}

#[test]
fn a_folder_may_be_laid_out_as_on_the_hub() {
    let setting = Setting::new();
    let folder = setting.folder().join("org/words/one");
    fs::create_dir_all(&folder).unwrap();
    for split in ["train", "test"] {
        let text = format!("{{\"q\": \"of {split}\"}}\n");
        fs::write(folder.join(format!("{split}-00000-of-00001.jsonl")), text).unwrap();
    }
    let (code, stdout, stderr) = view(&setting, "name='one',", false);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("of test"), "{stdout}");
    assert!(setting.lines().is_empty());
}

#[test]
fn what_is_not_there_is_told() {
    let setting = Setting::new();
    let (code, _, stderr) = view(&setting, "", false);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("`org/words` is no file or folder here"), "{stderr}");
    let (_, _, stderr) = view(&setting, "", true);
    assert!(stderr.contains("hf download org/words --repo-type dataset"), "{stderr}");
    setting.hub.commit("datasets/org/words", "main", COMMIT, &files(&[("words.py", "import x")]));
    let (_, _, stderr) = view(&setting, "", false);
    assert!(
        stderr.contains("no file holds the split train or test; there are words.py"),
        "{stderr}"
    );
}
