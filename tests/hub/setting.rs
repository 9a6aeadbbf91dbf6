//! What the tests share: a checkpoint to be hosted, an empty cache, and a client without patience.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::Mutex,
    time::Duration,
};

use surprisal::hub::{CheckpointPart, DownloadProgress, Hub, HubError, HubName, HubSettings};

use super::server::{FakeHub, Files};

/// The commit of most tests.
pub(crate) const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// A hub and an empty cache.
pub(crate) struct Setting {
    pub(crate) hub: FakeHub,
    folder: tempfile::TempDir,
}

/// Keeps what is said.
#[derive(Default)]
pub(crate) struct Heard {
    pub(crate) waits: Mutex<Vec<String>>,
    /// File, total and what was there, in bytes.
    pub(crate) files: Mutex<Vec<(String, u64, u64)>>,
}

impl DownloadProgress for Heard {
    fn begin_file(&self, file: &str, total_bytes: u64, done_bytes: u64) {
        self.files.lock().unwrap().push((file.to_owned(), total_bytes, done_bytes));
    }
    fn bytes(&self, _: u64) {}
    fn end_file(&self) {}
    fn waiting(&self, why: &str) {
        self.waits.lock().unwrap().push(why.to_owned());
    }
}

/// The files of a checkpoint that loads, and some that must not be fetched.
pub(crate) fn checkpoint_files() -> Files {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models/llama");
    let mut files = Files::new();
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        files.insert(name.to_owned(), fs::read(folder.join(name)).unwrap());
    }
    for (name, text) in [
        ("README.md", "# A card"),
        ("chat_template.jinja", "{{ messages[0].content }}"),
        ("additional_chat_templates/tool use.jinja", "{{ tools }}"),
        ("pytorch_model.bin", "a pickle"),
        ("model.Q4.gguf", "GGUF"),
        ("onnx/model.onnx", "onnx"),
    ] {
        files.insert(name.to_owned(), text.as_bytes().to_vec());
    }
    files
}

/// Asks for a whole checkpoint in a way of one's own.
pub(crate) fn ask(name: &str, settings: HubSettings, heard: &Heard) -> Result<PathBuf, HubError> {
    let name = HubName::parse(name).unwrap();
    Hub::new(settings, heard).checkpoint(&name, CheckpointPart::Whole)
}

impl Setting {
    /// A hub that has the checkpoint as `org/tiny`.
    pub(crate) fn new() -> Self {
        let hub = FakeHub::start();
        hub.commit("models/org/tiny", "main", COMMIT, &checkpoint_files());
        Self { hub, folder: tempfile::tempdir().unwrap() }
    }

    /// A folder for everything.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The cache.
    pub(crate) fn cache(&self) -> PathBuf {
        self.folder().join("hub")
    }

    pub(crate) fn settings(&self) -> HubSettings {
        HubSettings {
            endpoint: self.hub.endpoint.clone(),
            cache: self.cache(),
            token: None,
            offline: false,
            stall: Duration::from_secs(1),
            waits: vec![Duration::ZERO; 3],
            slow: Duration::from_mins(1),
            allow_unverified: false,
        }
    }

    /// Asks for a whole checkpoint.
    pub(crate) fn checkpoint(&self, name: &str) -> Result<PathBuf, HubError> {
        ask(name, self.settings(), &Heard::default())
    }

    /// The lines of the requests until now.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.hub.seen().into_iter().map(|seen| seen.line).collect()
    }

    /// The built binary with this hub and cache, and nothing else of the environment.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surprisal"));
        command.args(arguments).current_dir(self.folder()).env_clear();
        command.env("HF_ENDPOINT", &self.hub.endpoint).env("HF_HOME", self.folder());
        command.env("HF_HUB_DOWNLOAD_TIMEOUT", "2");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }
}
