//! The program, started on emulated GPUs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use super::journal::Journal;

/// The program and the folder of the libraries that stand in for NVIDIA's; why there is none.
#[expect(clippy::print_stderr, reason = "says why tests pass without having tested")]
static PARTS: LazyLock<Option<(PathBuf, PathBuf)>> = LazyLock::new(|| {
    let parts = parts();
    if let Err(reason) = &parts {
        eprintln!("emulated GPUs are not tested: {reason}");
    }
    parts.ok()
});

fn parts() -> Result<(PathBuf, PathBuf), String> {
    let program = match std::env::var_os("SURPRISAL_CUDA_PROGRAM") {
        Some(program) => PathBuf::from(program),
        None if cfg!(feature = "cuda") => PathBuf::from(env!("CARGO_BIN_EXE_surprisal")),
        None => return Err("SURPRISAL_CUDA_PROGRAM names no program".to_owned()),
    };
    assert!(program.is_file(), "SURPRISAL_CUDA_PROGRAM: there is no {}", program.display());
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    if Command::new(&compiler).arg("--version").output().is_err() {
        return Err(format!("there is no C++ compiler `{compiler}` (set CXX)"));
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("emulated_gpu");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/emulator/run.sh");
    let output = Command::new(script).args([folder.as_os_str(), OsStr::new("true")]).output();
    let output = output.unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the driver is no C++:\n{errors}");
    Ok((program, folder))
}

/// Emulated GPUs and a scratch folder to run the program in.
pub(crate) struct EmulatedGpu {
    folder: tempfile::TempDir,
    settings: Vec<(&'static str, String)>,
}

impl EmulatedGpu {
    /// One device; `None` where none can be emulated.
    pub(crate) fn new() -> Option<Self> {
        PARTS.as_ref()?;
        let folder = tempfile::tempdir().unwrap();
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/e2e_models");
        std::os::unix::fs::symlink(models, folder.path().join("models")).unwrap();
        Some(Self { folder, settings: Vec::new() })
    }

    /// The same with a setting of the emulator, `EMULATED_…`.
    pub(crate) fn with(mut self, name: &'static str, value: &impl ToString) -> Self {
        self.settings.retain(|(known, _)| *known != name);
        self.settings.push((name, value.to_string()));
        self
    }

    /// The folder that the program runs in.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// As [`Self::run`], with all that the program asked of its devices.
    pub(crate) fn run_with_journal(&self, arguments: &[&str]) -> (Output, Journal) {
        let path = self.path().join("journal");
        std::fs::write(&path, "").unwrap();
        let output = self.command(arguments).env("EMULATED_GPU_JOURNAL", &path).output().unwrap();
        (output, Journal::read(&std::fs::read_to_string(path).unwrap()))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let (program, libraries) = PARTS.as_ref().unwrap();
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.path());
        command.env("LD_LIBRARY_PATH", libraries).env("HF_HUB_OFFLINE", "1");
        command.env("HF_HOME", self.path().join("hub")).env("SURPRISAL_CACHE", self.path());
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command
    }
}
