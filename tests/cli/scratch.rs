//! A folder to run the built binary in, with a tiny model and a small config.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value as Json;

/// A config: two candidates for each row of `data/rows.jsonl`, under a tiny model.
pub(crate) const CHOICES: &str = r"from opencompass.models import HuggingFaceCausalLM
choices = dict(abbr='choices', path='data/rows.jsonl',
    reader_cfg=dict(input_columns=['text'], output_column='answer'),
    infer_cfg=dict(
        prompt_template=dict(type='PromptTemplate', template={'a': '{text} the cat', 'b': '{text} the dog'}),
        retriever=dict(type='ZeroRetriever'), inferencer=dict(type='PPLInferencer')),
    eval_cfg=dict(evaluator=dict(type='AccEvaluator')))
datasets = [choices]
models = [dict(type=HuggingFaceCausalLM, abbr='tiny', path='models/tiny-llama-bos', max_seq_len=128)]
";

/// A folder that goes away with the test.
pub(crate) struct Scratch {
    folder: tempfile::TempDir,
}

/// Where the fixtures of this repository are.
pub(crate) fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

impl Scratch {
    /// A folder with `models/` as the configs of the fixtures expect it.
    pub(crate) fn new() -> Self {
        let scratch = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        copy_folder(&fixtures().join("e2e_models"), &scratch.path().join("models"));
        scratch
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file below the folder.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a file has a folder"))
            .expect("the folder can be made");
        fs::write(path, text).expect("the file can be written");
    }

    /// Copies the files of a fixture into the folder.
    pub(crate) fn copy(&self, fixture: &str) {
        copy_folder(&fixtures().join(fixture), self.path());
    }

    /// Where files that ship with the program are written.
    pub(crate) fn cache(&self) -> PathBuf {
        self.path().join("cache")
    }

    /// The built binary, to be started in the folder by a shell: `surprisal` in its `line`.
    pub(crate) fn shell(&self, line: &str) -> Command {
        let mut command = Command::new("sh");
        let line = line.replace("surprisal", env!("CARGO_BIN_EXE_surprisal"));
        command.args(["-c", &line]).current_dir(self.path());
        command.env("HF_HUB_OFFLINE", "1").env("HF_HOME", self.path().join("huggingface"));
        command.env("SURPRISAL_CACHE", self.cache());
        command
    }

    /// The built binary, to be started in the folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surprisal"));
        command.args(arguments).current_dir(self.path());
        // What is not here must be missed, not looked for elsewhere.
        command.env("HF_HUB_OFFLINE", "1").env("HF_HOME", self.path().join("huggingface"));
        command.env("SURPRISAL_CACHE", self.cache());
        command
    }

    /// Runs the binary to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the binary starts")
    }

    /// A table of the newest run of a work folder, line by line.
    pub(crate) fn export(&self, work_dir: &str, table: &str) -> Vec<Json> {
        let output = self.run(&["export", "latest", "-w", work_dir, "--table", table]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
            .lines()
            .map(|line| serde_json::from_str(line).expect("a line is JSON"))
            .collect()
    }

    /// The lines of a data set in a table of the newest run.
    pub(crate) fn export_of(&self, work_dir: &str, table: &str, dataset: &str) -> Vec<Json> {
        let mut lines = self.export(work_dir, table);
        lines.retain(|line| line["dataset"] == dataset);
        lines
    }

    /// The only run's folder in a work folder.
    pub(crate) fn only_run(&self, work_dir: &str) -> PathBuf {
        let mut runs: Vec<PathBuf> = fs::read_dir(self.path().join(work_dir))
            .expect("the work folder exists")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.join("configs").is_dir())
            .collect();
        assert_eq!(runs.len(), 1, "one run in {work_dir}: {runs:?}");
        runs.remove(0)
    }
}

/// Copies a folder with everything in it.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the folder can be made");
    for entry in fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display())) {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            fs::write(&target, fs::read(&path).expect("the file can be read"))
                .expect("the file can be written");
        }
    }
}

/// Stdout as text.
pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Stderr as text.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
